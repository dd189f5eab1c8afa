//! The builder of a save form. It adds fields in the order sent and applies the rules that all encodings share.
//!
//! Invariants:
//! - There is at most one content, and it is not empty.
//! - No option is set twice.
//! - An empty value counts as absent: browsers send an empty file part along with a filled text area, and empty
//!   options.
//! - An empty password or burn count is stored. Only the caller knows whether this client sends empty fields by
//!   default.
//! - An empty title is recorded, because a change can remove a title.
//!
//! Cost: content is moved, options are copied.

use std::borrow::Cow;

use super::field::Field;
use super::line_ends::one_line;
use super::{FormError, SaveForm};

/// Maximum title size in bytes. It exceeds the limit of a stored title, which is truncated later: a long file name is
/// not an error.
const MAX_TITLE: usize = 64 * 1024;
/// Maximum size of any other option in bytes, far above that of a language or an expiry.
const MAX_OPTION: usize = 1024;

/// An incomplete save form.
#[derive(Default)]
pub(super) struct Builder<'a> {
    content: Option<Cow<'a, [u8]>>,
    is_link: bool,
    file_name: Option<String>,
    title: Option<String>,
    is_untitled: bool,
    language: Option<String>,
    expires: Option<String>,
    burn: Option<String>,
    password: Option<Vec<u8>>,
}

impl<'a> Builder<'a> {
    /// Adds one field. `file_name` is present, maybe empty, if the field was sent as a file.
    ///
    /// # Errors
    /// If the field is unknown, repeated or too long, or is a second content.
    pub(super) fn add(
        &mut self,
        name: &str,
        value: Cow<'a, [u8]>,
        file_name: Option<String>,
    ) -> Result<(), FormError> {
        let Some(field) = Field::named(name) else {
            return Err(FormError::unknown_field(name));
        };
        if value.is_empty() && !matches!(field, Field::Burn | Field::Password) {
            self.is_untitled |= field == Field::Title;
            return Ok(());
        }
        let (option, longest) = match field {
            Field::Content => return self.add_content(value, file_name),
            Field::Link => {
                self.is_link = true;
                return self.add_content(value, None);
            }
            Field::Password => return self.add_password(&value),
            Field::Ignored => return Ok(()),
            Field::Burn => (&mut self.burn, MAX_OPTION),
            Field::Language => (&mut self.language, MAX_OPTION),
            Field::Title => (&mut self.title, MAX_TITLE),
            Field::Expires => (&mut self.expires, MAX_OPTION),
        };
        if option.is_some() {
            return Err(FormError::RepeatedField(field.name()));
        }
        if value.len() > longest {
            return Err(FormError::FieldTooLong(field.name()));
        }
        *option = Some(String::from_utf8_lossy(&value).into_owned());
        Ok(())
    }

    /// Sets the password without its line end. A bare line end is an error: it was probably read from an empty file.
    fn add_password(&mut self, value: &[u8]) -> Result<(), FormError> {
        let password = one_line(value);
        if password.is_empty() && !value.is_empty() {
            return Err(FormError::FieldEmpty(Field::Password.name()));
        }
        match self.password.replace(password.to_vec()) {
            Some(_) => Err(FormError::RepeatedField(Field::Password.name())),
            None => Ok(()),
        }
    }

    fn add_content(
        &mut self,
        value: Cow<'a, [u8]>,
        file_name: Option<String>,
    ) -> Result<(), FormError> {
        if self.content.is_some() {
            return Err(FormError::SeveralContents);
        }
        self.content = Some(value);
        self.file_name = file_name;
        Ok(())
    }

    /// Returns the complete form.
    ///
    /// # Errors
    /// If it has no content.
    pub(super) fn finish(self) -> Result<SaveForm<'a>, FormError> {
        Ok(SaveForm {
            content: self.content.ok_or(FormError::NoContent)?,
            is_link: self.is_link,
            is_file: self.file_name.is_some(),
            file_name: self.file_name.filter(|name| !name.is_empty()),
            is_untitled: self.is_untitled && self.title.is_none(),
            title: self.title,
            language: self.language,
            expires: self.expires,
            burn: self.burn,
            password: self.password,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build<'a>(fields: &[(&str, &'a [u8])]) -> Result<SaveForm<'a>, FormError> {
        let mut builder = Builder::default();
        for (name, value) in fields {
            builder.add(name, Cow::Borrowed(value), None)?;
        }
        builder.finish()
    }

    #[test]
    fn a_form_needs_exactly_one_non_empty_content() {
        for (fields, refused, why) in [
            (&[][..], FormError::NoContent, "nothing at all"),
            (
                &[("lang", &b"c"[..])][..],
                FormError::NoContent,
                "only an option",
            ),
            (
                &[("file", b""), ("text", b"")],
                FormError::NoContent,
                "only empty ones",
            ),
            (
                &[("file", b"a"), ("file", b"b")],
                FormError::SeveralContents,
                "the same name twice",
            ),
            (
                &[("f:1", b"a"), ("f:2", b"b")],
                FormError::SeveralContents,
                "two names",
            ),
        ] {
            assert_eq!(build(fields).err(), Some(refused), "{why}");
        }
        for fields in [
            &[("file", &b""[..]), ("text", &b"a"[..])],
            &[("text", &b"a"[..]), ("file", &b""[..])],
        ] {
            assert_eq!(build(fields).unwrap().content, &b"a"[..]);
        }
    }

    #[test]
    fn an_empty_option_is_absent_and_a_second_value_is_rejected() {
        let form = build(&[
            ("title", b""),
            ("file", b"a"),
            ("name", b"b"),
            ("title", b""),
        ]);
        let form = form.unwrap();
        assert_eq!(
            (form.title.as_deref(), form.is_untitled),
            (Some("b"), false)
        );
        let untitled = build(&[("title", b""), ("file", b"a")]).unwrap();
        assert!(untitled.title.is_none() && untitled.is_untitled);
        assert!(!build(&[("file", b"a")]).unwrap().is_untitled);
        for (fields, name) in [
            (
                [("expires", &b"1d"[..]), ("expires", &b"1d"[..])],
                "expires",
            ),
            ([("lang", b"c"), ("syntax", b"d")], "lang"),
            ([("title", b"c"), ("name", b"d")], "title"),
        ] {
            assert_eq!(build(&fields).err(), Some(FormError::RepeatedField(name)));
        }
    }

    #[test]
    fn every_alias_sets_its_own_option() {
        let form = build(&[("expires", b"1d"), ("p", b"a"), ("ext", b"c")]).unwrap();
        assert_eq!(form.language.as_deref(), Some("c"));
        assert_eq!(form.expires.as_deref(), Some("1d"));
        assert_eq!(form.title, None);
    }

    #[test]
    fn an_option_is_accepted_up_to_its_maximum_size() {
        let long = vec![b'x'; MAX_TITLE + 1];
        for (name, longest, asked) in [
            ("name", MAX_TITLE, "title"),
            ("ext", MAX_OPTION, "lang"),
            ("expires", MAX_OPTION, "expires"),
        ] {
            assert!(
                build(&[("file", b"a"), (name, &long[..longest])]).is_ok(),
                "{name}"
            );
            assert_eq!(
                build(&[("file", b"a"), (name, &long[..=longest])]).err(),
                Some(FormError::FieldTooLong(asked))
            );
        }
    }

    #[test]
    fn ignored_fields_are_skipped_and_unknown_ones_rejected_even_if_empty() {
        let form = build(&[
            ("poster", b"me"),
            ("poster", b"me"),
            ("file", b"a"),
            ("submit", b"Paste!"),
        ]);
        assert_eq!(form.unwrap().content, &b"a"[..]);
        assert_eq!(
            build(&[("file", b"a"), ("burm", b"")]).err(),
            Some(FormError::unknown_field("burm"))
        );
    }

    #[test]
    fn invalid_utf8_is_replaced_in_an_option_but_not_in_the_content() {
        let form = build(&[("file", b"\xff"), ("title", b"caf\xe9")]).unwrap();
        assert_eq!(form.title.as_deref(), Some("caf\u{fffd}"));
        assert_eq!(form.content, &b"\xff"[..]);
    }

    #[test]
    fn a_link_target_counts_as_content_and_marks_the_form_as_a_link() {
        for name in ["url", "shorten"] {
            let form = build(&[(name, b"https://a.example/")]).unwrap();
            assert!(form.is_link && !form.is_file);
            let both = build(&[(name, b"https://a.example/"), ("file", b"a")]);
            assert_eq!(both.err(), Some(FormError::SeveralContents));
        }
        assert!(
            !build(&[("file", b"https://a.example/"), ("url", b"")])
                .unwrap()
                .is_link
        );
    }

    #[test]
    fn a_password_loses_only_its_line_end_and_an_empty_one_is_stored() {
        for (sent, expected) in [
            (&b"secret"[..], &b"secret"[..]),
            (b"secret\n", b"secret"),
            (b"secret\r\n", b"secret"),
            (b" \xff\n\n", b" \xff\n"),
            (b"", b""),
        ] {
            let form = build(&[("file", b"a"), ("password", sent), ("burn", b"")]).unwrap();
            assert_eq!(form.password.as_deref(), Some(expected));
            assert_eq!(form.burn.as_deref(), Some(""));
        }
        let empty_line = build(&[("file", b"a"), ("password", b"\r\n")]);
        assert_eq!(empty_line.err(), Some(FormError::FieldEmpty("password")));
        let twice = build(&[("file", b"a"), ("password", b"a"), ("password", b"")]);
        assert_eq!(twice.err(), Some(FormError::RepeatedField("password")));
    }

    #[test]
    fn a_file_without_a_name_is_still_a_file() {
        let mut builder = Builder::default();
        builder
            .add("file", Cow::Borrowed(b"a"), Some(String::new()))
            .unwrap();
        let form = builder.finish().unwrap();
        assert!(form.is_file);
        assert_eq!(form.file_name, None);
    }
}
