//! The errors of a malformed form. Each message tells the client what to do next.
//!
//! Invariants: the only client input in an error is the name of an unknown field. It is truncated to
//! [`FormError::MAX_NAME_CHARS`] characters and has no control characters, so a terminal can show it.

use std::fmt;

use super::field::{self, Field};

/// The reason why a form is rejected. Each is a client error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FormError {
    /// A form field with an unknown name.
    UnknownField {
        /// The name, safe to print.
        name: String,
        /// The most similar known name.
        nearest: &'static str,
    },
    /// A query parameter with an unknown name.
    UnknownOption {
        /// The name, safe to print.
        name: String,
        /// The most similar option.
        nearest: &'static str,
    },
    /// An unknown field in a form sent to an existing paste.
    UnknownActionField {
        /// The name, safe to print.
        name: String,
    },
    /// No content, or only empty content.
    NoContent,
    /// More than one content that is not empty.
    SeveralContents,
    RepeatedField(&'static str),
    /// The body is not valid multipart; the text is the reason.
    Malformed(&'static str),
    /// The body is not percent-encoded; the field is the one the client most likely meant to send.
    NotEncoded(&'static str),
    /// The body is JSON with a password or burn option. Saved as it is, it would publish the paste unprotected.
    UnreadJson,
    /// A password that consists of a line end only.
    FieldEmpty(&'static str),
    /// The value of an option is longer than any valid value.
    FieldTooLong(&'static str),
}

impl FormError {
    /// The maximum length of an unknown name: enough to recognize it in an error message.
    const MAX_NAME_CHARS: usize = 64;

    /// The error for an unknown form field.
    pub(super) fn unknown_field(name: &str) -> Self {
        let name = Self::printable(name);
        let nearest = field::nearest(&name);
        Self::UnknownField { name, nearest }
    }

    /// The error for an unknown query parameter.
    pub(crate) fn unknown_option(name: &str) -> Self {
        let name = Self::printable(name);
        let nearest = field::nearest_option(&name);
        Self::UnknownOption { name, nearest }
    }

    /// The error for an unknown field in a form sent to an existing paste.
    pub(super) fn unknown_action_field(name: &str) -> Self {
        let name = Self::printable(name);
        Self::UnknownActionField { name }
    }

    /// The name without control characters, truncated so that printing it and comparing it is cheap.
    fn printable(name: &str) -> String {
        let clean = |c: char| if c.is_control() { '\u{fffd}' } else { c };
        let mut rest = name.chars();
        let mut shown: String = rest
            .by_ref()
            .take(Self::MAX_NAME_CHARS)
            .map(clean)
            .collect();
        if rest.next().is_some() {
            shown.push('…');
        }
        shown
    }
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownField { name, nearest } => write!(
                f,
                "There is no field `{name}`, and the nearest to it is `{nearest}`: send the text in `file`, and as \
                 options only `lang`, `title`, `expires`, `burn` and `password`."
            ),
            Self::UnknownOption { name, nearest } => write!(
                f,
                "There is no option `{name}`, and the nearest to it is `{nearest}`: in the query only `expires`, `lang`, `title`, \
                 `burn` and `password` are understood."
            ),
            Self::UnknownActionField { name } => write!(
                f,
                "There is no field `{name}` for a paste: send `delete`, `title`, `expires` or `password` here, and what is \
                 to be saved to `/`."
            ),
            Self::NoContent => f.write_str(
                "The form has nothing to save: send some text in the field `file`, as `curl -F 'file=@notes.txt'` does.",
            ),
            Self::SeveralContents => f.write_str(
                "The form has more than one text to save: send one a request, in one field such as `file`.",
            ),
            Self::RepeatedField(name) => write!(
                f,
                "The option `{name}` is given more than once, perhaps under two of its names: give it once, as {}.",
                allowed(name)
            ),
            Self::Malformed(what) => write!(
                f,
                "The form cannot be read, because {what}: send all of it again as multipart/form-data, as \
                 `curl -F 'file=@notes.txt'` does."
            ),
            Self::NotEncoded(name) => write!(
                f,
                "The form is not encoded: send each of its fields as `curl -F '{name}=…'` does."
            ),
            Self::UnreadJson => f.write_str(
                "This JSON asks for a password or to burn, which is not read from JSON here: send that as `X-Password` or \
                 `X-Burn`, or send it as text/plain to save it as it is.",
            ),
            Self::FieldEmpty(name) => write!(
                f,
                "The option `{name}` is empty: give {}.",
                allowed(name)
            ),
            Self::FieldTooLong(name) => write!(
                f,
                "The option `{name}` is too long: give {}.",
                allowed(name)
            ),
        }
    }
}

impl std::error::Error for FormError {}

fn allowed(name: &str) -> &'static str {
    Field::named(name).map_or("one short value", Field::allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_is_one_line_that_says_what_to_do_next() {
        for (error, needles) in [
            (
                FormError::unknown_field("burm"),
                &["`burm`", "send", "`expires`"][..],
            ),
            (
                FormError::unknown_option("burm"),
                &["`burm`", "only", "`expires`"],
            ),
            (FormError::NoContent, &["send", "`file`"]),
            (FormError::SeveralContents, &["send one"]),
            (
                FormError::RepeatedField("expires"),
                &["`expires`", "give it once", "`7d`"],
            ),
            (
                FormError::Malformed("it ends too early"),
                &["it ends too early", "send"],
            ),
            (
                FormError::FieldTooLong("lang"),
                &["`lang`", "`rust`", "1 KiB"],
            ),
        ] {
            let sentence = error.to_string();
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
    fn an_unknown_name_is_truncated_and_has_no_control_characters() {
        let FormError::UnknownField { name, .. } =
            FormError::unknown_field(&format!("\x1b[2J\r\n{}", "é".repeat(1_000_000)))
        else {
            panic!("the name is unknown");
        };
        assert_eq!(name.chars().count(), FormError::MAX_NAME_CHARS + 1);
        assert!(!name.chars().any(char::is_control));
        assert!(name.ends_with('…'));
    }
}
