//! The errors of a malformed request. Each sentence tells the client what to send instead.
//!
//! Invariants: each of them is a client error (status 400), and nothing was stored or changed. The only client input in
//! a sentence is an unknown name, and only if it looks like a name. So a form on another site cannot make this server
//! show a text.

use std::borrow::Cow;

use crate::http::problem::{ProblemType as T, Row, Step};
use crate::paste::{ArchiveError, Charset, Expiry, ExpiryError, SizeError, SlugError};
use crate::spelling;

/// The maximum length of an unknown name that an error repeats. The longest known name is much shorter.
const MAX_NAME_BYTES: usize = 32;

/// The reason why a request is malformed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestError {
    Empty,
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
    /// A `lang` that is not a language, and the most similar one.
    Language(Option<&'static str>),
    /// A `charset` that is not one.
    Charset,
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
    Password(SizeError),
    /// The `reason` of a report or of a removal is empty or too long.
    Note(SizeError),
    /// A `slug` that no paste can have.
    Slug(SlugError),
    /// The value of a switch, which is named here, is neither true nor false.
    Flag(&'static str),
    /// No paste can have the address that the operator sent.
    Address,
    /// A text is not the SHA-256 of a content.
    Hash,
    /// A text names no one who can hold pastes.
    Holder,
    /// An engine is asked for the pastes of a network.
    UnknownNetworks,
    /// A form of the operator names no act.
    Act,
    /// The owner to be forgotten is known by a secret or a key, and not by a browser.
    Forget,
    // Forms.
    /// A form field with an unknown name, safe to print, and the most similar known name, as in three errors below.
    UnknownField(String, Option<&'static str>),
    /// A query parameter.
    UnknownOption(String, Option<&'static str>),
    /// An unknown field in a form sent to an existing paste.
    UnknownActionField(String),
    /// An unknown field in a report, or in a form of the operator.
    UnknownShortField(String, Option<&'static str>),
    /// A link that burns.
    OneshotLink,
    /// The address of content that the server should download.
    Remote,
    /// Content for which the server should make up a password.
    GeneratedPassword,
    /// No content, or only empty content.
    NoContent,
    /// More than one content that is not empty.
    SeveralContents,
    /// Files that cannot be one paste.
    Files(ArchiveError),
    /// Holds the name and the allowed values, as do three errors below.
    RepeatedField(&'static str, &'static str),
    /// The body is not a valid form. Holds the defect, which continues a sentence about the form.
    Malformed(&'static str),
    /// A multipart body of another type than `form-data`.
    OtherMultipart,
    /// The form of the editor is not multipart.
    NotMultipart,
    /// The body of a request for an existing paste is not a form.
    NotAForm,
    /// The body is not percent-encoded; the field is the one the client most likely meant to send.
    NotEncoded(&'static str),
    /// The body of a PUT is a form, which only a POST can send.
    PutForm,
    /// The value of a JSON member that this field cannot have.
    FieldValue(&'static str, &'static str),
    /// A password that consists of a line end only, or no content in a field for content that is protected.
    FieldEmpty(&'static str, &'static str),
    /// The value of an option is longer than any valid value.
    FieldTooLong(&'static str, &'static str),
    // The JSON of the API.
    /// The body is not a JSON object in UTF-8.
    NotAnObject,
    UnknownMember(String, Option<&'static str>),
    RepeatedMember(&'static str),
    /// The value has the wrong type, or is not a value that this member can have. Holds the name and the allowed
    /// values.
    InvalidMember(&'static str, &'static str),
    /// Neither `content` nor `content_base64`.
    NoContentMember,
    /// More than one of `content`, `content_base64` and `files`.
    SeveralContentMembers,
    /// A change without any member.
    NoChange,
    /// A change with a password, but without content that it could encrypt.
    PasswordAlone,
    /// The body of a read is too large for a password, or not a JSON object in UTF-8.
    NotAPassword,
}

impl RequestError {
    /// The error of this kind for an unknown name. One of the known names may have been meant.
    pub(crate) fn unknown(
        kind: fn(String, Option<&'static str>) -> Self,
        name: &str,
        known: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        let name = Self::printable(name);
        let nearest = spelling::nearest(&name, known);
        kind(name, nearest)
    }

    /// The name, or an ellipsis if it is too long for a name or has a character that no name has.
    pub(crate) fn printable(name: &str) -> String {
        let is_short = (1..=MAX_NAME_BYTES).contains(&name.len());
        let shown = is_short && name.bytes().all(is_of_name);
        if shown { name } else { "…" }.to_owned()
    }

    #[expect(clippy::too_many_lines, reason = "one table")]
    pub(crate) fn row(&self) -> Row {
        match self {
            Self::Empty => T::EmptyContent.says("The content is empty, so nothing was saved. Send text as the body, as \
                in `cmd | curl --data-binary @- URL`, in the form field `file`, or in JSON as `content` or `text`.")
                .on_page("The text is empty. Write something first."),
            Self::Query => T::MalformedRequest.says("The query in the URL is malformed. Write it as `name=value`, \
                percent-encoded and joined by `&`."),
            Self::ContentType => T::MalformedRequest.says("The Content-Type is sent more than once, or is not ASCII. \
                Send it once, as in `Content-Type: text/plain`."),
            Self::Expiry(error) => T::InvalidValue.says(format!("The expiry {error}. Set `expires` to a number with \
                the unit `s`, `m`, `h`, `d`, `w` or `y`, as in `24h` or `7d`.")),
            Self::ExpiryPassed => T::InvalidValue.says("The expiry is in the past. Set `expires` to a later time in \
                milliseconds since 1970, or to a time such as `7d`."),
            Self::UnknownHeader(name) => T::UnknownName.says(format!("The header `{name}` has no effect here, so \
                nothing was saved. Use `X-Expires`, `X-Burn` or `X-Password`, or remove it.")),
            Self::ExpiryTooLong(Expiry::Never) => T::InvalidValue.says("The expiry is too long. Set `expires` to \
                `never`, or to a shorter time such as `7d`."),
            Self::ExpiryTooLong(longest) => {
                let words = longest.in_words();
                T::InvalidValue.says(format!("The expiry is longer than the limit of {words}. Set `expires` to \
                    `{longest}` or less."))
            }
            Self::NeverNotAllowed(longest) => T::InvalidValue.says(format!("`expires=never` is not allowed here. Use \
                `{longest}` or less.")),
            Self::Language(nearest) => {
                let hint = suggestion(*nearest);
                T::InvalidValue.says(format!("`lang` is not a known language{hint} Send a name such as `rust`, a file \
                    ending such as `rs`, or no `lang`."))
            }
            Self::Charset => {
                let known = Charset::legacy_names().replace(' ', "`, `");
                T::InvalidValue.says(format!("`charset` is not a known one. Send `{known}`, or no `charset`."))
            }
            Self::Lines => T::InvalidValue.says("`lines` is not a range of lines. Use `lines=10-20`, or `lines=10` for \
                one line.")
                .step(Step::ShowAll),
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
            Self::Password(SizeError::Empty) => T::InvalidValue.says("`password` is empty. Send 1 to 1024 bytes, \
                or remove it."),
            Self::Password(SizeError::TooLarge) => T::InvalidValue.says("`password` is too long. Send 1 to 1024 \
                bytes."),
            Self::Note(SizeError::Empty) => T::InvalidValue.says("`reason` is missing. Say in up to 300 characters \
                what is wrong with the paste."),
            Self::Note(SizeError::TooLarge) => T::InvalidValue.says("`reason` is too long. Send at most 300 \
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
            Self::Holder => T::InvalidValue.says("No one is called this. Send `network:` with its 16 digits, `key:` or `user:` \
                with a name."),
            Self::UnknownNetworks => T::InvalidValue.says("An engine keeps the pastes, and does not know which network \
                saved what. Send `key:` or `user:` with a name."),
            Self::Act => T::InvalidValue.says("Name an `act`: `remove`, `dismiss`, `block` or `unblock`."),
            Self::Forget => T::InvalidValue.says("This forgets a browser. A secret or a key stays valid; send \
                `pastes=1` to delete its pastes."),
            Self::UnknownField (name, nearest) => {
                let hint = suggestion(*nearest);
                T::UnknownName.says(format!("Unknown field `{name}`{hint} Use `file` for the content, and `lang`, \
                    `title`, `expires`, `burn` or `password` for options."))
            }
            Self::UnknownOption (name, nearest) => {
                let hint = suggestion(*nearest);
                T::UnknownName.says(format!("Unknown option `{name}`{hint} Use `expires`, `lang`, `title` or `burn` in \
                    the query."))
            }
            Self::UnknownActionField (name) => T::UnknownName.says(format!("A form for an existing paste has no field \
                `{name}`. Use `delete`, `title`, `lang`, `expires` or `password`, or leave the id out of the URL to \
                save a new paste.")),
            Self::UnknownShortField (name, nearest) => {
                let hint = suggestion(*nearest);
                T::UnknownName.says(format!("Unknown field `{name}`{hint} Correct its name, or remove it."))
            }
            Self::OneshotLink => T::UnknownName.says("A short link cannot burn after reading. Send the URL in `url`, \
                or save it as text in `oneshot`."),
            Self::Remote => T::UnknownName.says("This server downloads nothing. Send the content itself in `file`, or \
                make a short link with `url`."),
            Self::GeneratedPassword => T::UnknownName.says("This server makes up no passwords. Send one of your own in \
                `password`, and the content in `file`."),
            Self::NoContent => T::EmptyContent.says("The form has no content, or it is empty. Send text in the field \
                `file`, as in `curl -F 'file=@notes.txt' URL`.")
                .on_page("The text is empty. Write something first."),
            Self::SeveralContents => T::RepeatedName.says("The form has more than one content. Send one text, or \
                files in the field `file`."),
            Self::Files(ArchiveError::TooMany) => T::InvalidValue.says("There are more than 64 files. Send fewer in \
                one paste, or a compressed archive as one file."),
            Self::Files(ArchiveError::Conflict) => T::RepeatedName.says("Two files have one name, or one is the folder \
                of another. Name them apart, as in `-F 'file=@a/x;filename=a-x'`."),
            Self::Files(_) => T::InvalidValue.says("A file has no usable name. Name it with at most 100 bytes, as in \
                `-F 'file=@x;filename=notes.txt'`."),
            Self::RepeatedField(name, allowed) => T::RepeatedName.says(format!("The option `{name}` is set more than \
                once, perhaps under two names. Set it once, to {allowed}.")),
            Self::Malformed(defect) => T::MalformedRequest.says(format!("The form cannot be read: {defect}. Send it as \
                multipart/form-data, as in `curl -F 'file=@notes.txt' URL`.")),
            Self::OtherMultipart => T::MalformedRequest.says("The only multipart bodies here are forms, \
                multipart/form-data. Send one as in `curl -F 'file=@notes.txt' URL`, or send the file as text/plain."),
            Self::NotMultipart => T::MalformedRequest.says("The form of the editor is not multipart/form-data. Send it \
                as in `curl -F 'content=<notes.txt' URL`."),
            Self::NotAForm => T::MalformedRequest.says("The body is not a form. To save a new paste, leave the id out \
                of the URL; to replace this one, use `curl -T` with its token."),
            Self::NotEncoded(name) => T::MalformedRequest.says(format!("The form is not percent-encoded. Send each \
                field as in `curl -F '{name}=…' URL`.")),
            Self::PutForm => T::MalformedRequest.says("A form that is sent with PUT has no effect, so nothing was \
                saved. Send it with POST, or the file without a `Content-Type` as in `curl -T - URL`."),
            Self::FieldValue(name, allowed) => T::InvalidValue.says(format!("The value of `{name}` is not valid. Use \
                {allowed}.")),
            Self::FieldEmpty(name, allowed) => T::InvalidValue.says(format!("The option `{name}` is empty. Use \
                {allowed}.")),
            Self::FieldTooLong(name, allowed) => T::InvalidValue.says(format!("The option `{name}` is too long. Use \
                {allowed}.")),
            Self::NotAnObject => T::MalformedRequest.says("The body is not a JSON object. Send one in UTF-8, as in \
                `{\"content\": \"…\"}`."),
            Self::UnknownMember(name, nearest) => {
                let hint = suggestion(*nearest);
                T::UnknownName.says(format!("Unknown member `{name}`{hint} The OpenAPI document of this server lists \
                    all members."))
            }
            Self::RepeatedMember(name) => T::RepeatedName.says(format!("The member `{name}` occurs more than once. \
                Send it once.")),
            Self::InvalidMember(name, allowed) => T::InvalidValue.says(format!("The value of `{name}` is not valid \
                here. Send {allowed}.")),
            Self::NoContentMember => T::EmptyContent.says("The object has no content, so nothing was saved. Send text \
                as `content`, bytes as `content_base64`, or `files`."),
            Self::SeveralContentMembers => T::RepeatedName.says("The object has more than one of `content`, \
                `content_base64` and `files`. Send one of them."),
            Self::NoChange => T::NoAction.says("The object names no change. Send `content`, `title`, `language` or \
                `expires`."),
            Self::PasswordAlone => T::ForbiddenChange.says("A password is used for new content only, and there is \
                none. Send `content` too, or remove `password`."),
            Self::NotAPassword => T::MalformedRequest.says("The body of a read is too large, or not a JSON object. \
                Send `{\"password\": \"…\"}`, or no body."),
        }
    }
}

/// Returns whether the names of fields have this character.
pub(super) fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.:[]".contains(&byte)
}

/// The rest of a sentence about an unknown name.
fn suggestion(nearest: Option<&str>) -> Cow<'static, str> {
    match nearest {
        Some(nearest) => format!(": did you mean `{nearest}`?").into(),
        None => ".".into(),
    }
}

#[cfg(test)]
mod tests;
