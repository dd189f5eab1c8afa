//! The errors of a malformed request. Each message tells the client what to send instead.
//!
//! Invariants: each of them is a client error (status 400), and nothing was stored or changed.

use std::fmt;

use super::api::MemberError;
use super::form::FormError;
use crate::paste::{Expiry, ExpiryError, PasswordError, SlugError};
use crate::store::NoteError;

const FORGET: &str =
    "This forgets a browser. A secret or a key stays valid; send `pastes=1` to delete its pastes.";

const ADDRESS: &str = "This is not the address of a paste here, so nothing was changed. Send its whole URL, or its id or slug alone.";

/// The reason why a request is malformed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestError {
    Empty,
    /// A malformed form, or one with missing, repeated or unknown fields.
    Form(FormError),
    /// Any of these errors, in a body that the client may have labelled as a form by default.
    OfForm(Box<RequestError>),
    /// Malformed JSON of a paste, or one with unknown, repeated or invalid members.
    Member(MemberError),
    /// The query is not valid percent-encoded UTF-8.
    Query,
    /// The `Content-Type` is sent more than once, or is not ASCII.
    ContentType,
    /// A malformed expiry.
    Expiry(ExpiryError),
    /// An expiry that has passed already.
    ExpiryPassed,
    /// An unknown header that asks for less than an open paste. Holds its name, safe to print.
    UnknownHeader(String),
    /// An expiry longer than the maximum, which is the argument.
    ExpiryTooLong(Expiry),
    /// The expiry `never`, which is not allowed; the argument is the maximum.
    NeverNotAllowed(Expiry),
    /// `lines` is not a range of lines.
    Lines,
    /// A query of a request of the JSON API that takes none.
    NoQuery,
    /// The `Host` is not a host name.
    Host,
    /// A `burn` that is not a number, too small or too large.
    Reads,
    /// A bearer token that begins like an owner's secret and is none.
    OwnerSecret,
    /// A key or an owner's secret in `Authorization`, in a form in which none is read.
    MisplacedSecret,
    /// A cursor of a list that is not a number.
    Cursor,
    /// A form of the list that names no pastes, too many, or no action.
    Selection,
    /// A password that is empty or too long.
    Password(PasswordError),
    /// The `reason` of a report or of a removal is empty or too long.
    Note(NoteError),
    /// A `slug` that no paste can have.
    Slug(SlugError),
    /// The value of a switch, which is named here, is neither true nor false.
    Flag(&'static str),
    /// No paste can have the address that the operator sent.
    Address,
    /// A text is not the SHA-256 of a content.
    Hash,
    /// A form of the operator names no act.
    Act,
    /// The owner to be forgotten is known by a secret or a key, and not by a browser.
    Forget,
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => {
                "The content is empty, so nothing was saved. Send text as the body, as in `cmd | curl --data-binary @- URL`, \
                 in the form field `file`, or in JSON as `content` or `text`."
            }
            Self::Form(error) => return error.fmt(f),
            Self::OfForm(error) => {
                let sentence = error.to_string();
                let sentence = sentence.trim_end_matches('.');
                return write!(f, "{sentence}; `curl -T - URL` saves the body as it is.");
            }
            Self::Member(error) => return error.fmt(f),
            Self::Query => {
                "The query in the URL is malformed. Write it as `name=value`, percent-encoded and joined by `&`."
            }
            Self::ContentType => {
                "The Content-Type is sent more than once, or is not ASCII. Send it once, as in `Content-Type: text/plain`."
            }
            Self::Expiry(error) => {
                return write!(
                    f,
                    "The expiry {error}. Send `expires` as a number with the unit `s`, `m`, `h`, `d` or `w`, as in `24h` or `7d`."
                );
            }
            Self::ExpiryPassed => {
                "The expiry is in the past. Send `expires` as a later time in milliseconds since 1970, or as a time such as `7d`."
            }
            Self::UnknownHeader(name) => {
                return write!(
                    f,
                    "The header `{name}` has no effect here, so nothing was saved. Use `X-Expires`, `X-Burn` or `X-Password`, or \
                     remove it."
                );
            }
            Self::ExpiryTooLong(Expiry::Never) => {
                "The expiry is too long. Send `expires` as `never`, or as a shorter time such as `7d`."
            }
            Self::ExpiryTooLong(longest) => {
                let words = longest.in_words();
                return write!(
                    f,
                    "The expiry is longer than the limit of {words}. Send `expires` as `{longest}` or less."
                );
            }
            Self::NeverNotAllowed(longest) => {
                return write!(f, "`expires=never` is not allowed here. Use `{longest}` or less.");
            }
            Self::Lines => {
                "`lines` is not a range of lines. Use `lines=10-20`, or `lines=10` for one line."
            }
            Self::NoQuery => {
                "This URL takes no options in its query. Remove them; for some of the lines, read `/raw/ID?lines=10-20`."
            }
            Self::Host => {
                "The Host header is not a valid host name. Send the name and port that you connected to."
            }
            Self::Reads => {
                "`burn` is not a number from 1 to 100. Use `burn=1` to delete the paste after one view."
            }
            Self::OwnerSecret => {
                "The owner's secret is malformed. Use `tbo_` and 22 to 128 random letters or digits, as from `openssl rand -hex 16`."
            }
            Self::MisplacedSecret => {
                "This `Authorization` is mistyped. Send a whole key as `Authorization: Bearer tbk_…`, or an owner's secret as `Authorization: Bearer tbo_…`."
            }
            Self::Cursor => "`cursor` is not a number. Use the `next` of the page before.",
            Self::Selection => {
                "Name 1 to 50 pastes as `id`, and what to do as `do`: `delete`, or `extend` with `expires`."
            }
            Self::Password(PasswordError::Empty) => {
                "`password` is empty. Send 1 to 1024 bytes, or remove it."
            }
            Self::Password(PasswordError::TooLong) => {
                "`password` is too long. Send 1 to 1024 bytes."
            }
            Self::Note(NoteError::Empty) => {
                "`reason` is missing. Say in up to 300 characters what is wrong with the paste."
            }
            Self::Note(NoteError::TooLong) => "`reason` is too long. Send at most 300 characters.",
            Self::Slug(error) => of_slug(*error),
            Self::Flag(name) => {
                return write!(
                    f,
                    "The value of `{name}` is not valid. Send `1`, or remove it."
                );
            }
            Self::Address => ADDRESS,
            Self::Hash => {
                "This is not a SHA-256. Send the 64 hexadecimal digits that `sha256sum FILE` prints."
            }
            Self::Act => "Name an `act`: `remove`, `dismiss`, `block` or `unblock`.",
            Self::Forget => FORGET,
        })
    }
}

fn of_slug(error: SlugError) -> &'static str {
    match error {
        SlugError::NotASlug => {
            "`slug` is not valid. Send 3 to 64 characters of `a` to `z`, `0` to `9` and `-`."
        }
        SlugError::LikeAnId => {
            "`slug` has 12 characters, as the random ids have. Send a longer or a shorter one."
        }
        SlugError::Reserved => {
            "This `slug` is a page of this server, or reserved for one. Choose another one."
        }
    }
}

impl RequestError {
    pub(super) fn unknown_header(name: &str) -> Self {
        Self::UnknownHeader(FormError::printable(name))
    }
}

impl From<FormError> for RequestError {
    fn from(error: FormError) -> Self {
        Self::Form(error)
    }
}

impl From<MemberError> for RequestError {
    fn from(error: MemberError) -> Self {
        Self::Member(error)
    }
}
