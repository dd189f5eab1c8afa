//! A file of a patch: its names, and its change as a whole.
//!
//! The lines before the first hunk tell. Git writes `diff --git`, `rename from`, `new file mode` and others, Subversion
//! writes `Index:`, and all write `---` and `+++`.

use std::borrow::Cow;

use super::names::{name_of_both, name_of_line};

/// The header of a file.
#[derive(Debug, Default)]
pub(super) struct File<'t> {
    pub(super) old: Option<Cow<'t, str>>,
    pub(super) new: Option<Cow<'t, str>>,
    /// The name in a line such as `Index: name`, for files without other names.
    name: Option<Cow<'t, str>>,
    pub(super) old_mode: Option<&'t str>,
    pub(super) new_mode: Option<&'t str>,
    pub(super) change: Change,
    pub(super) is_binary: bool,
    pub(super) stage: Stage,
    pub(super) added: usize,
    pub(super) removed: usize,
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
    /// Lines that do not fit the header of a hunk. Other hunks of the file may follow.
    Faulty,
    /// The encoded bytes of a binary file, which reach to the next file.
    Bytes,
}

/// The change of a file as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Change {
    #[default]
    Edited,
    Created,
    Deleted,
    Renamed,
    Copied,
}

impl Change {
    /// Returns the word for readers. Returns `None` if the file is only edited.
    pub(super) fn word(self) -> Option<&'static str> {
        match self {
            Self::Edited => None,
            Self::Created => Some("new"),
            Self::Deleted => Some("deleted"),
            Self::Renamed => Some("renamed"),
            Self::Copied => Some("copied"),
        }
    }
}

/// The name of a file that does not exist.
const NO_FILE: &str = "/dev/null";

/// How Subversion starts a file.
const INDEX: &str = "Index: ";

/// How the lines of a header start.
const HEADERS: [&str; 17] = [
    "--- ",
    "+++ ",
    INDEX,
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "Binary file",
    "GIT binary patch",
    "index ",
    "similarity index ",
    "dissimilarity index ",
    "========",
];

/// Returns whether a line starts a file. The lines `---` and `+++` do so too, if no other line did.
pub(super) fn is_start(line: &str) -> bool {
    line.starts_with("diff -") || line.starts_with(INDEX)
}

impl<'t> File<'t> {
    /// Reads the first line of a file.
    pub(super) fn starting_with(line: &'t str) -> Self {
        let mut file = Self::default();
        file.read(line);
        file
    }

    /// Takes a line after the first one, except those of hunks. Returns false if the line does not belong to this file.
    /// `has_names` means that the line is the first of `---` and `+++`.
    pub(super) fn takes(&mut self, line: &'t str, has_names: bool) -> bool {
        let is_start = has_names || is_start(line);
        match self.stage {
            Stage::Index => !line.starts_with(INDEX) && self.read(line),
            Stage::Header => (has_names || !is_start) && self.read(line),
            Stage::Names => !is_start && self.read(line),
            Stage::Hunks => false,
            Stage::Faulty => !is_start && !line.starts_with("@@ "),
            Stage::Bytes => !is_start,
        }
    }

    /// Reads a line of the header. Returns false if the line does not belong to one.
    pub(super) fn read(&mut self, line: &'t str) -> bool {
        if let Some(names) = line.strip_prefix("diff ") {
            self.stage = Stage::Header;
            self.name = name_of_both(names).or_else(|| self.name.take());
            return true;
        }
        let starts = &mut HEADERS.iter();
        let Some((start, rest)) =
            starts.find_map(|start| Some((*start, line.strip_prefix(start)?)))
        else {
            return false;
        };
        match start {
            "--- " => self.read_old(rest),
            "+++ " => self.read_new(rest),
            INDEX => (self.stage, self.name) = (Stage::Index, Some(rest.into())),
            "old mode " => self.old_mode = Some(rest),
            "new mode " => self.new_mode = Some(rest),
            "new file mode " => self.change = Change::Created,
            "deleted file mode " => self.change = Change::Deleted,
            "rename from " => {
                (self.change, self.old) = (Change::Renamed, Some(name_of_line(rest)));
            }
            "copy from " => (self.change, self.old) = (Change::Copied, Some(name_of_line(rest))),
            "rename to " | "copy to " => self.new = Some(name_of_line(rest)),
            "GIT binary patch" => (self.is_binary, self.stage) = (true, Stage::Bytes),
            "Binary file" => self.is_binary = true,
            // They say nothing for readers.
            _ => {}
        }
        true
    }

    fn read_old(&mut self, name: &'t str) {
        match name_of_line(name) {
            name if name == NO_FILE => self.change = Change::Created,
            // A rename has the whole names already.
            name if self.old.is_none() => self.old = Some(name),
            _ => {}
        }
    }

    fn read_new(&mut self, name: &'t str) {
        self.stage = Stage::Names;
        match name_of_line(name) {
            name if name == NO_FILE => self.change = Change::Deleted,
            name if self.new.is_none() => self.new = Some(name),
            _ => return,
        }
        self.strip_prefixes();
    }

    /// Removes Git's `a/` and `b/` before the names.
    fn strip_prefixes(&mut self) {
        let has = |name: &Option<Cow<'_, str>>, prefix: &str| {
            name.as_ref().is_none_or(|name| name.starts_with(prefix))
        };
        if has(&self.old, "a/") && has(&self.new, "b/") {
            for name in [&mut self.old, &mut self.new].into_iter().flatten() {
                *name = match name {
                    Cow::Borrowed(name) => name[2..].into(),
                    Cow::Owned(name) => name[2..].to_owned().into(),
                };
            }
        }
    }

    /// Returns the file's name, and before it the old name if that is another one.
    pub(super) fn names(&self) -> (Option<&str>, &str) {
        let (old, new) = (self.old.as_deref(), self.new.as_deref());
        match (old, new.or(self.name.as_deref())) {
            (Some(old), Some(new)) if old != new && self.new.is_some() => (Some(old), new),
            (Some(name), _) | (None, Some(name)) => (None, name),
            (None, None) => (None, "Unnamed file"),
        }
    }
}
