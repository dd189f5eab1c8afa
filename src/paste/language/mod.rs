//! Languages. The language of a paste decides how its content is highlighted.
//!
//! Invariants: the languages are a fixed table, in the order of the editor's menu. The first is plain text. No two
//! languages share a name, an alias or a file ending, so `lang=rs` and `main.rs` mean the same language. A [`Language`]
//! is the number of a row, which is valid only while the process runs. The order of the table changes when languages
//! are added. So data that outlives the process stores the [`name`](Language::name). A released name stays in the
//! table, as a name or an alias.
//! Cost: a language takes one byte, and so does an `Option` of one. Finding one by name is one look-up. The table is
//! parsed once, at first use.

mod table;

use std::num::NonZeroU8;

use table::{Row, TABLE};

/// One language of the table: the number of its row, counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Language(NonZeroU8);

impl Language {
    /// Plain text. It is the language of all content whose language is unknown.
    pub const PLAIN: Self = Self(NonZeroU8::MIN);

    /// Returns all languages in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        table::numbers().map(Self).take(TABLE.rows.len())
    }

    /// Returns the most used languages. Plain text is first.
    pub fn common() -> impl Iterator<Item = Self> {
        Self::all().take(TABLE.common)
    }

    /// Returns all languages except the most used ones.
    pub fn others() -> impl Iterator<Item = Self> {
        Self::all().skip(TABLE.common)
    }

    /// Returns the language with this name, alias or file ending. Upper and lower case are equal. Returns `None` if
    /// there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        table::find(&TABLE.names, name).map(Self)
    }

    /// Returns the language of a file with this name, or `None` if it is unknown. The whole name is looked up first
    /// (`Makefile`), then its endings, the longest first (`blade.php`).
    pub fn from_file_name(name: &str) -> Option<Self> {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let mut endings = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
        let whole = table::find(&TABLE.files, name).map(Self);
        whole.or_else(|| endings.find_map(Self::from_name))
    }

    /// Returns the language of a file with this name, unless the content has to decide: files of many kinds have its
    /// ending.
    pub fn from_sure_name(name: &str) -> Option<Self> {
        const UNSURE: [&str; 5] = ["txt", "text", "log", "h", "m"];
        let found = Self::from_file_name(name)?;
        let ending = name.rsplit('.').next().unwrap_or_default();
        let is_unsure = UNSURE.iter().any(|it| it.eq_ignore_ascii_case(ending));
        // `CMakeLists.txt` is sure.
        let is_by_ending = Self::from_name(ending) == Some(found);
        (!is_unsure || !is_by_ending).then_some(found)
    }

    /// Returns the language of a file of an archive, whose name may be a path.
    pub fn of_file(path: &str) -> Option<Self> {
        path.rsplit('/').next().and_then(Self::from_sure_name)
    }

    /// Returns the language of a title that is the name of a file: it has no white space.
    pub fn from_title(title: &str) -> Option<Self> {
        let is_name = !title.trim().contains(char::is_whitespace);
        is_name.then(|| Self::from_file_name(title.trim()))?
    }

    /// Returns the language of such a title, unless the content has to decide.
    pub fn from_sure_title(title: &str) -> Option<Self> {
        Self::from_title(title).filter(|_| Self::from_sure_name(title.trim()).is_some())
    }

    /// Returns the name, as requests and stored data use it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the name that pages show to people.
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// Returns the usual ending of the language's files, without the dot.
    pub fn extension(self) -> &'static str {
        self.row().ending
    }

    fn row(self) -> &'static Row {
        &TABLE.rows[usize::from(self.0.get()) - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_at_least_200_languages_is_found_by_its_name_and_its_ending() {
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
    fn an_ending_of_many_kinds_and_a_title_of_several_words_are_not_sure() {
        for (name, of_file, of_title) in [
            ("main.rs", Some("rust"), Some("rust")),
            ("my main.rs", Some("rust"), None),
            ("Error in main.c", Some("c"), None),
            ("crash.TXT", None, None),
            ("a.h", None, None),
            ("CMakeLists.txt", Some("cmake"), Some("cmake")),
        ] {
            let found = |language: Option<Language>| language.map(Language::name);
            assert_eq!(found(Language::from_sure_name(name)), of_file, "{name}");
            assert_eq!(found(Language::from_sure_title(name)), of_title, "{name}");
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
