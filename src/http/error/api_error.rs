//! The errors of requests: a closed set, each with its row.
//!
//! An error that other code has to know is a variant and a row. The errors of a malformed request have theirs in
//! `http::request`. Any other error is a row where it happens, as in `Err(T::InvalidValue.says("…"))?`.
//! Invariants: a sentence repeats nothing that a client sent except the name of an option and the letters of a unit. So
//! a crafted link cannot make this server show foreign text.

use actix_web::http::header::{ALLOW, CONTENT_RANGE, RETRY_AFTER, WWW_AUTHENTICATE};

use super::{AccessError, RateLimitExceeded};
use crate::app::{AppError, ForbiddenChange, LinkError, Unauthorized};
use crate::config::ByteSize;
use crate::date::Utc;
use crate::http::problem::{ProblemType as T, Row, Step};
use crate::http::request::{Method, RequestError};
use crate::overload::{MAX_PAUSES_PER_CLIENT, QuotaError};
use crate::paste::{Access, SizeError, Timestamp};
use crate::store::{Block, Reason, StoreError};

/// Makes a browser ask for a name and a password (RFC 7617). The name does not matter.
const OPERATOR_CHALLENGE: &str = "Basic realm=\"tidebin operator\", charset=\"UTF-8\"";

/// The reason why a request was rejected.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::From)]
pub(crate) enum ApiError {
    /// The request is malformed.
    #[from]
    Request(RequestError),
    /// An error that no other code has to know, such as those of another pastebin's API.
    #[from(Row)]
    Plain(Box<Row>),
    /// The store refused or failed.
    #[from]
    Store(StoreError),
    /// The client may not act on the paste.
    #[from]
    Unauthorized(Unauthorized),
    /// The short link cannot be saved.
    #[from]
    Link(LinkError),
    /// The paste does not allow this change.
    #[from]
    Forbidden(ForbiddenChange),
    /// The content is too large; holds the limit in bytes.
    TooLarge(usize),
    /// The form for an existing paste is too large.
    FormTooLarge,
    /// The body is small compared with the extensions and trailers of its chunks.
    MostlyFraming,
    /// The body is compressed.
    Compressed,
    /// The body is partial: it has a Content-Range.
    Partial,
    /// The paste is binary and cannot be edited as text.
    NotText,
    /// The range of lines starts after the last line.
    NoSuchLines,
    /// The paste has no file of this name.
    NoSuchFile,
    /// The paste burns, so its files are not read one by one.
    FilesBurn,
    /// The byte range starts after the last byte; holds the length in bytes.
    NoSuchRange(usize),
    /// The body ended early.
    Interrupted,
    /// The form names no action on the paste.
    NoAction,
    /// The form changes a paste and has other fields or options too, which a form cannot change.
    ExtraFields,
    /// As [`StoreError::Gone`], for the owner, with the time.
    Ended(Reason, Timestamp),
    /// As [`StoreError::NotFound`], on a server that keeps its pastes in memory alone.
    LostInRestart,
    /// There is no such route, and no paste can have this URL.
    NothingHere,
    /// The request probably should save a paste, but its URL is neither a paste nor a route that saves.
    NothingSaved,
    /// The path is not below the base path of the server; holds the server's URL.
    OutsideBasePath(String),
    /// The paste burns, and the method is not POST. Only a POST uses up a read.
    PostRequired {
        /// Whether the paste needs a password as well.
        locked: bool,
    },
    /// The paste is protected, and no password was sent.
    NoPassword,
    /// The same for a client of the JSON API.
    NoPasswordMember,
    WrongPassword,
    /// A preview was requested of a paste that is not a short link.
    NotALink,
    /// This server saves no short links.
    NoLinks,
    /// One of two pastes cannot be compared.
    NotComparable(NotComparable),
    /// The list is that of an owner, and the request shows none.
    NoOwner,
    /// The client may not use the route, whatever paste it names.
    #[from]
    Access(AccessError),
    /// Only the operator may do this, and no bearer token was sent.
    OperatorOnly,
    /// The password with which a browser shows that its user is the operator is wrong.
    WrongOperatorPassword,
    /// Another paste has the slug, or had it until a day ago.
    SlugTaken,
    /// The operator blocks this content.
    Blocked,
    /// The content was encrypted before it was sent, and this server saves none such.
    EncryptionOff,
    /// The content of the paste is encrypted, so the operator cannot block it.
    ContentUnknown,
    /// The operator blocks the client's network.
    Denied,
    /// The route does not support the method; holds the value of Allow.
    Method(String),
    /// No free id was found, or the operating system gave no random bytes.
    Unavailable,
    /// The body arrived too slowly.
    TooSlow,
    /// The upload pauses, or the request waits, but its client or network already has as many of these as allowed.
    TooManyPauses,
    /// The client or its network exceeds its share of the resources.
    OverShare,
    /// The server is overloaded.
    Overloaded,
    RateLimitExceeded(RateLimitExceeded),
}

/// The reason why a paste cannot be compared with another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotComparable {
    /// It burns or has a password.
    Protected,
    /// It is a short link.
    Link,
    Binary,
    /// It has too many bytes or lines.
    TooLarge,
}

impl ApiError {
    /// The error for a method that a route does not support. An unknown route supports none.
    pub(crate) fn unsupported(supported: &[Method], method: Method) -> Self {
        match (Method::names(supported), method) {
            (names, _) if !names.is_empty() => Self::Method(names),
            (_, Method::Post | Method::Put) => Self::NothingSaved,
            (_, _) => Self::NothingHere,
        }
    }

    /// The error of a plain GET of a paste that burns or is protected.
    pub(crate) fn protected(access: Access) -> Self {
        match access {
            Access::Burn(_) => Self::PostRequired { locked: false },
            Access::Locked(Some(_)) => Self::PostRequired { locked: true },
            Access::Open | Access::Link | Access::Locked(None) => Self::NoPassword,
        }
    }

    /// The error of content that cannot be saved; `max` is the size limit of a paste in bytes.
    pub(crate) fn content(error: SizeError, max: usize) -> Self {
        match error {
            SizeError::Empty => Self::Request(RequestError::Empty),
            SizeError::TooLarge => Self::TooLarge(max),
        }
    }

    /// Returns whether the client may be guessing: it asked for a slug that another paste has, or sent a wrong token
    /// or key.
    pub(crate) fn is_wrong_guess(&self) -> bool {
        match self {
            Self::Unauthorized(error) => match error {
                Unauthorized::WrongToken | Unauthorized::NotOperator => true,
                Unauthorized::NoToken | Unauthorized::MayNotBlock => false,
            },
            Self::Access(error) => error.is_wrong_key(),
            error => matches!(error, Self::SlugTaken | Self::WrongOperatorPassword),
        }
    }

    /// What a client meets.
    #[expect(clippy::too_many_lines, reason = "one table")]
    pub(crate) fn row(&self) -> Row {
        match self {
            Self::Request(error) => error.row(),
            Self::Plain(row) => Row::clone(row),
            Self::Link(LinkError::Burns) => T::InvalidLink.says("A short link cannot burn after reading. Remove \
                `burn`, or save the URL as text in `file`."),
            Self::Link(LinkError::Protected) => T::InvalidLink.says("A short link cannot have a password. Remove \
                `password`, or save the URL as text in `file`."),
            Self::Link(LinkError::Target(error)) => T::InvalidLink.says(error.to_string()),
            Self::Link(LinkError::LeadsHere) => T::InvalidLink.says("`url` points to this server. Share that URL as it \
                is, or shorten a URL of another site."),
            Self::Forbidden(ForbiddenChange::LinkTarget) => T::ForbiddenChange.says("The target of a short link cannot \
                be changed. Delete the link and save a new one."),
            Self::Forbidden(ForbiddenChange::Reads) => T::ForbiddenChange.says("The number of views of a paste cannot \
                be changed. Remove `burn`, or delete the paste and save a new one."),
            Self::Forbidden(ForbiddenChange::Slug) => T::ForbiddenChange.says("The address of a paste cannot be \
                changed. Remove `slug`, or save a new paste with it."),
            Self::Forbidden(ForbiddenChange::Protect) => T::ForbiddenChange.says("A password cannot be added to an \
                existing paste. Remove `password`, or delete the paste and save a new one."),
            Self::Forbidden(ForbiddenChange::Unprotect) => T::ForbiddenChange.says("This paste is password-protected. \
                Send a password for its new content as `X-Password`, the old one or a new one."),
            Self::Forbidden(ForbiddenChange::EncryptedTitle) => T::ForbiddenChange.says("The title of a \
                password-protected paste is encrypted with its content. Send both together, with the password."),
            Self::Forbidden(ForbiddenChange::Sealed) => T::ForbiddenChange.says("A paste that was encrypted in a browser is \
                not edited here. Open its link, and clone it into a new paste."),
            Self::Forbidden(ForbiddenChange::Answered) => T::Answered.says("This question was answered already, or there is \
                none here. Ask the person who sent you the link for another one."),
            Self::ExtraFields => T::ForbiddenChange.says("A form can change only `title`, `lang` and `expires`, so \
                nothing was changed. Remove all other fields and options, or send new content with `curl -T`."),
            Self::TooLarge(limit) | Self::Store(StoreError::TooLarge(limit)) => {
                let limit = ByteSize(*limit);
                T::TooLarge.says(format!("The content is larger than the limit of {limit}. Split it, or send it as a \
                    `.gz` file."))
            }
            Self::FormTooLarge => T::TooLarge.says("The form for this paste is too large. To save a new paste, leave \
                the id out of the URL; to replace this one, use `curl -T` with its token."),
            Self::MostlyFraming => T::TooLarge.says("The chunks of the upload have extensions or trailers that are far \
                longer than their data. Send them without."),
            Self::Compressed => T::Compressed.says("Compressed uploads are not supported. Send the file without \
                Content-Encoding."),
            Self::Partial => T::PartialUpload.says("Partial uploads are not supported. Send the whole file without \
                Content-Range."),
            Self::NotText => T::NotText.says("This paste is neither a text in UTF-8 nor files that were saved as such, so \
                it cannot be edited here. Download it instead."),
            Self::NoSuchLines => T::NoSuchLines.says("The paste has fewer lines than that. Request an earlier range."),
            Self::NoSuchFile => T::NoSuchFile.says("The paste has no file of this name. Its page lists the files it has."),
            Self::FilesBurn => T::NoSuchFile.says("This paste burns, so it gives out all its files at once. Leave the \
                name of the file out of the URL."),
            Self::NoSuchRange(length) => T::NoSuchRange.says("The paste has fewer bytes than that. Request an earlier \
                range.")
                .header(CONTENT_RANGE, format!("bytes */{length}")),
            Self::Interrupted => T::Interrupted.says("The upload ended too early, so nothing was saved. Send it \
                again."),
            Self::NoAction => T::NoAction.says("The request does not say what to do with this paste. To change it, \
                send a form with `title`, `lang`, `expires` or `delete`; to open it, send no options except a \
                password."),
            Self::Store(StoreError::ContentChanged) => T::PreconditionFailed.says("The content of this paste does not \
                match `If-Match`. Read the paste again, then retry."),
            Self::Store(StoreError::NotFound) => T::NotFound.says("There is no paste at this URL. Check it for typos; \
                if it is correct, the paste may have expired, been deleted, or made room for others."),
            Self::LostInRestart => T::NotFound.says("There is no paste at this URL. Check it for typos; if it is \
                correct, the paste may have expired, been deleted, made room for others, or been lost in a restart."),
            Self::NothingHere => T::NotFound.says("There is nothing at this URL. Check it for typos."),
            Self::NothingSaved => T::NotFound.says("There is no paste at this URL, and nothing was saved. To save one, \
                use `curl -T FILE URL` with the server's address and a final slash, or send JSON to `/api/v1/pastes`."),
            Self::OutsideBasePath(url) => T::NotFound.says(format!("There is nothing at this URL. The URLs of this \
                server start with `{url}/`.")),
            Self::Store(StoreError::Gone(Reason::Expired)) => T::Gone.says("This paste has expired. Ask the person who \
                shared it to save it again."),
            Self::Store(StoreError::Gone(Reason::Burned)) => T::Gone.says("This paste was deleted after its last view. \
                If it was not you, someone else has read it: tell the sender."),
            Self::Store(StoreError::Gone(Reason::Deleted)) => T::Gone.says("This paste was deleted by its owner. Ask \
                the person who shared it if you still need it."),
            Self::Store(StoreError::Gone(Reason::RemovedByOperator)) => T::Gone.says("This paste was removed by the \
                operator of this server. Contact the operator if you think this is a mistake."),
            Self::Store(StoreError::Gone(Reason::Evicted)) => T::Gone.says("This paste was deleted to make room. Ask \
                the person who shared it to save it again."),
            Self::Ended(reason, at) => {
                let at = Utc::from_epoch_millis(at.as_millis()).in_words();
                let minute = &at[..at.len() - ":00 UTC".len()];
                match reason {
                    Reason::Burned => T::Gone.says(format!("This paste was fetched for the last time, by someone with its link, \
                        and deleted on {minute} UTC. If that was not the person you sent it to, others know what was in it.")),
                    _ => T::Gone.says(format!("This paste was deleted on {minute} UTC. Save it again if it is still needed.")),
                }
            }
            Self::PostRequired { locked: false } => T::PostRequired.says("This paste burns after reading. Open it with \
                `curl -X POST URL`, which uses up one view.")
                .header(ALLOW, "POST, DELETE"),
            Self::PostRequired { locked: true } => T::PostRequired.says("This paste is password-protected and burns \
                after reading. Open it with `curl -F 'password=<pw.txt' URL`.")
                .header(ALLOW, "POST, DELETE"),
            Self::NoPassword => T::PasswordRequired.says("This paste is password-protected. Send the password as in \
                `curl -F 'password=<pw.txt' URL`, or as `X-Password`.")
                .header(WWW_AUTHENTICATE, "X-Password"),
            Self::NoPasswordMember => T::PasswordRequired.says("This paste is password-protected. Send `{\"password\": \
                \"…\"}` to its `read_url`, or the password as `X-Password`.")
                .header(WWW_AUTHENTICATE, "X-Password"),
            Self::WrongPassword => T::WrongPassword.says("The password is wrong. Check it for typos, or ask the person \
                who shared the paste.")
                .header(WWW_AUTHENTICATE, "X-Password"),
            Self::Store(StoreError::Changed) => T::Changed.says("The paste was changed while it was being read. Send \
                the request again."),
            Self::NotALink => T::NotALink.says("This paste is not a short link. Open its URL without the `+` at the \
                end."),
            Self::NoLinks => T::LinksOff.says("Short links are turned off on this server. Save the URL as text in \
                `file` instead."),
            Self::NotComparable(NotComparable::Protected) => T::NotComparable.says("One of these pastes burns after \
                reading or has a password, so it cannot be compared. Open it by its own URL."),
            Self::NotComparable(NotComparable::Link) => T::NotComparable.says("One of these pastes is a short link, so \
                there is no text to compare. Choose another paste."),
            Self::NotComparable(NotComparable::Binary) => T::NotComparable.says("One of these pastes is not text, so \
                it cannot be compared here. Download both instead."),
            Self::NotComparable(NotComparable::TooLarge) => T::NotComparable.says("One of these pastes has more than 4 \
                MiB or 100,000 lines, so it cannot be compared here. Download both instead."),
            Self::Unauthorized(Unauthorized::NoToken) => T::TokenRequired.says("Only the owner can do this. Send the \
                paste's token as `X-Token`; it came in the response to the save.")
                .on_page("Only the owner can do this. Enter the token you got when you saved this paste.")
                .header(WWW_AUTHENTICATE, "X-Token"),
            Self::NoOwner => T::TokenRequired.says("This is the list of an owner. Send `Authorization: Bearer` and the \
                owner's secret with which you saved the pastes.")
                .on_page("This browser is not the owner of any paste here. It becomes one when it saves a paste.")
                .header(WWW_AUTHENTICATE, "Bearer"),
            Self::Unauthorized(Unauthorized::WrongToken) => T::WrongToken.says("This token or owner's secret does not \
                belong to this paste. Send the `X-Token` from the response to its save, or the owner's secret that \
                saved it.")
                .on_page("This token does not belong to this paste. Check it and try again."),
            Self::Access(error) => error.row(),
            Self::Unauthorized(Unauthorized::NotOperator) => T::WrongToken.says("This is not the operator's \
                token. Send the correct one, or for a paste its own token as `X-Token`."),
            Self::Unauthorized(Unauthorized::MayNotBlock) => T::WrongToken.says("Only the operator can block. Remove \
                `block` to delete your paste."),
            Self::OperatorOnly => T::TokenRequired.says("For the operator alone. Send the operator's \
                token (`TIDEBIN_ADMIN_TOKEN`) as `Authorization: Bearer`.")
                .on_page("For the operator alone. Reload the page, and enter the operator's token as the password.")
                .heading("Operator only")
                .step(Step::Retry)
                .header(WWW_AUTHENTICATE, OPERATOR_CHALLENGE),
            Self::WrongOperatorPassword => T::TokenRequired.says("This is not the operator's token. Check it for \
                typos, then send it again.")
                .heading("Operator only")
                .step(Step::Retry)
                .header(WWW_AUTHENTICATE, OPERATOR_CHALLENGE),
            Self::SlugTaken => T::SlugTaken.says("This `slug` is taken, or was until a day ago, so nothing was saved. \
                Choose another one, or change the paste that has it."),
            Self::Blocked => T::BlockedContent.says("The operator of this server blocks this content. Contact the \
                operator if you think this is a mistake."),
            Self::EncryptionOff => T::EncryptionOff.says("Encrypted pastes are turned off on this server, so nothing was \
                saved. Save the text itself, or use another server."),
            Self::ContentUnknown => T::UnknownContent.says("This paste is password-protected, so its content is not \
                known and nothing was changed. Remove it without blocking, or block the SHA-256 of its content."),
            Self::Store(StoreError::TooManyBlocks) => {
                let most = Block::MOST;
                T::ListFull.says(format!("The list of blocked contents is full ({most} entries), so nothing was \
                    changed. Unblock one, then try again."))
            }
            Self::Store(StoreError::NotListed) => T::NotFound.says("There is no such entry on the list, so nothing was \
                changed. Load the list again.").step(Step::Correct),
            Self::Denied => T::NetworkDenied.says("The operator of this server blocks your network. Use another \
                network, or ask the operator for access."),
            Self::Method(allowed) => T::MethodNotAllowed.says(format!("This URL does not support that method. Use one \
                of these: {allowed}."))
                .header(ALLOW, allowed.clone()),
            Self::Unavailable | Self::Store(StoreError::IdTaken) => T::Busy.says("The server could not complete the \
                request, and nothing was saved. Try again in 1 second.")
                .header(RETRY_AFTER, "1"),
            Self::Store(StoreError::DiskFull) => T::DiskFull.says("The server's storage is full, so nothing was saved \
                or changed. Try again later, or tell the operator."),
            Self::Store(StoreError::Failed) => T::StorageFailed.says("The paste cannot be read from or written to the \
                server's storage, so this request was not completed. Try again; if that fails too, tell the operator: \
                the paste may be damaged."),
            Self::Store(StoreError::Unavailable) => T::Busy.says("The storage of the pastes does not answer right now. \
                Try again in 1 second; if you saved or changed a paste, look first whether that worked.")
                .header(RETRY_AFTER, "1"),
            Self::TooSlow => T::TooSlow.says("The upload was too slow, so nothing was saved. Send at least 1 KiB per \
                second, or use chunked transfer encoding."),
            Self::TooManyPauses => T::TooManyTransfers.says(format!("You or your network have too many paused uploads \
                and waits (limit: {MAX_PAUSES_PER_CLIENT} per client), so this one has ended. Finish one of them, then \
                try again.")),
            Self::OverShare => T::TooManyTransfers.says("You or your network have too many requests in progress. Wait \
                until one of them has finished, then try again.")
                .header(RETRY_AFTER, "1"),
            Self::Overloaded => T::Busy.says("The server is too busy right now and did not complete this request. Try \
                again in 2 seconds.")
                .header(RETRY_AFTER, "2"),
            Self::RateLimitExceeded(exceeded) => exceeded.row(),
        }
    }
}

impl From<QuotaError> for ApiError {
    fn from(error: QuotaError) -> Self {
        match error {
            QuotaError::OverShare => Self::OverShare,
            QuotaError::Cancelled => Self::Overloaded,
        }
    }
}

impl From<AppError> for ApiError {
    fn from(error: AppError) -> Self {
        match error {
            AppError::Store(error) => Self::Store(error),
            AppError::SlugTaken => Self::SlugTaken,
            AppError::NoRandomBytes => Self::Unavailable,
            AppError::Blocked => Self::Blocked,
            AppError::EncryptionOff => Self::EncryptionOff,
            AppError::ContentUnknown => Self::ContentUnknown,
            AppError::Unauthorized(error) => Self::Unauthorized(error),
            AppError::Forbidden(change) => Self::Forbidden(change),
        }
    }
}
