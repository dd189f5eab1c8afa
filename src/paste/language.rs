//! Languages: what a paste may be read as.
//!
//! What it must not know: how a language is shown or coloured.
//! Invariants: a closed table, in the order in which a person is offered it; names are unique over names and
//! aliases; the first entry is plain text.
//! Cost: one byte; finding by name walks the table (about fifty entries, once a save).

/// One language of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language(u8);

/// A row of the table.
struct Row {
    /// How it is written in a request and in `/record`.
    name: &'static str,
    /// How a person reads it.
    label: &'static str,
    /// The ending that a download of it gets: the name or one of the aliases.
    ending: &'static str,
    /// Other names, and the other endings of its files.
    aliases: &'static [&'static str],
}

const fn row(
    name: &'static str,
    label: &'static str,
    ending: &'static str,
    aliases: &'static [&'static str],
) -> Row {
    Row {
        name,
        label,
        ending,
        aliases,
    }
}

/// The table. File endings and aliases share one name space, so that `lang=rs` and `main.rs` mean the same.
const TABLE: [Row; 50] = [
    row(
        "text",
        "Plain text",
        "txt",
        &["txt", "plain", "plaintext", "log", "none"],
    ),
    row("asm", "Assembly", "s", &["s", "nasm"]),
    row(
        "bash",
        "Shell",
        "sh",
        &["sh", "shell", "zsh", "ksh", "console"],
    ),
    row("batch", "Batch", "bat", &["bat", "cmd"]),
    row("c", "C", "c", &["h"]),
    row("clojure", "Clojure", "clj", &["clj", "cljs", "edn"]),
    row("cmake", "CMake", "cmake", &[]),
    row("cpp", "C++", "cpp", &["cc", "cxx", "hpp", "hh", "c++"]),
    row("csharp", "C#", "cs", &["cs", "c#"]),
    row("css", "CSS", "css", &["scss", "less"]),
    row("csv", "CSV", "csv", &["tsv"]),
    row("d", "D", "d", &[]),
    row("dart", "Dart", "dart", &[]),
    row("diff", "Diff", "patch", &["patch"]),
    row(
        "dockerfile",
        "Dockerfile",
        "dockerfile",
        &["docker", "containerfile"],
    ),
    row("elixir", "Elixir", "ex", &["ex", "exs"]),
    row("erlang", "Erlang", "erl", &["erl", "hrl"]),
    row("fsharp", "F#", "fs", &["fs", "fsx", "f#"]),
    row("go", "Go", "go", &["golang"]),
    row("graphql", "GraphQL", "graphql", &["gql"]),
    row("haskell", "Haskell", "hs", &["hs"]),
    row("html", "HTML", "html", &["htm", "xhtml"]),
    row("ini", "INI", "ini", &["conf", "cfg", "properties", "env"]),
    row("java", "Java", "java", &[]),
    row(
        "javascript",
        "JavaScript",
        "js",
        &["js", "mjs", "cjs", "jsx"],
    ),
    row("json", "JSON", "json", &["jsonl", "json5"]),
    row("julia", "Julia", "jl", &["jl"]),
    row("kotlin", "Kotlin", "kt", &["kt", "kts"]),
    row("latex", "LaTeX", "tex", &["tex", "sty"]),
    row("lua", "Lua", "lua", &[]),
    row("makefile", "Makefile", "mk", &["mk", "make"]),
    row("markdown", "Markdown", "md", &["md", "mkd"]),
    row("nix", "Nix", "nix", &[]),
    row("ocaml", "OCaml", "ml", &["ml", "mli"]),
    row("perl", "Perl", "pl", &["pl", "pm"]),
    row("php", "PHP", "php", &[]),
    row("powershell", "PowerShell", "ps1", &["ps1", "psm1"]),
    row("python", "Python", "py", &["py", "python3", "pyi"]),
    row("r", "R", "r", &[]),
    row("ruby", "Ruby", "rb", &["rb"]),
    row("rust", "Rust", "rs", &["rs"]),
    row("scala", "Scala", "sc", &["sc"]),
    row("sql", "SQL", "sql", &[]),
    row("swift", "Swift", "swift", &[]),
    row("toml", "TOML", "toml", &[]),
    row("typescript", "TypeScript", "ts", &["ts", "tsx", "mts"]),
    row("vim", "Vim script", "viml", &["viml"]),
    row("xml", "XML", "xml", &["svg", "xsl", "plist"]),
    row("yaml", "YAML", "yml", &["yml"]),
    row("zig", "Zig", "zig", &[]),
];

impl Language {
    /// Plain text, which everything unknown is read as.
    pub const PLAIN: Self = Self(0);

    /// All of them, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(TABLE.len())
    }

    /// The language of this name, alias or file ending, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let is_name = |known: &str| known.eq_ignore_ascii_case(name);
        Self::all().find(|language| {
            is_name(language.row().name)
                || language.row().aliases.iter().any(|alias| is_name(alias))
        })
    }

    /// The language that a file's name tells: by its ending, or whole (`Makefile`).
    #[must_use]
    pub fn of_file(name: &str) -> Option<Self> {
        match name.rsplit_once('.') {
            Some((_, ending)) => Self::named(ending),
            None => Self::named(name)
                .filter(|language| matches!(language.row().name, "makefile" | "dockerfile")),
        }
    }

    /// How it is written in a request.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// How a person reads it.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// The ending of a file of it.
    #[must_use]
    pub fn extension(self) -> &'static str {
        self.row().ending
    }

    fn row(self) -> &'static Row {
        &TABLE[usize::from(self.0)]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_alias_and_ending_means_one_language_and_finds_it() {
        let mut seen = HashSet::new();
        for language in Language::all() {
            for name in [language.name()].iter().chain(language.row().aliases) {
                assert!(seen.insert(*name), "{name} stands twice");
                assert_eq!(Language::named(name), Some(language), "{name}");
            }
            assert_eq!(
                Language::named(language.extension()),
                Some(language),
                "{}",
                language.extension()
            );
        }
        assert_eq!(Language::PLAIN.name(), "text");
    }

    #[test]
    fn a_file_name_tells_by_its_ending_or_whole() {
        for (file, expected) in [
            ("main.rs", Some("rust")),
            ("a.tar.PY", Some("python")),
            ("Makefile", Some("makefile")),
            ("Dockerfile", Some("dockerfile")),
            (".env", Some("ini")),
            ("README", None),
            ("go", None),
            ("x.unknown", None),
            ("x.", None),
        ] {
            assert_eq!(
                Language::of_file(file).map(Language::name),
                expected,
                "{file}"
            );
        }
    }
}
