//! The types of problems (RFC 9457, section 3.1.1), by which a program decides what to do, and what an error of each
//! tells.
//!
//! Invariants: a name never changes its meaning. Each type has one status; only a rate limit has two.

use std::borrow::Cow;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};

/// The type of an exceeded rate limit, from draft-ietf-httpapi-ratelimit-headers.
const QUOTA_EXCEEDED: &str = "https://iana.org/assignments/http-problem-types#quota-exceeded";

/// What is the same for every problem of a type.
pub(crate) struct About {
    /// The fragment of the type's URI.
    pub(crate) name: &'static str,
    pub(crate) status: StatusCode,
    /// The type in words, for programs.
    pub(crate) title: &'static str,
    /// What a person can do.
    pub(crate) step: Step,
    /// The heading of a page.
    pub(crate) heading: &'static str,
    /// What happened, and what a program can do.
    pub(crate) meaning: &'static str,
}

/// What a person who sees the error in a browser can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Change the request.
    Correct,
    /// Send the same request again, which may succeed later.
    Retry,
    LogIn,
    /// Go back to the page of the form.
    Return,
    /// Open the paste, if the request names one. Otherwise change the request.
    Open,
    /// Show all lines of the paste.
    ShowAll,
    /// Write a new paste.
    Leave,
}

/// Generates the types from one table: name, status, step, title, heading and meaning.
macro_rules! problem_types {
    ($($name:literal $variant:ident $status:ident $step:ident $title:literal $heading:literal $meaning:literal)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum ProblemType {
            $($variant,)+
        }

        impl ProblemType {
            pub(crate) const ALL: &[Self] = &[$(Self::$variant),+];

            pub(crate) const fn about(self) -> About {
                let (name, status, step, title, heading, meaning) = match self {
                    $(Self::$variant => ($name, StatusCode::$status, Step::$step, $title, $heading, $meaning),)+
                };
                About { name, status, step, title, heading, meaning }
            }
        }
    };
}

problem_types! {
    "malformed-request" MalformedRequest BAD_REQUEST Correct "Malformed request" "That did not work"
        "The body, the query or the Host header cannot be read. Correct the request."
    "unknown-name" UnknownName BAD_REQUEST Correct "Unknown name" "That did not work"
        "A member, a field, a header or a query option has a name that is not supported. Correct or remove it."
    "repeated-name" RepeatedName BAD_REQUEST Correct "Repeated name" "That did not work"
        "Something is sent twice, perhaps under two names. Send it once."
    "invalid-value" InvalidValue BAD_REQUEST Correct "Invalid value" "That did not work"
        "The value of an option or a member is not allowed. The detail names the allowed values."
    "empty-content" EmptyContent BAD_REQUEST Correct "Empty content" "That did not work"
        "There is no content to save. Send at least one byte."
    "invalid-link" InvalidLink BAD_REQUEST Correct "Invalid link" "That did not work"
        "The target or an option of a short link is not allowed. Correct it, or save the URL as text."
    "no-action" NoAction BAD_REQUEST Correct "No action" "That did not work"
        "The request names nothing to do with the paste. Name a change."
    "forbidden-change" ForbiddenChange BAD_REQUEST Correct "Forbidden change" "That did not work"
        "The paste does not allow this change, and nothing was changed. Save a new paste instead."
    "unknown-content" UnknownContent BAD_REQUEST Correct "Unknown content" "That did not work"
        "The paste has a password, so its content is not known and cannot be blocked. Remove it without a block."
    "not-text" NotText BAD_REQUEST Open "Not text" "That did not work"
        "The paste is binary and cannot be edited as text. Replace its content as a whole."
    "not-comparable" NotComparable BAD_REQUEST Correct "Not comparable" "That did not work"
        "One of the pastes burns, has a password, or is no text of moderate size. The detail says which."
    "partial-upload" PartialUpload BAD_REQUEST Correct "Partial upload" "That did not work"
        "The body has a Content-Range. Send the whole content without it."
    "interrupted" Interrupted BAD_REQUEST Retry "Interrupted upload" "That did not work"
        "The upload ended too early. Send it again."
    "password-required" PasswordRequired UNAUTHORIZED Correct "Password required" "Password or token needed"
        "The paste has a password, and none was sent. Send it in X-Password."
    "wrong-password" WrongPassword UNAUTHORIZED Correct "Wrong password" "Password or token needed"
        "The password is not that of the paste. Attempts are limited."
    "token-required" TokenRequired UNAUTHORIZED Correct "Token required" "Password or token needed"
        "Only the owner or the operator can do this, and no token was sent. The detail says which one to send."
    "wrong-token" WrongToken FORBIDDEN Correct "Wrong token" "Not allowed"
        "The token is not that of the paste, or the bearer token is not the operator's. Attempts are limited."
    "key-required" KeyRequired UNAUTHORIZED LogIn "Key required" "Key needed"
        "Only holders of a key can do this here, and no key was sent. Send it as a bearer token."
    "wrong-key" WrongKey UNAUTHORIZED LogIn "Wrong key" "Key needed"
        "The key is mistyped, revoked or expired. Attempts are limited."
    "key-forbids" KeyForbids FORBIDDEN LogIn "Not allowed by the key" "Not allowed"
        "The key does not give the right that this needs. Ask the operator for another key."
    "cross-site" CrossSite FORBIDDEN Return "Cross-site request" "Not allowed"
        "A page of another site made the browser send this request. Send it from a page of this server."
    "network-denied" NetworkDenied FORBIDDEN Retry "Network denied" "Not allowed"
        "The operator blocks the network of the client."
    "links-off" LinksOff FORBIDDEN Correct "Short links are off" "Not allowed"
        "The operator turned short links off. Save the URL as text."
    "read-only" ReadOnly FORBIDDEN Retry "Read-only" "Not allowed"
        "Saving is turned off on this server for now. Save elsewhere, or try later."
    "encryption-off" EncryptionOff FORBIDDEN Correct "Encrypted pastes are off" "Not allowed"
        "The operator turned pastes off that are encrypted before they are sent. Save the text itself."
    "not-found" NotFound NOT_FOUND Leave "Not found" "Not found"
        "There is nothing at this URL. A paste may have been removed some time ago."
    "no-such-lines" NoSuchLines NOT_FOUND ShowAll "No such lines" "Not found"
        "The range of lines starts after the last line."
    "no-such-file" NoSuchFile NOT_FOUND ShowAll "No such file" "Not found"
        "The paste has no file of this name. Its page lists those it has."
    "not-a-link" NotALink NOT_FOUND Open "Not a short link" "Not found"
        "A preview was requested of a paste that is not a short link. Remove the + from its URL."
    "method-not-allowed" MethodNotAllowed METHOD_NOT_ALLOWED Correct "Method not allowed" "Not possible this way"
        "The URL does not support the method. Use one of those in Allow."
    "post-required" PostRequired METHOD_NOT_ALLOWED Correct "POST required" "Not possible this way"
        "The paste burns after reading, so only a POST reads it. It uses up one view."
    "too-slow" TooSlow REQUEST_TIMEOUT Retry "Upload too slow" "Upload too slow"
        "The body arrived too slowly. Send it again, or in chunks."
    "changed" Changed CONFLICT Retry "Changed meanwhile" "Changed meanwhile"
        "The paste was changed while it was read. Send the request again."
    "answered" Answered CONFLICT Leave "Answered already" "Answered already"
        "The question has its one answer, or the paste is no question. Nothing was saved."
    "slug-taken" SlugTaken CONFLICT Correct "Slug taken" "Address taken"
        "Another paste has this slug, or had it until a day ago, and nothing was saved. Choose another one."
    "list-full" ListFull CONFLICT Retry "List full" "List full"
        "There are as many blocked contents as the server keeps. Unblock one, then try again."
    "gone" Gone GONE Leave "Gone" "No longer available"
        "The paste expired, was read for the last time, or was removed. The detail says which."
    "precondition-failed" PreconditionFailed PRECONDITION_FAILED Correct "Precondition failed" "Changed meanwhile"
        "The content is not the one that If-Match names. Read it again, then decide."
    "too-large" TooLarge PAYLOAD_TOO_LARGE Correct "Too large" "Too large"
        "The content or the form is larger than the limit, which the detail names."
    "compressed" Compressed UNSUPPORTED_MEDIA_TYPE Correct "Compressed upload" "Not supported"
        "The body has a Content-Encoding. Send it without."
    "no-such-range" NoSuchRange RANGE_NOT_SATISFIABLE Correct "No such range" "Past the end"
        "The byte range starts after the last byte. Content-Range has the length."
    "blocked-content" BlockedContent UNAVAILABLE_FOR_LEGAL_REASONS Correct "Blocked content" "Blocked"
        "The operator blocks this content, and nothing was saved. Ask the operator if you think this is a mistake."
    "quota-exceeded" QuotaExceeded TOO_MANY_REQUESTS Retry "Quota exceeded" "Too many requests"
        "A rate limit is exceeded: wait for Retry-After seconds. With status 413, the request is larger than the limit ever allows."
    "too-many-transfers" TooManyTransfers TOO_MANY_REQUESTS Retry "Too many transfers" "Too many requests"
        "The client or its network has too many requests or paused uploads in progress. Finish one, then try again."
    "storage-failed" StorageFailed INTERNAL_SERVER_ERROR Retry "Storage failed" "Disk error"
        "The disk of the server failed. Try again; if that fails too, tell the operator."
    "busy" Busy SERVICE_UNAVAILABLE Retry "Busy" "Busy right now"
        "The server could not complete the request right now. Wait for Retry-After seconds."
    "disk-full" DiskFull INSUFFICIENT_STORAGE Retry "Disk full" "Disk full"
        "The disk of the server is full, and nothing was saved. Try again later."
}

impl ProblemType {
    /// The URI: an anchor of the page `/api`. It is absolute if the server knows its public URL. Otherwise it has only
    /// a path, so that it is the same under every host name.
    pub(crate) fn uri(self, public_url: Option<&str>) -> String {
        match self {
            Self::QuotaExceeded => QUOTA_EXCEEDED.to_owned(),
            _ => [public_url.unwrap_or_default(), "/api#", self.about().name].concat(),
        }
    }

    /// The row of an error of this type with this sentence: first the cause, then the next step.
    pub(crate) fn says(self, sentence: impl Into<Cow<'static, str>>) -> Row {
        let about = self.about();
        Row {
            problem_type: self,
            status: about.status,
            step: about.step,
            heading: about.heading,
            sentence: sentence.into(),
            page_sentence: None,
            headers: Vec::new(),
            record_code: None,
        }
    }
}

/// One header of a response.
pub(crate) type Header = (HeaderName, HeaderValue);

/// An error as a client meets it: a row of the table of errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) problem_type: ProblemType,
    pub(crate) status: StatusCode,
    pub(crate) step: Step,
    /// The heading of a page. Programs get the title of the type instead.
    pub(crate) heading: &'static str,
    pub(crate) sentence: Cow<'static, str>,
    /// The sentence on a page, if it is another: it names no command and no header if the page has a form for the same
    /// purpose.
    pub(crate) page_sentence: Option<&'static str>,
    /// The headers that a program needs to react to the error.
    pub(crate) headers: Vec<Header>,
    /// The code in the API of `/record`, if it is not that of the type.
    pub(crate) record_code: Option<u16>,
}

impl Row {
    pub(crate) fn on_page(mut self, sentence: &'static str) -> Self {
        self.page_sentence = Some(sentence);
        self
    }

    pub(crate) fn heading(mut self, heading: &'static str) -> Self {
        self.heading = heading;
        self
    }

    pub(crate) fn step(mut self, step: Step) -> Self {
        self.step = step;
        self
    }

    pub(crate) fn header(mut self, name: HeaderName, value: impl TryInto<HeaderValue>) -> Self {
        self.headers
            .extend(value.try_into().map(|value| (name, value)));
        self
    }

    pub(crate) fn page_sentence(&self) -> &str {
        self.page_sentence.unwrap_or(&self.sentence)
    }
}
