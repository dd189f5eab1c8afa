//! What the operator sees, on the page and as JSON: the numbers of the server, the reports, and the blocked contents.

use serde::Serialize;

use crate::date::Utc;
use crate::detection::language_of;
use crate::page::humanize;
use crate::paste::{Access, Charset, SealedMessage, StoredPaste};
use crate::render::{beginning, visible};

/// A value for each kind of event that is shown over time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ByEvent<T> {
    /// Requests that were answered.
    pub requests: T,
    /// New pastes.
    pub saves: T,
    /// Requests that were refused by a limit (429) or because of overload (503).
    pub refused: T,
}

impl<T> ByEvent<T> {
    /// Combines the values of each kind.
    pub fn zip<U, V>(self, other: ByEvent<U>, combine: impl Fn(T, U) -> V) -> ByEvent<V> {
        ByEvent {
            requests: combine(self.requests, other.requests),
            saves: combine(self.saves, other.saves),
            refused: combine(self.refused, other.refused),
        }
    }
}

/// The stored pastes, and the counts since the start of the server.
#[derive(Default, Serialize)]
pub(crate) struct ServerStatus {
    /// `None` if an engine keeps the pastes, which does not count them.
    pub(crate) pastes: Option<usize>,
    /// The bytes that the pastes are charged, or that the engine uses.
    pub(crate) bytes: usize,
    /// The bytes that all pastes may be charged, or that the engine may use.
    pub(crate) budget: usize,
    /// Answered requests.
    pub(crate) requests: u64,
    /// New pastes.
    pub(crate) saves: u64,
    /// Requests for pastes that do not exist, and wrong tokens.
    pub(crate) misses: u64,
    /// Requests that a limit refused.
    pub(crate) limited: u64,
    /// Requests that were refused because of overload.
    pub(crate) shed: u64,
    /// Uploads and large responses in progress.
    pub(crate) transfers: usize,
    /// When `tidebin backup` last completed one, in milliseconds since 1970: 0 if it never did. `None` without a data
    /// directory.
    pub(crate) last_backup: Option<u64>,
    /// Removed pastes by reason. An engine tells no node what expired or was evicted.
    pub(crate) expired: Option<u64>,
    pub(crate) burned: u64,
    pub(crate) deleted: u64,
    pub(crate) removed_by_operator: u64,
    pub(crate) evicted: Option<u64>,
    /// Counts per minute of the last hour, oldest first. The last one is of the current minute.
    pub(crate) by_minute: ByEvent<Vec<u32>>,
    /// The same per hour of the last day.
    pub(crate) by_hour: ByEvent<Vec<u32>>,
}

impl ServerStatus {
    /// Returns the present numbers with their names.
    pub(super) fn now(&self) -> impl Iterator<Item = (&'static str, String)> {
        let [bytes, budget] = [self.bytes, self.budget].map(humanize::size);
        let pastes = self.pastes.map(|it| ("Pastes", humanize::number(it)));
        let backup = self.last_backup.map(|at| match at {
            0 => ("Last backup", "never".to_owned()),
            at => ("Last backup", Utc::from_epoch_millis(at).in_words()),
        });
        let numbers = [
            ("Space in use", format!("{bytes} of {budget}")),
            ("Transfers in progress", humanize::number(self.transfers)),
        ];
        pastes.into_iter().chain(numbers).chain(backup)
    }

    /// Returns the numbers since the start with their names.
    pub(super) fn facts(&self) -> impl Iterator<Item = (&'static str, String)> {
        let removed_by_operator = Some(self.removed_by_operator);
        [
            ("Requests", Some(self.requests)),
            ("Saves", Some(self.saves)),
            ("Misses and wrong tokens", Some(self.misses)),
            ("Refused by a limit", Some(self.limited)),
            ("Refused because of overload", Some(self.shed)),
            ("Expired pastes", self.expired),
            ("Burned pastes", Some(self.burned)),
            ("Pastes deleted by their owners", Some(self.deleted)),
            ("Pastes removed by an operator", removed_by_operator),
            ("Evicted pastes", self.evicted),
        ]
        .into_iter()
        .filter_map(|(name, number)| Some((name, humanize::number(number?))))
    }
}

/// A paste that readers reported.
#[derive(Serialize)]
pub(crate) struct ReportedPaste {
    pub(crate) id: String,
    /// The URL for people.
    pub(crate) url: String,
    /// The number of networks that reported it.
    pub(crate) networks: usize,
    /// One report of each network, the latest first.
    pub(crate) reports: Vec<NetworkReport>,
}

/// What the operator sees of a reported paste before opening it.
pub(crate) struct Preview {
    pub(super) kind: &'static str,
    pub(super) saved_at: Utc,
    /// The size, the number of views, the title, and the beginning of a text as one line; the last two may be empty.
    /// `None` unless everyone with the link may read the content.
    pub(super) content: Option<[String; 4]>,
}

impl Preview {
    /// The kind of a paste with a password. Its content is not known, so it cannot be blocked.
    pub(super) const PROTECTED: &str = "Protected";

    pub(crate) fn of(stored: StoredPaste) -> Self {
        let saved_at = Utc::from_epoch_millis(stored.saved().as_millis());
        let (kind, content) = match stored.open() {
            Ok(paste) if SealedMessage::of(paste.bytes()).is_some() => ("Encrypted", None),
            Err(Access::Burn(_)) => ("Burns after reading", None),
            Err(_) => (Self::PROTECTED, None),
            Ok(paste) => {
                // The decoder takes steps, of which the first has the beginning.
                let decode = |charset: Charset| charset.decode(paste.bytes(), 1, || true).text;
                let decoded = paste.content().charset().map(decode);
                let text = paste.text().or(decoded.as_deref());
                let kind = match text {
                    _ if paste.access() == Access::Link => "Link",
                    Some(_) => language_of(&paste).label(),
                    None => "File",
                };
                let size = humanize::size(paste.bytes().len());
                let is_link = paste.access() == Access::Link;
                let noun = if is_link { "click" } else { "view" };
                let views = humanize::total(paste.reads(), noun);
                let title = paste
                    .title()
                    .map(|title| visible(title.as_str()).into_owned());
                let beginning = beginning(text.unwrap_or_default());
                (
                    kind,
                    Some([size, views, title.unwrap_or_default(), beginning]),
                )
            }
        };
        Self {
            kind,
            saved_at,
            content,
        }
    }
}

/// The report of a reader.
#[derive(Clone, Serialize)]
pub(crate) struct NetworkReport {
    /// When it was sent, in milliseconds since 1970.
    pub(crate) at: u64,
    /// A keyed hash of the network that it came from. It stays the same while the server's secret does.
    pub(crate) network: String,
    /// The reason, in the reader's words.
    pub(crate) reason: String,
}

/// A content that the operator blocks: saving it is refused.
#[derive(Serialize)]
pub(crate) struct BlockedContent {
    /// The SHA-256 of the content, in hexadecimal digits.
    pub(crate) sha256: String,
    /// When it was blocked, in milliseconds since 1970.
    pub(crate) since: u64,
    /// Why, in the operator's words.
    pub(crate) reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::{
        Content, Draft, Expiry, Language, ReadsLeft, Revision, Timestamp, TokenHash,
    };

    /// Returns the preview of this content, and whether the page shows its size and its beginning.
    fn preview(content: &[u8], language: Option<Language>, access: Access) -> [String; 3] {
        let draft = Draft {
            content: Content::new(content, usize::MAX).unwrap(),
            title: None,
            language,
            expiry: Expiry::Never,
            slug: None,
        };
        let (revision, token) = (Revision::default(), TokenHash::of(""));
        let stored = StoredPaste::new(draft, access, revision, Timestamp::default(), token);
        let Preview { kind, content, .. } = Preview::of(stored);
        let [size, _, _, beginning] = content.unwrap_or_default();
        [kind.to_owned(), size, beginning]
    }

    #[test]
    fn a_preview_has_the_kind_the_size_and_a_bounded_visible_beginning() {
        let json = preview(b"{\"a\":\n[1, 2]}", None, Access::Open);
        assert_eq!(json, ["JSON", "13 bytes", "{\"a\": [1, 2]}"]);
        let rust = preview(
            "\u{202e}<b>".as_bytes(),
            Language::from_name("rust"),
            Access::Open,
        );
        assert_eq!(rust, ["Rust", "6 bytes", "[U+202E]<b>"]);
        let wide = preview(b"w\0i\0d\0e\0 \0b\0o\0y\0", None, Access::Open);
        assert_eq!(wide, ["Plain text", "16 bytes", "wide boy"]);
        assert_eq!(
            preview(b"https://a.example/", None, Access::Link)[0],
            "Link"
        );
        assert_eq!(
            preview(b"\xff\0\x01\0\x02", None, Access::Open),
            ["File", "5 bytes", ""]
        );
        let [_, _, beginning] = preview("x".repeat(9000).as_bytes(), None, Access::Open);
        assert_eq!(beginning.chars().count(), 200);
    }

    #[test]
    fn a_preview_of_a_closed_paste_tells_only_that_it_is_closed() {
        let burns = Access::Burn(ReadsLeft::new(1).unwrap());
        let adata = r#"[["MDEyMzQ1Njc4OWFiY2RlZg==","MDEyMzQ1Njc=",100000,256,128,"aes","gcm","zlib"],"plaintext",0,0]"#;
        let sealed = format!(r#"{{"v":2,"adata":{adata},"ct":"MDEyMzQ1Njc4OWFiY2RlZg=="}}"#);
        let sealed = sealed.as_bytes();
        for (content, access, kind) in [
            (&b"secret"[..], burns, "Burns after reading"),
            (b"secret", Access::Locked(None), "Protected"),
            (sealed, burns, "Burns after reading"),
            (sealed, Access::Open, "Encrypted"),
        ] {
            assert_eq!(preview(content, None, access), [kind, "", ""]);
        }
    }
}
