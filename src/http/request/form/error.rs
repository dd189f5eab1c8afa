//! Form errors: why a form is refused, in words that say what to do next.
//!
//! What it must not know: the status it is answered with, and the page or problem it is shown in.
//! Invariants: a closed set; the only words of a client in it are an unknown field's name, cut to
//! [`FormError::MAX_NAME_CHARS`] characters and without control characters, so it can be printed on a terminal.

use std::fmt;

use super::field::{self, Field};

/// Why a form is refused. All of them are the client's to mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FormError {
    /// A name that is neither an option nor ignored.
    UnknownField {
        /// The name, fit to be printed.
        name: String,
        /// The known name most like it.
        nearest: &'static str,
    },
    /// A name in a query that is no option.
    UnknownOption {
        /// The name, fit to be printed.
        name: String,
        /// The option most like it.
        nearest: &'static str,
    },
    /// A name in a form that goes to a paste, of nothing that can be done with one.
    UnknownDeed {
        /// The name, fit to be printed.
        name: String,
    },
    /// No content, or only empty ones.
    NoContent,
    /// More than one content that is not empty.
    SeveralContents,
    /// An option given twice.
    RepeatedField(&'static str),
    /// The body is not the multipart that its type says; the text tells what is wrong with it.
    Malformed(&'static str),
    /// The body is no form because it is not encoded, and this field is what somebody most likely meant to send.
    NotEncoded(&'static str),
    /// The body is JSON that asks for what nobody reads from it, and would be published.
    UnreadJson,
    /// The value of an option is blank, and not left out as browsers leave fields out.
    FieldEmpty(&'static str),
    /// The value of an option is longer than any that could mean something.
    FieldTooLong(&'static str),
}

impl FormError {
    /// Characters kept of an unknown name: enough to recognize it in a refusal.
    const MAX_NAME_CHARS: usize = 64;

    /// The refusal of this name of a form's field.
    pub(super) fn unknown_field(name: &str) -> Self {
        let name = Self::printable(name);
        let nearest = field::nearest(&name);
        Self::UnknownField { name, nearest }
    }

    /// The refusal of this name in a query.
    pub(crate) fn unknown_option(name: &str) -> Self {
        let name = Self::printable(name);
        let nearest = field::nearest_option(&name);
        Self::UnknownOption { name, nearest }
    }

    /// The refusal of this name in a form that goes to a paste.
    pub(super) fn unknown_deed(name: &str) -> Self {
        let name = Self::printable(name);
        Self::UnknownDeed { name }
    }

    /// The name, fit to be printed and cheap to search for: cut, and without control characters.
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
            Self::UnknownDeed { name } => write!(
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
    fn every_refusal_is_one_line_that_says_what_to_do_next() {
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
    fn an_unknown_name_is_cut_between_characters_and_cannot_steer_a_terminal() {
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
