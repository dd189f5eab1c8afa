//! Languages: how the content of a paste is highlighted.
//!
//! Invariants: the languages are a closed table, in the order of the editor's menu; the first is plain text. Names, aliases
//! and file endings are one name space, so that `lang=rs` and `main.rs` mean the same.
//! A language is an index into that table while the process runs. Whatever outlives the process has its
//! [`name`](Language::name): the order of the table changes with its contents. A name that was ever released stays in the
//! table, as a name or an alias.
//! Cost: one byte; finding by name is one look-up. The table is parsed once, at first use.

mod content;
mod table;

use table::{Row, TABLE};

/// One language of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Language(u8);

impl Language {
    /// Plain text, the language of everything unknown.
    pub const PLAIN: Self = Self(0);

    /// All languages, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(TABLE.rows.len())
    }

    /// The most used languages, plain text first.
    pub fn common() -> impl Iterator<Item = Self> {
        Self::all().take(TABLE.common)
    }

    /// All languages except the common ones.
    pub fn others() -> impl Iterator<Item = Self> {
        Self::all().skip(TABLE.common)
    }

    /// The language with this name, alias or file ending, in any case. The inverse of [`Language::name`].
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        table::find(&TABLE.names, name).map(Self)
    }

    /// The language of a file with this name. Either the whole name decides (`Makefile`), or its ending, the longest first
    /// (`blade.php`).
    #[must_use]
    pub fn from_file_name(name: &str) -> Option<Self> {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let mut endings = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
        let whole = table::find(&TABLE.files, name).map(Self);
        whole.or_else(|| endings.find_map(Self::from_name))
    }

    /// The language of a file whose name says `self`: terminal output is often saved as plain text or as a log.
    #[must_use]
    pub fn or_terminal_output(self, content: &[u8]) -> Self {
        let may_be = matches!(self.name(), "text" | "log");
        let is_output = may_be && content::has_terminal_colours(content);
        Self::from_name("ansi")
            .filter(|_| is_output)
            .unwrap_or(self)
    }

    /// The language of this content. Returns `None` where there is doubt. Looks at a few KiB, and for terminal colours at
    /// a few MiB.
    #[must_use]
    pub fn detect(content: &[u8]) -> Option<Self> {
        content::detect(content).and_then(Self::from_name)
    }

    /// The name, as it is written in a request and in whatever outlives the process.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The name for people.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// The usual ending of its files, without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        self.row().ending
    }

    fn row(self) -> &'static Row {
        &TABLE.rows[usize::from(self.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_at_least_200_is_found_again_by_its_name_and_its_ending() {
        assert!(Language::all().count() >= 200);
        for language in Language::all() {
            for name in [language.name(), language.extension()] {
                assert_eq!(Language::from_name(name), Some(language), "{name}");
            }
        }
        assert_eq!(Language::PLAIN.name(), "text");
    }

    #[test]
    fn plain_text_is_offered_first_then_the_common_ones_then_the_rest_both_in_order() {
        let label = |language: Language| language.label().to_lowercase();
        assert_eq!(Language::common().next(), Some(Language::PLAIN));
        assert!(Language::common().skip(1).map(label).is_sorted());
        assert!(Language::others().map(label).is_sorted());
        assert!((15..30).contains(&Language::common().count()));
    }

    #[test]
    fn a_name_is_found_in_any_case_and_an_unknown_one_is_not() {
        for (name, expected) in [
            ("Rust", Some("rust")),
            ("C++", Some("cpp")),
            ("GOLANG", Some("go")),
            ("plaintext", Some("text")),
            ("klingon", None),
            ("", None),
        ] {
            assert_eq!(Language::from_name(name).map(Language::name), expected);
        }
        assert_eq!(Language::from_name(&"x".repeat(1 << 20)), None);
    }

    #[test]
    fn terminal_colours_decide_against_the_name_of_a_text_or_a_log() {
        for (file, content, expected) in [
            ("build.log", "\u{1b}[32mPASS", "ansi"),
            ("build.txt", "\u{1b}[32mPASS", "ansi"),
            ("build.log", "#!/bin/sh", "log"),
            ("build.sh", "\u{1b}[32mPASS", "bash"),
        ] {
            let named = Language::from_file_name(file).expect("a language");
            let language = named.or_terminal_output(content.as_bytes());
            assert_eq!(language.name(), expected, "{file} {content}");
        }
    }

    #[test]
    fn a_file_name_decides_as_a_whole_or_by_its_ending() {
        for (file, expected) in [
            ("main.rs", Some("rust")),
            ("a.tar.PY", Some("python")),
            ("src/Makefile", Some("makefile")),
            ("C:\\x\\Dockerfile", Some("dockerfile")),
            ("CMakeLists.txt", Some("cmake")),
            ("notes.txt", Some("text")),
            ("page.blade.php", Some("blade")),
            (".bashrc", Some("bash")),
            (".env", Some("dotenv")),
            ("README", None),
            ("go", None),
            ("v1.0/notes", None),
            ("x.unknown", None),
            ("x.", None),
        ] {
            assert_eq!(
                Language::from_file_name(file).map(Language::name),
                expected,
                "{file}"
            );
        }
    }
}
