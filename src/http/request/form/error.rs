//! The errors of a malformed form. Each message tells the client what to do next.
//!
//! Invariants: the only client input in an error is the name of an unknown field, and only if it looks like a name. So
//! a form on another site cannot make this server show a text.

use std::borrow::Cow;

use crate::http::problem::{ProblemType as T, Row};
use crate::spelling;

/// The reason why a form is rejected. Each is a client error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FormError {
    /// A form field with an unknown name.
    UnknownField {
        /// The name, safe to print.
        name: String,
        /// The most similar known name, if one is similar.
        nearest: Option<&'static str>,
    },
    /// A query parameter with an unknown name.
    UnknownOption {
        /// The name, safe to print.
        name: String,
        /// The most similar known name, if one is similar.
        nearest: Option<&'static str>,
    },
    /// An unknown field in a form sent to an existing paste.
    UnknownActionField {
        /// The name, safe to print.
        name: String,
    },
    /// An unknown field in a report, or in a form of the operator.
    UnknownShortField {
        /// The name, safe to print.
        name: String,
        /// The most similar known name, if one is similar.
        nearest: Option<&'static str>,
    },
    /// A link that burns.
    OneshotLink,
    /// The address of content that the server should download.
    Remote,
    /// Content for which the server should make up a password.
    GeneratedPassword,
    /// No content, or only empty content.
    NoContent,
    /// The same for the paste with this number.
    NoNumberedContent(u8),
    /// A field that ix.io numbers has a number beyond 9.
    NumberTooLarge,
    /// More than one content that is not empty.
    SeveralContents,
    /// Holds the name and the allowed values, as do three errors below.
    RepeatedField(&'static str, &'static str),
    /// The body is not a valid form.
    Malformed(FormDefect),
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
}

/// The defect of a body that should be a form. Its message continues a sentence about the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormDefect {
    /// The `Content-Type` is multipart, but names no boundary.
    NoBoundary,
    EmptyBoundary,
    LongBoundary,
    /// The boundary has control characters.
    BoundaryCharacter,
    /// The boundary of the `Content-Type` is nowhere in the body.
    BoundaryNotFound,
    /// The closing boundary is missing, so the body may be incomplete.
    Truncated,
    /// The headers of a part do not end with an empty line.
    HeadersTruncated,
    HeadersInvalid,
    /// A part has no name.
    NoName,
}

impl FormError {
    /// The maximum length of an unknown name that an error repeats. The longest known name is much shorter.
    const MAX_NAME_BYTES: usize = 32;

    /// The error for an unknown form field. One of the known names may have been meant.
    pub(super) fn unknown_field(name: &str, known: impl IntoIterator<Item = &'static str>) -> Self {
        let name = Self::printable(name);
        let nearest = spelling::nearest(&name, known);
        Self::UnknownField { name, nearest }
    }

    /// The error for an unknown query parameter.
    pub(in crate::http::request) fn unknown_option(
        name: &str,
        known: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        let name = Self::printable(name);
        let nearest = spelling::nearest(&name, known);
        Self::UnknownOption { name, nearest }
    }

    /// The error for an unknown field in a form sent to an existing paste.
    pub(super) fn unknown_action_field(name: &str) -> Self {
        let name = Self::printable(name);
        Self::UnknownActionField { name }
    }

    /// The error for a field that a form or a query of these fields does not have.
    pub(in crate::http::request) fn unknown_short_field(
        name: &str,
        known: &[&'static str],
    ) -> Self {
        let name = Self::printable(name);
        let nearest = spelling::nearest(&name, known.iter().copied());
        Self::UnknownShortField { name, nearest }
    }

    /// The name, or an ellipsis if it is too long for a name or has a character that no name has.
    pub(crate) fn printable(name: &str) -> String {
        let is_short = (1..=Self::MAX_NAME_BYTES).contains(&name.len());
        let shown = is_short && name.bytes().all(is_of_name);
        if shown { name } else { "…" }.to_owned()
    }

    pub(crate) fn row(&self) -> Row {
        match self {
            Self::UnknownField { name, nearest } => {
                let hint = suggestion(*nearest);
                T::UnknownName.says(format!("Unknown field `{name}`{hint} Use `file` for the content, and `lang`, \
                    `title`, `expires`, `burn` or `password` for options."))
            }
            Self::UnknownOption { name, nearest } => {
                let hint = suggestion(*nearest);
                T::UnknownName.says(format!("Unknown option `{name}`{hint} Use `expires`, `lang`, `title` or `burn` in \
                    the query."))
            }
            Self::UnknownActionField { name } => T::UnknownName.says(format!("A form for an existing paste has no \
                field `{name}`. Use `delete`, `title`, `lang`, `expires` or `password`, or leave the id out of the URL \
                to save a new paste.")),
            Self::UnknownShortField { name, nearest } => {
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
            Self::NoNumberedContent(number) => T::EmptyContent.says(format!("The field `f:{number}` is missing or \
                empty. Send text in it, or leave out all fields with its number.")),
            Self::NumberTooLarge => T::InvalidValue.says("A form has at most nine contents, from `f:1` to `f:9`. Send \
                the others in another request."),
            Self::SeveralContents => T::RepeatedName.says("The form has more than one content. Send one per request, \
                in the field `file`."),
            Self::RepeatedField(name, allowed) => T::RepeatedName.says(format!("The option `{name}` is set more \
                than once, perhaps under two names. Set it once, to {allowed}.")),
            Self::Malformed(defect) => T::MalformedRequest.says(format!("The form cannot be read: {}. Send it as \
                multipart/form-data, as in `curl -F 'file=@notes.txt' URL`.", defect.text())),
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
        }
    }
}

/// Returns whether the names of fields have this character.
pub(super) fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.:[]".contains(&byte)
}

/// The rest of a sentence about an unknown name.
pub(crate) fn suggestion(nearest: Option<&str>) -> Cow<'static, str> {
    match nearest {
        Some(nearest) => format!(": did you mean `{nearest}`?").into(),
        None => ".".into(),
    }
}

impl FormDefect {
    fn text(self) -> &'static str {
        match self {
            Self::NoBoundary => "its Content-Type has no boundary",
            Self::EmptyBoundary => "its boundary is empty",
            Self::LongBoundary => "its boundary is too long",
            Self::BoundaryCharacter => "its boundary has control characters",
            Self::BoundaryNotFound => "its boundary does not occur in it",
            Self::Truncated => "its end is missing",
            Self::HeadersTruncated => "the headers of a part do not end",
            Self::HeadersInvalid => "the headers of a part are invalid",
            Self::NoName => "a part has no name",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_is_one_line_that_says_what_to_do_next() {
        for (error, needles) in [
            (
                FormError::unknown_field("burm", ["burn"]),
                &["`burm`: did you mean `burn`?", "`expires`"][..],
            ),
            (
                FormError::unknown_option("burm", ["burn"]),
                &["`burm`: did you mean `burn`?", "`expires`"],
            ),
            (
                FormError::unknown_field("zzz", ["burn"]),
                &["`zzz`. Use `file`"],
            ),
            (FormError::NoContent, &["Send", "`file`"]),
            (FormError::SeveralContents, &["Send one"]),
            (
                FormError::RepeatedField("expires", "`7d`"),
                &["`expires`", "Set it once", "`7d`"],
            ),
            (
                FormError::Malformed(FormDefect::Truncated),
                &["its end is missing", "Send"],
            ),
            (
                FormError::FieldTooLong("lang", "`rust`, at most 1 KiB"),
                &["`lang`", "`rust`", "1 KiB"],
            ),
        ] {
            let sentence = error.row().sentence;
            assert!(
                !sentence.contains('\n') && sentence.ends_with('.'),
                "{sentence}"
            );
            for needle in needles {
                assert!(sentence.contains(needle), "{needle} in {sentence}");
            }
        }
    }

    #[test]
    fn an_error_repeats_only_what_looks_like_a_name() {
        let long = "a".repeat(1_000_000);
        for (name, shown) in [
            ("burm", "burm"),
            ("burn-after[0].x_1:2", "burn-after[0].x_1:2"),
            ("Your session expired", "…"),
            ("\x1b[2J", "…"),
            ("é", "…"),
            ("", "…"),
            (&long, "…"),
        ] {
            let sentence = FormError::unknown_field(name, []).row().sentence;
            assert!(sentence.contains(&format!("`{shown}`")), "{sentence}");
        }
    }
}
