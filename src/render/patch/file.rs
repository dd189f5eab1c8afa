//! A file of a patch: its names, and its change as a whole.
//!
//! The lines before the first hunk tell. Git writes `diff --git`, `rename from`, `new file mode` and others, Subversion
//! writes `Index:`, and all write `---` and `+++`.

use std::borrow::Cow;

use super::hunk::Kind;
use super::names::name_of_line;

/// The header of a file.
#[derive(Debug, Default)]
pub(super) struct File<'t> {
    /// The names in `---` and `+++`.
    sides: [Option<Cow<'t, str>>; 2],
    /// The names in `rename from` and `rename to`, which have no prefix.
    moved: [Option<Cow<'t, str>>; 2],
    /// The name in a line such as `Index: name`, for files without other names.
    name: Option<&'t str>,
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
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let fact = match word {
            "diff" => {
                let name = rest.rsplit_once(" b/").map_or(rest, |(_, name)| name);
                (self.stage, self.name) = (Stage::Header, Some(name));
                ""
            }
            "Index:" => {
                (self.stage, self.name) = (Stage::Index, Some(rest));
                ""
            }
            // The name of the file stands for the first of each.
            "---" | "+++" if self.sides[usize::from(word == "+++")].is_none() => {
                self.read_side(usize::from(word == "+++"), rest)
            }
            "rename" | "copy" => {
                let is_end = |(end, _): &(&str, &str)| ["from", "to"].contains(end);
                let (end, name) = rest.split_once(' ').filter(is_end)?;
                self.moved[usize::from(end == "to")] = Some(name_of_line(name));
                if word == "copy" { "copied" } else { "renamed" }
            }
            "new" if rest.starts_with("file mode ") => "new",
            "deleted" if rest.starts_with("file mode ") => "deleted",
            "Binary" if rest.starts_with("file") && rest.ends_with("differ") => "binary",
            "index" if is_index(rest) => "",
            "similarity" | "dissimilarity" if rest.starts_with("index ") && rest.len() < 12 => "",
            _ if line.len() > 7 && line.bytes().all(|byte| byte == b'=') => "",
            // The name of the file does not tell these.
            "old" | "new" if rest.starts_with("mode ") => return Some(Kind::Text),
            "GIT" if rest == "binary patch" => {
                self.stage = Stage::Rest;
                "binary"
            }
            _ => return None,
        };
        if !fact.is_empty() && !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
        Some(Kind::Header)
    }

    /// Reads the name of one side. Returns the word for a file that the other side does not have.
    fn read_side(&mut self, side: usize, name: &'t str) -> &'static str {
        if side == 1 {
            self.stage = Stage::Names;
        }
        let name = name_of_line(name);
        if name == NO_FILE {
            return ["new", "deleted"][side];
        }
        self.sides[side] = Some(name);
        ""
    }

    /// Returns the file's name, and before it the old name if that is another one. Git's `a/` and `b/` are left out.
    pub(super) fn names(&self) -> (Option<&str>, &str) {
        let sides = self.sides.each_ref().map(Option::as_deref);
        let bare = [(sides[0], "a/"), (sides[1], "b/")]
            .map(|(name, prefix)| name.map(|name| name.strip_prefix(prefix)));
        let sides = match bare {
            [Some(None), _] | [_, Some(None)] => sides,
            _ => bare.map(Option::flatten),
        };
        // A program that applies the patch changes the file of the sides.
        let moved = self.moved.each_ref().map(Option::as_deref);
        match if sides == [None; 2] { moved } else { sides } {
            [Some(old), Some(new)] if old != new => (Some(old), new),
            [Some(name), _] | [None, Some(name)] => (None, name),
            [None, None] => (None, self.name.unwrap_or("Unnamed file")),
        }
    }
}

/// Returns whether this is what Git writes after `index`: two hashes, and sometimes a mode.
fn is_index(rest: &str) -> bool {
    let (hashes, mode) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_hash = |hash: &str| {
        hash.bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b',')
    };
    let hashes = hashes.split_once("..");
    hashes.is_some_and(|(old, new)| is_hash(old) && is_hash(new))
        && mode.bytes().all(|byte| byte.is_ascii_digit())
}
