//! Languages: what a paste may be read as.
//!
//! What it must not know: how a language is shown or coloured.
//! Invariants: a closed table, in the order in which a person is offered it; names, aliases and endings are one name
//! space, so that `lang=rs` and `main.rs` mean the same; the first entry is plain text.
//! Cost: one byte; finding by name is one look-up. The table is read once, at first use.

mod content;
mod table;

use table::{Row, TABLE};

/// One language of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Language(u8);

impl Language {
    /// Plain text, which everything unknown is read as.
    pub const PLAIN: Self = Self(0);

    /// All of them, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(TABLE.rows.len())
    }

    /// Those that are asked for most, plain text first.
    pub fn common() -> impl Iterator<Item = Self> {
        Self::all().take(TABLE.common)
    }

    /// All but the common ones.
    pub fn others() -> impl Iterator<Item = Self> {
        Self::all().skip(TABLE.common)
    }

    /// The language of this name, alias or file ending, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        table::find(&TABLE.names, name)
    }

    /// The language that a file's name tells: whole (`Makefile`), or by its ending, the longest first (`blade.php`).
    #[must_use]
    pub fn of_file(name: &str) -> Option<Self> {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let mut endings = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
        table::find(&TABLE.files, name).or_else(|| endings.find_map(Self::named))
    }

    /// The language of a file whose name tells this one: output of a terminal is often kept as plain text or as a log.
    #[must_use]
    pub fn or_terminal_output(self, content: &[u8]) -> Self {
        let may_be = matches!(self.name(), "text" | "log");
        let is_output = may_be && content::has_terminal_colours(content);
        Self::named("ansi").filter(|_| is_output).unwrap_or(self)
    }

    /// The language that a content tells beyond doubt. Looks at a few KiB, and for colours of a terminal at a few MiB.
    #[must_use]
    pub fn of_content(content: &[u8]) -> Option<Self> {
        content::name(content).and_then(Self::named)
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
        &TABLE.rows[usize::from(self.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_at_least_200_and_each_is_found_by_its_name_and_its_ending() {
        assert!(Language::all().count() >= 200);
        for language in Language::all() {
            for name in [language.name(), language.extension()] {
                assert_eq!(Language::named(name), Some(language), "{name}");
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
            assert_eq!(Language::named(name).map(Language::name), expected);
        }
        assert_eq!(Language::named(&"x".repeat(1 << 20)), None);
    }

    #[test]
    fn a_name_of_plain_text_or_of_a_log_tells_less_than_colours_of_a_terminal() {
        for (file, content, expected) in [
            ("build.log", "\u{1b}[32mPASS", "ansi"),
            ("build.txt", "\u{1b}[32mPASS", "ansi"),
            ("build.log", "#!/bin/sh", "log"),
            ("build.sh", "\u{1b}[32mPASS", "bash"),
        ] {
            let named = Language::of_file(file).expect("a language");
            let language = named.or_terminal_output(content.as_bytes());
            assert_eq!(language.name(), expected, "{file} {content}");
        }
    }

    #[test]
    fn a_file_name_tells_by_its_ending_or_whole() {
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
                Language::of_file(file).map(Language::name),
                expected,
                "{file}"
            );
        }
    }
}
