//! The sentence of each error: first the cause, then the next step.
//!
//! Invariants: a sentence repeats nothing that a client sent except the name of an option. So a crafted link cannot
//! make this server show foreign text.

use std::borrow::Cow;

use super::ApiError;
use crate::app::{ForbiddenChange, LinkError};
use crate::config::ByteSize;
use crate::overload::MAX_PAUSES_PER_CLIENT;
use crate::store::Reason;

impl ApiError {
    pub(crate) fn sentence(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::TooLarge(limit) => {
                let limit = ByteSize(*limit);
                return format!("This is more than {limit}, the most that is taken here: send less, or compress it first.").into();
            }
            Self::Compressed => "No body is unpacked here: send it without Content-Encoding.",
            Self::Partial => "A part would replace all: send the whole without Content-Range.",
            Self::NotText => {
                "This paste is not text and cannot be edited here: download it instead."
            }
            Self::NoSuchLines => "The paste has fewer lines than that: ask for an earlier range.",
            Self::NoSuchRange(_) => {
                "The paste has fewer bytes than that: ask for an earlier range."
            }
            Self::Interrupted => "The body ended too early and nothing was kept: send it again.",
            Self::NoAction => {
                "Say in a form what to do with this paste: `delete`, `title` or `expires`; to read it send no option, in the \
                 query neither, but a password as `X-Password`."
            }
            Self::ExtraFields => {
                "A form changes `title` and `expires` alone, and nothing was changed: leave out everything else in it, the \
                 headers and the query, or send new content with `curl -T`."
            }
            Self::Missing => {
                "There is no such paste here: check the address for a missing or mistyped character."
            }
            Self::Gone(reason) => why(*reason),
            Self::PostRequired { locked: false } => {
                "This paste may be read only so often, so no GET shows it: read it with `curl -X POST URL`."
            }
            Self::PostRequired { locked: true } => {
                "This paste is locked and may be read only so often: read it with `curl -X POST -H 'X-Password: …' URL`."
            }
            Self::NoPassword => {
                "This paste is locked: send its password, as in `curl -H 'X-Password: …' URL`."
            }
            Self::WrongPassword => {
                "This is not the password of this paste: ask whoever gave you its address for it."
            }
            Self::PreconditionFailed => {
                "This paste is not, or is no longer, what `If-Match` names: read it again, then change that."
            }
            Self::Changed => "This paste was changed at this very moment: ask for it again.",
            Self::NotALink => "This is no short link: leave out the `+` to read it.",
            Self::NoLinks => {
                "Short links are not saved here: save the address as a text in `file` instead."
            }
            Self::Request(error) => return error.to_string().into(),
            Self::Link(error) => return of_link(*error),
            Self::Forbidden(change) => of_change(*change),
            Self::NoToken => "This needs the token that came with the paste: send it as `X-Token`.",
            Self::WrongToken => {
                "This is not the token of this paste: send the X-Token that came when it was saved."
            }
            Self::NotOperator => {
                "This bearer token is not the operator's: send the right one, or the paste's own token as `X-Token`."
            }
            Self::Denied => {
                "Your network is shut out here: use another, or ask whoever runs this server to let it in."
            }
            Self::Method(allowed) => {
                return format!("This address does not take that method: use one of {allowed}.")
                    .into();
            }
            Self::Unavailable => "No free address was found just now: try again in a second.",
            Self::RateLimitExceeded(exceeded) => return exceeded.sentence().into(),
            Self::TooSlow => {
                "The body came too slowly and nothing was kept: send it at 1 KiB a second or more, or in chunks."
            }
            Self::TooManyPauses => {
                return format!("This upload pauses, as {MAX_PAUSES_PER_CLIENT} of yours or too many of your network do already, and nothing was kept: finish one of those first.").into();
            }
            Self::OverShare => {
                "Too many of your transfers are under way: wait for one of them to end, then try again."
            }
            Self::Overloaded => {
                "There is too much to do just now and nothing was kept: try again in 2 seconds."
            }
        })
    }
}

/// The reason why the paste was removed, and the next step for the client.
fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::Expired => {
            "This paste is gone, its time had come: ask whoever gave you its address to save it again."
        }
        Reason::Burned => {
            "This paste is gone, it burned with its last read: ask whoever gave you its address to save it again."
        }
        Reason::Deleted => {
            "This paste is gone, whoever saved it deleted it: ask them if you need it."
        }
        Reason::RemovedByOperator => {
            "This paste was removed by the operator of this server. Contact the operator if you think this is a mistake."
        }
        Reason::Evicted => {
            "This paste is gone, it made room for newer ones: ask whoever gave you its address to save it again."
        }
    }
}

fn of_link(error: LinkError) -> Cow<'static, str> {
    Cow::Borrowed(match error {
        LinkError::Burns => {
            "A short link cannot burn: leave out `burn`, or save the address as a text in `file`."
        }
        LinkError::Protected => {
            "A short link cannot be locked: leave out `password`, or save the address as a text in `file`."
        }
        LinkError::Target(error) => return error.to_string().into(),
        LinkError::LeadsHere => {
            "`url` is an address of this server: shorten what is elsewhere, and hand on what is here as it is."
        }
    })
}

fn of_change(change: ForbiddenChange) -> &'static str {
    match change {
        ForbiddenChange::LinkTarget => {
            "Where a short link leads does not change: delete it and save another."
        }
        ForbiddenChange::Reads => {
            "How often a paste may be read does not change: leave out `burn`, or delete it and save another."
        }
        ForbiddenChange::Protect => {
            "A paste that was saved without a password stays so: leave out `password`, or delete it and save another."
        }
        ForbiddenChange::Unprotect => {
            "This paste is locked: send the password that its new content is to have as `X-Password`, the same or another."
        }
        ForbiddenChange::EncryptedTitle => {
            "The title of a locked paste is sealed with its content: send both anew, with the password."
        }
    }
}
