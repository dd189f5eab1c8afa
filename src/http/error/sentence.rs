//! The sentence of each error: first the cause, then the next step.
//!
//! Invariants: a sentence repeats nothing that a client sent except the name of an option and the letters of a unit. So
//! a crafted link cannot make this server show foreign text. `http::tests::every_sentence` lists all sentences.

use std::borrow::Cow;

use super::{ApiError, NotComparable};
use crate::app::{ForbiddenChange, LinkError};
use crate::config::ByteSize;
use crate::http::request::RequestError;
use crate::http::request::form::FormError;
use crate::overload::MAX_PAUSES_PER_CLIENT;
use crate::store::{Blocks, Reason};

const NOTHING_HERE: &str = "There is nothing at this URL. Check it for typos.";
const NOTHING_SAVED: &str = "There is no paste at this URL, and nothing was saved. To save one, use `curl -T FILE URL` with the server's address \
     and a final slash, or send JSON to `/api/v1/pastes`.";
const DISK_FULL: &str =
    "The server's storage is full, so nothing was saved. Try again later, or tell the operator.";
const STORAGE_FAILED: &str = "The paste cannot be read from or written to the server's storage, so this request was not completed. Try again; \
     if that fails too, tell the operator: the paste may be damaged.";
const STORAGE_UNAVAILABLE: &str = "The storage of the pastes does not answer right now, so it is not known whether this request was completed. \
     Try again in 1 second.";
const OVERLOADED: &str =
    "The server is too busy right now and did not complete this request. Try again in 2 seconds.";
const FORM_TOO_LARGE: &str = "The form for this paste is too large. To save a new paste, leave the id out of the URL; to replace this one, \
     use `curl -T` with its token.";
const MOSTLY_FRAMING: &str = "The chunks of the upload have extensions or trailers that are far longer than their data. Send them without.";
const NO_ACTION: &str = "The request does not say what to do with this paste. To change it, send a form with `title`, `lang`, `expires` \
     or `delete`; to open it, send no options except a password.";
const EXTRA_FIELDS: &str = "A form can change only `title`, `lang` and `expires`, so nothing was changed. Remove all other fields and options, \
     or send new content with `curl -T`.";
const MISSING: &str = "There is no paste at this URL. Check it for typos; if it is correct, the paste was removed some time ago, or \
     the server restarted and keeps pastes in memory only.";
const TOO_SLOW: &str = "The upload was too slow, so nothing was saved. Send at least 1 KiB per second, or use chunked transfer \
     encoding.";
const NO_TOKEN: &str = "Only the owner can do this. Send the paste's token as `X-Token`; it came in the response to the save.";
const WRONG_TOKEN: &str = "This token or secret does not belong to this paste. Send the `X-Token` from the response to its save, or the secret \
     that saved it.";
const NO_PASSWORD: &str = "This paste is password-protected. Send the password as in `curl -F 'password=<pw.txt' URL`, or as \
     `X-Password`.";
const NO_PASSWORD_MEMBER: &str = "This paste is password-protected. Send `{\"password\": \"…\"}` to its `read_url`, or the password as \
     `X-Password`.";
const NO_OWNER: &str = "This is the list of an owner. Send `Authorization: Bearer` and the secret with which you saved the pastes.";
const NOT_OPERATOR: &str = "The bearer token is not the operator's. Send the correct one, or for a paste its own token as `X-Token`.";
const BLOCKED: &str = "The operator of this server blocks this content. Contact the operator if you think this is a mistake.";
const SLUG_TAKEN: &str = "This `slug` is taken, or was until a day ago, so nothing was saved. Choose another one, or change the paste \
     that has it.";
const CONTENT_UNKNOWN: &str = "This paste is password-protected, so its content is not known and nothing was changed. Remove it without \
     blocking, or block the SHA-256 of its content.";
const NOT_A_LINK: &str = "This paste is not a short link. Open its URL without the `+` at the end.";
const OVER_SHARE: &str = "You or your network have too many requests in progress. Wait until one of them has finished, then try again.";

impl ApiError {
    pub(crate) fn sentence(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::TooLarge(limit) => {
                let limit = ByteSize(*limit);
                return format!("The content is larger than the limit of {limit}. Split it, or send it as a `.gz` file.").into();
            }
            Self::FormTooLarge => FORM_TOO_LARGE,
            Self::MostlyFraming => MOSTLY_FRAMING,
            Self::Compressed => {
                "Compressed uploads are not supported. Send the file without Content-Encoding."
            }
            Self::Partial => {
                "Partial uploads are not supported. Send the whole file without Content-Range."
            }
            Self::NotText => {
                "This paste is not text, so it cannot be edited here. Download it instead."
            }
            Self::NoSuchLines => "The paste has fewer lines than that. Request an earlier range.",
            Self::NoSuchRange(_) => {
                "The paste has fewer bytes than that. Request an earlier range."
            }
            Self::Interrupted => "The upload ended too early, so nothing was saved. Send it again.",
            Self::NoAction => NO_ACTION,
            Self::ExtraFields => EXTRA_FIELDS,
            Self::Missing => MISSING,
            Self::NothingHere => NOTHING_HERE,
            Self::NothingSaved => NOTHING_SAVED,
            Self::OutsideBasePath(url) => return outside_base_path(url).into(),
            Self::Gone(reason) => why(*reason),
            Self::PostRequired { locked: false } => {
                "This paste burns after reading. Open it with `curl -X POST URL`, which uses up one view."
            }
            Self::PostRequired { locked: true } => {
                "This paste is password-protected and burns after reading. Open it with \
                 `curl -F 'password=<pw.txt' URL`."
            }
            Self::NoPassword => NO_PASSWORD,
            Self::NoPasswordMember => NO_PASSWORD_MEMBER,
            Self::WrongPassword => {
                "The password is wrong. Check it for typos, or ask the person who shared the paste."
            }
            Self::PreconditionFailed => {
                "The content of this paste does not match `If-Match`. Read the paste again, then retry."
            }
            Self::Changed => {
                "The paste was changed while it was being read. Send the request again."
            }
            Self::NotALink => NOT_A_LINK,
            Self::NotComparable(reason) => why_not_comparable(*reason),
            Self::NoLinks => {
                "Short links are turned off on this server. Save the URL as text in `file` instead."
            }
            Self::Request(error) => return error.to_string().into(),
            Self::Link(error) => return of_link(*error),
            Self::Forbidden(change) => of_change(*change),
            Self::NoToken => NO_TOKEN,
            Self::NoOwner => NO_OWNER,
            Self::WrongToken => WRONG_TOKEN,
            Self::OperatorOnly => "For the operator alone. Send the operator's bearer token.",
            Self::NotOperator => NOT_OPERATOR,
            Self::MayNotBlock => {
                "Only the operator can block. Remove `block` to delete your paste."
            }
            Self::Access(error) => error.sentence(),
            Self::WrongOperatorPassword => {
                "This is not the operator's token. Check it for typos, then send it again."
            }
            Self::SlugTaken => SLUG_TAKEN,
            Self::Blocked => BLOCKED,
            Self::ContentUnknown => CONTENT_UNKNOWN,
            Self::TooManyBlocks => {
                return format!("The list of blocked contents is full ({} entries), so nothing was changed. Unblock one, then try again.", Blocks::MOST).into();
            }
            Self::NotListed => {
                "There is no such entry on the list, so nothing was changed. Load the list again."
            }
            Self::Denied => {
                "The operator of this server blocks your network. Use another network, or ask the operator for access."
            }
            Self::Method(allowed) => {
                return format!(
                    "This URL does not support that method. Use one of these: {allowed}."
                )
                .into();
            }
            Self::Unavailable => {
                "The server could not complete the request, and nothing was saved. Try again in 1 second."
            }
            Self::DiskFull => DISK_FULL,
            Self::StorageFailed => STORAGE_FAILED,
            Self::StorageUnavailable => STORAGE_UNAVAILABLE,
            Self::RateLimitExceeded(exceeded) => return exceeded.sentence().into(),
            Self::TooSlow => TOO_SLOW,
            Self::TooManyPauses => {
                return format!("The upload was cancelled: you or your network have too many paused uploads (limit: {MAX_PAUSES_PER_CLIENT} per client). Finish one of them, then try again.").into();
            }
            Self::OverShare => OVER_SHARE,
            Self::Overloaded => OVERLOADED,
        })
    }

    /// The sentence on a page. It names no command and no header if the page has a form for the same purpose.
    pub(crate) fn page_sentence(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Request(RequestError::Empty | RequestError::Form(FormError::NoContent)) => {
                "The text is empty. Write something first."
            }
            Self::Request(RequestError::Selection) => {
                "Nothing is selected. Select at least one paste, then try again."
            }
            Self::NoOwner => {
                "This browser is not the owner of any paste here. It becomes one when it saves a paste."
            }
            Self::OperatorOnly => {
                "For the operator alone. Reload the page, and enter the operator's token as the password."
            }
            Self::NoToken => {
                "Only the owner can do this. Enter the token you got when you saved this paste."
            }
            Self::Access(error) => error.page_sentence(),
            Self::WrongToken => "This token does not belong to this paste. Check it and try again.",
            _ => return self.sentence(),
        })
    }
}

/// A link can lead here, and so can a reverse proxy that removes the base path.
fn outside_base_path(url: &str) -> String {
    format!("There is nothing at this URL. The URLs of this server start with `{url}/`.")
}

/// The reason why the paste was removed, and the next step for the client.
fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::Expired => "This paste has expired. Ask the person who shared it to save it again.",
        Reason::Burned => {
            "This paste was deleted after its last view. Ask the person who shared it to save it again."
        }
        Reason::Deleted => {
            "This paste was deleted by its owner. Ask the person who shared it if you still need it."
        }
        Reason::RemovedByOperator => {
            "This paste was removed by the operator of this server. Contact the operator if you think this is a mistake."
        }
        Reason::Evicted => {
            "This paste was deleted to make room. Ask the person who shared it to save it again."
        }
    }
}

fn why_not_comparable(reason: NotComparable) -> &'static str {
    match reason {
        NotComparable::Protected => {
            "One of these pastes burns after reading or has a password, so it cannot be compared. Open it by its own URL."
        }
        NotComparable::Link => {
            "One of these pastes is a short link, so there is no text to compare. Choose another paste."
        }
        NotComparable::Binary => {
            "One of these pastes is not text, so it cannot be compared here. Download both instead."
        }
        NotComparable::TooLarge => {
            "One of these pastes has more than 4 MiB or 100,000 lines, so it cannot be compared here. Download both instead."
        }
    }
}

fn of_link(error: LinkError) -> Cow<'static, str> {
    Cow::Borrowed(match error {
        LinkError::Burns => {
            "A short link cannot burn after reading. Remove `burn`, or save the URL as text in `file`."
        }
        LinkError::Protected => {
            "A short link cannot have a password. Remove `password`, or save the URL as text in `file`."
        }
        LinkError::Target(error) => return error.to_string().into(),
        LinkError::LeadsHere => {
            "`url` points to this server. Share that URL as it is, or shorten a URL of another site."
        }
    })
}

fn of_change(change: ForbiddenChange) -> &'static str {
    match change {
        ForbiddenChange::LinkTarget => {
            "The target of a short link cannot be changed. Delete the link and save a new one."
        }
        ForbiddenChange::Reads => {
            "The number of views of a paste cannot be changed. Remove `burn`, or delete the paste and save a new one."
        }
        ForbiddenChange::Slug => {
            "The address of a paste cannot be changed. Remove `slug`, or save a new paste with it."
        }
        ForbiddenChange::Protect => {
            "A password cannot be added to an existing paste. Remove `password`, or delete the paste and save a new one."
        }
        ForbiddenChange::Unprotect => {
            "This paste is password-protected. Send a password for its new content as `X-Password`, the old one or a new one."
        }
        ForbiddenChange::EncryptedTitle => {
            "The title of a password-protected paste is encrypted with its content. Send both together, with the password."
        }
    }
}
