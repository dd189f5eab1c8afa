//! A file of a patch: its names, and its change as a whole.
//!
//! The lines before the first hunk tell. Git writes `diff --git`, `rename from`, `new file mode` and others, Subversion
//! writes `Index:`, and all write `---` and `+++`.

use std::borrow::Cow;

use super::hunk::Kind;
use super::names::{name_of_both, name_of_line};

/// The header of a file.
#[derive(Debug, Default)]
pub(super) struct File<'t> {
    /// The names in `---` and `+++`.
    sides: [Option<Cow<'t, str>>; 2],
    /// The names in `rename from` and `rename to`, which have no prefix.
    moved: [Option<Cow<'t, str>>; 2],
    /// The name in a line such as `Index: name`, for files without other names.
    name: Option<Cow<'t, str>>,
    /// Words for the change as a whole.
    pub(super) facts: Vec<&'static str>,
    pub(super) stage: Stage,
}

/// How much of a file was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// Subversion's `Index:`. The header that Git would write may follow.
    Index,
    #[default]
    Header,
    /// The lines `---` and `+++`.
    Names,
    Hunks,
    /// Lines that do not fit the header of a hunk, or the encoded bytes of a binary file. Other hunks may follow.
    Rest,
}

/// The name of a file that does not exist.
const NO_FILE: &str = "/dev/null";

/// How Subversion starts a file.
const INDEX: &str = "Index: ";

/// How the lines of a header start, whether the page shows them, and the word that it shows instead.
const HEADERS: [(&str, Kind, &str); 17] = [
    ("--- ", Kind::Header, ""),
    ("+++ ", Kind::Header, ""),
    (INDEX, Kind::Header, ""),
    ("========", Kind::Header, ""),
    ("index ", Kind::Header, ""),
    ("similarity index ", Kind::Header, ""),
    ("dissimilarity index ", Kind::Header, ""),
    ("old mode ", Kind::Text, ""),
    ("new mode ", Kind::Text, ""),
    ("new file mode ", Kind::Header, "new"),
    ("deleted file mode ", Kind::Header, "deleted"),
    ("rename from ", Kind::Header, "renamed"),
    ("rename to ", Kind::Header, "renamed"),
    ("copy from ", Kind::Header, "copied"),
    ("copy to ", Kind::Header, "copied"),
    ("Binary file", Kind::Header, "binary"),
    ("GIT binary patch", Kind::Text, "binary"),
];

/// Returns whether a line starts a file. The lines `---` and `+++` do so too, if no other line did.
pub(super) fn is_start(line: &str) -> bool {
    line.starts_with("diff -") || line.starts_with(INDEX)
}

impl<'t> File<'t> {
    /// Takes a line that is not the first one, except those of hunks. Returns `None` if the line does not belong to
    /// this file. `has_names` means that the line is the first of `---` and `+++`.
    pub(super) fn take(&mut self, line: &'t str, has_names: bool) -> Option<Kind> {
        let is_start = has_names || is_start(line);
        let is_header = match self.stage {
            Stage::Index => !line.starts_with(INDEX),
            Stage::Header => has_names || !is_start,
            Stage::Names => !is_start,
            Stage::Hunks => false,
            Stage::Rest => {
                return (!is_start && !line.starts_with("@@ ")).then_some(Kind::Text);
            }
        };
        is_header.then(|| self.read(line))?
    }

    /// Reads a line of the header. Returns `None` if the line does not belong to one.
    pub(super) fn read(&mut self, line: &'t str) -> Option<Kind> {
        if let Some(names) = line.strip_prefix("diff ") {
            self.stage = Stage::Header;
            self.name = Some(name_of_both(names));
            return Some(Kind::Header);
        }
        let mut headers = HEADERS.iter();
        let (start, kind, fact) = headers.find(|(start, ..)| line.starts_with(start))?;
        let name = name_of_line(&line[start.len()..]);
        let mut fact = *fact;
        match *start {
            "--- " if name == NO_FILE => fact = "new",
            "+++ " if name == NO_FILE => (self.stage, fact) = (Stage::Names, "deleted"),
            "--- " => self.sides[0] = Some(name),
            "+++ " => (self.stage, self.sides[1]) = (Stage::Names, Some(name)),
            INDEX => (self.stage, self.name) = (Stage::Index, Some(name)),
            "rename from " | "copy from " => self.moved[0] = Some(name),
            "rename to " | "copy to " => self.moved[1] = Some(name),
            "GIT binary patch" => self.stage = Stage::Rest,
            // Their word is all that they say.
            _ => {}
        }
        if !fact.is_empty() && !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
        Some(*kind)
    }

    /// Returns the file's name, and before it the old name if that is another one. Git's `a/` and `b/` are left out.
    pub(super) fn names(&self) -> (Option<&str>, &str) {
        let sides = self.sides.each_ref().map(Option::as_deref);
        let bare = [(sides[0], "a/"), (sides[1], "b/")]
            .map(|(name, prefix)| name.map(|name| name.strip_prefix(prefix)));
        let names = match (&self.moved, bare) {
            ([Some(old), Some(new)], _) => [Some(&**old), Some(&**new)],
            (_, [Some(None), _] | [_, Some(None)]) => sides,
            _ => bare.map(Option::flatten),
        };
        match names {
            [Some(old), Some(new)] if old != new => (Some(old), new),
            [Some(name), _] | [None, Some(name)] => (None, name),
            [None, None] => (None, self.name.as_deref().unwrap_or("Unnamed file")),
        }
    }
}
