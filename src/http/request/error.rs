//! The errors of a malformed request. Each message tells the client what to send instead.
//!
//! Invariants: each of them is a client error (status 400), and nothing was stored or changed.

use super::api::MemberError;
use super::form::FormError;
use crate::http::problem::{ProblemType as T, Row};
use crate::paste::{Expiry, ExpiryError, PasswordError, SlugError};
use crate::store::NoteError;

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

impl RequestError {
    pub(super) fn unknown_header(name: &str) -> Self {
        Self::UnknownHeader(FormError::printable(name))
    }

    pub(crate) fn row(&self) -> Row {
        match self {
            Self::Empty => T::EmptyContent.says("The content is empty, so nothing was saved. Send text as the body, as \
                in `cmd | curl --data-binary @- URL`, in the form field `file`, or in JSON as `content` or `text`.")
                .on_page("The text is empty. Write something first."),
            Self::Form(error) => error.row(),
            Self::OfForm(error) => {
                let row = error.row();
                let sentence = row.sentence.trim_end_matches('.');
                row.problem_type.says(format!("{sentence}; `curl -T - URL` saves the body as it is."))
            }
            Self::Member(error) => error.row(),
            Self::Query => T::MalformedRequest.says("The query in the URL is malformed. Write it as `name=value`, \
                percent-encoded and joined by `&`."),
            Self::ContentType => T::MalformedRequest.says("The Content-Type is sent more than once, or is not ASCII. \
                Send it once, as in `Content-Type: text/plain`."),
            Self::Expiry(error) => T::InvalidValue.says(format!("The expiry {error}. Send `expires` as a number with \
                the unit `s`, `m`, `h`, `d` or `w`, as in `24h` or `7d`.")),
            Self::ExpiryPassed => T::InvalidValue.says("The expiry is in the past. Send `expires` as a later time in \
                milliseconds since 1970, or as a time such as `7d`."),
            Self::UnknownHeader(name) => T::UnknownName.says(format!("The header `{name}` has no effect here, so \
                nothing was saved. Use `X-Expires`, `X-Burn` or `X-Password`, or remove it.")),
            Self::ExpiryTooLong(Expiry::Never) => T::InvalidValue.says("The expiry is too long. Send `expires` as \
                `never`, or as a shorter time such as `7d`."),
            Self::ExpiryTooLong(longest) => {
                let words = longest.in_words();
                T::InvalidValue.says(format!("The expiry is longer than the limit of {words}. Send `expires` as \
                    `{longest}` or less."))
            }
            Self::NeverNotAllowed(longest) => T::InvalidValue.says(format!("`expires=never` is not allowed here. Use \
                `{longest}` or less.")),
            Self::Lines => T::InvalidValue.says("`lines` is not a range of lines. Use `lines=10-20`, or `lines=10` for \
                one line."),
            Self::NoQuery => T::UnknownName.says("This URL takes no options in its query. Remove them; for some of the \
                lines, read `/raw/ID?lines=10-20`."),
            Self::Host => T::MalformedRequest.says("The Host header is not a valid host name. Send the name and port \
                that you connected to."),
            Self::Reads => T::InvalidValue.says("`burn` is not a number from 1 to 100. Use `burn=1` to delete the \
                paste after one view."),
            Self::OwnerSecret => T::InvalidValue.says("The owner's secret is malformed. Use `tbo_` and 22 to 128 \
                random letters or digits, as from `openssl rand -hex 16`."),
            Self::MisplacedSecret => T::InvalidValue.says("This `Authorization` is mistyped. Send a whole key as \
                `Authorization: Bearer tbk_…`, or an owner's secret as `Authorization: Bearer tbo_…`."),
            Self::Cursor => T::InvalidValue.says("`cursor` is not a number. Use the `next` of the page before."),
            Self::Selection => T::InvalidValue.says("Name 1 to 50 pastes as `id`, and what to do as `do`: `delete`, or \
                `extend` with `expires`.")
                .on_page("Nothing is selected. Select at least one paste, then try again."),
            Self::Password(PasswordError::Empty) => T::InvalidValue.says("`password` is empty. Send 1 to 1024 bytes, \
                or remove it."),
            Self::Password(PasswordError::TooLong) => T::InvalidValue.says("`password` is too long. Send 1 to 1024 \
                bytes."),
            Self::Note(NoteError::Empty) => T::InvalidValue.says("`reason` is missing. Say in up to 300 characters \
                what is wrong with the paste."),
            Self::Note(NoteError::TooLong) => T::InvalidValue.says("`reason` is too long. Send at most 300 \
                characters."),
            Self::Slug(SlugError::NotASlug) => T::InvalidValue.says("`slug` is not valid. Send 3 to 64 characters of \
                `a` to `z`, `0` to `9` and `-`."),
            Self::Slug(SlugError::LikeAnId) => T::InvalidValue.says("`slug` has 12 characters, as the random ids have. \
                Send a longer or a shorter one."),
            Self::Slug(SlugError::Reserved) => T::InvalidValue.says("This `slug` is a page of this server, or reserved \
                for one. Choose another one."),
            Self::Flag(name) => T::InvalidValue.says(format!("The value of `{name}` is not valid. Send `1`, or remove \
                it.")),
            Self::Address => T::InvalidValue.says("This is not the address of a paste here, so nothing was changed. \
                Send its whole URL, or its id or slug alone."),
            Self::Hash => T::InvalidValue.says("This is not a SHA-256. Send the 64 hexadecimal digits that `sha256sum \
                FILE` prints."),
            Self::Act => T::InvalidValue.says("Name an `act`: `remove`, `dismiss`, `block` or `unblock`."),
            Self::Forget => T::InvalidValue.says("This forgets a browser. A secret or a key stays valid; send \
                `pastes=1` to delete its pastes."),
        }
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
