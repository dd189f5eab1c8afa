//! The page that tells the operator who holds how much, or what one holds, and asks before all of that is removed. It is
//! plain text for terminals, and JSON for programs.

use askama::Template;
use serde::Serialize;

use crate::date::Utc;
use crate::page::humanize;
use crate::page::site::Site;
use crate::page::template::Page;
use crate::render::visible;

/// What is told if no one is known to hold anything.
const UNKNOWN: &str =
    "No paste is stored, or an engine keeps them: it does not know which network saved what.";

/// The contents of the page.
#[derive(Template, Serialize)]
#[template(path = "holders.html", config = "src/page/askama.toml")]
pub(crate) struct HoldersPage<'a> {
    #[serde(skip)]
    pub(crate) site: &'a Site,
    #[serde(skip)]
    pub(crate) max_chars: usize,
    /// How many pastes were removed, and whether there may be more.
    pub(crate) removed: Option<usize>,
    pub(crate) more: bool,
    /// The heaviest holders, or the one that was asked for.
    pub(crate) holders: Vec<Held>,
    /// The latest pastes of the one that was asked for, not all if there are many.
    pub(crate) pastes: Option<Vec<Held>>,
}

/// What a holder has, or a paste. What is not known is `None`.
#[derive(Default, Serialize)]
pub(crate) struct Held {
    /// Who: `network:` and a hash, `key:` or `user:` and a name. Of a paste, its id or slug; nothing if it is of a network.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) of: String,
    /// The number of pastes.
    pub(crate) pastes: Option<usize>,
    /// The bytes that they are charged, or those of the content of a paste.
    pub(crate) bytes: Option<usize>,
    /// When the paste, or the latest one, was saved, in milliseconds since 1970.
    pub(crate) saved: Option<u64>,
    pub(crate) access: Option<&'static str>,
    pub(crate) views: Option<u32>,
}

impl Held {
    fn facts(&self) -> String {
        let facts = [
            self.pastes.map(|it| humanize::count(it, "paste")),
            self.bytes.map(humanize::size),
            self.saved
                .map(|it| format!("saved {}", Utc::from_epoch_millis(it))),
            self.access.map(str::to_owned),
            self.views.map(|it| humanize::count(it, "view")),
        ];
        facts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl HoldersPage<'_> {
    /// Says what was removed.
    fn told(&self) -> Option<String> {
        let end = match (self.removed?, self.more) {
            (0, _) => return Some("Nothing was removed: no paste belongs to it.".to_owned()),
            (_, true) => " removed, and there are more.",
            (_, false) => " removed.",
        };
        Some(humanize::count(self.removed?, "paste") + end)
    }

    /// Says how many pastes are not shown, if that is known.
    fn left_out(&self) -> Option<String> {
        let all = self.holders.first()?.pastes?;
        let left = all.saturating_sub(self.pastes.as_ref()?.len());
        (left > 0).then(|| format!("And {} more.", humanize::number(left)))
    }
}

impl Page for HoldersPage<'_> {
    fn text(&self) -> String {
        let held = self.holders.iter().chain(self.pastes.iter().flatten());
        let lines = held.map(|it| format!("{} {}", visible(&it.of), it.facts()));
        let lines = lines.map(|line| line.trim_start().to_owned());
        let unknown = self.holders.is_empty().then(|| UNKNOWN.to_owned());
        let lines = self.told().into_iter().chain(unknown).chain(lines);
        let lines = lines.chain(self.left_out());
        lines.map(|line| line + "\n").collect()
    }
}
