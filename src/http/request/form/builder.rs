//! The builder of a form sent to `/`. It adds fields in the order sent and applies the rules that all encodings share.
//!
//! Invariants:
//! - Every paste has one content, which is not empty. Only numbered fields (ix.io) make several pastes.
//! - No option is set twice.
//! - An empty value counts as absent: browsers send an empty file part along with a filled text area, and empty
//!   options.
//! - An empty password or burn count is stored. Only the caller knows whether this client sends empty fields by
//!   default.
//! - An empty `oneshot` or `protected` is an error: the client may have meant a switch.
//! - An empty title is recorded, because a change can remove a title.
//!
//! Cost: content is moved, options are copied.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::field::{ExpiryNotation, Field, Origin};
use super::line_ends::one_line;
use super::{ExistingPaste, Form, FormError, SaveForm};

/// Maximum title size in bytes. It exceeds the limit of a stored title, which is truncated later: a long file name is
/// not an error.
const MAX_TITLE: usize = 64 * 1024;
/// Maximum size of any other option in bytes, far above that of a language or an expiry.
const MAX_OPTION: usize = 1024;

/// An incomplete form.
#[derive(Default)]
pub(super) struct Builder<'a> {
    /// The fields without a number.
    common: Fields<'a>,
    /// The fields with a number, which are those of one paste.
    numbered: BTreeMap<u8, Fields<'a>>,
    removes: Option<String>,
    slug: Option<String>,
    token: Option<String>,
    /// The pastebin that the form was written for.
    pub(super) origin: Origin,
}

/// The fields of one paste.
#[derive(Default)]
struct Fields<'a> {
    content: Option<Cow<'a, [u8]>>,
    is_link: bool,
    file_name: Option<String>,
    title: Option<String>,
    is_untitled: bool,
    language: Option<String>,
    expires: Option<String>,
    burn: Option<String>,
    password: Option<Vec<u8>>,
    /// The id of the paste whose content is replaced.
    replaces: Option<String>,
}

impl<'a> Builder<'a> {
    /// Adds one field. `file_name` is present, maybe empty, if the field was sent as a file.
    ///
    /// # Errors
    /// If the field is unknown, repeated, too long or not supported, or is a second content.
    pub(super) fn add(
        &mut self,
        name: &str,
        value: Cow<'a, [u8]>,
        file_name: Option<String>,
    ) -> Result<(), FormError> {
        match Field::numbered(name) {
            Some(known) => self.add_known(known, value, file_name),
            None => Err(FormError::unknown_field(name)),
        }
    }

    /// Adds one field with this number, zero if its name has none.
    pub(super) fn add_known(
        &mut self,
        (field, number): (Field, u8),
        value: Cow<'a, [u8]>,
        file_name: Option<String>,
    ) -> Result<(), FormError> {
        let fields = match number {
            0 => &mut self.common,
            number => self.numbered.entry(number).or_default(),
        };
        let is_switch = matches!(
            field,
            Field::Oneshot | Field::OneshotLink | Field::GeneratedPassword
        );
        if value.is_empty() && is_switch {
            return Err(FormError::FieldEmpty(field.name()));
        }
        let is_stored = matches!(field, Field::Burn | Field::BurnSwitch | Field::Password);
        if value.is_empty() && !is_stored {
            fields.is_untitled |= field == Field::Title;
            return Ok(());
        }
        let (option, longest) = match field {
            Field::Content => return fields.set_content(value, file_name),
            Field::Oneshot => {
                fields.set_content(value, file_name)?;
                return set_once(&mut fields.burn, field, "1".to_owned());
            }
            Field::Link => {
                fields.is_link = true;
                return fields.set_content(value, None);
            }
            Field::Password => return fields.set_password(&value),
            Field::OneshotLink => return Err(FormError::OneshotLink),
            Field::Remote => return Err(FormError::Remote),
            Field::GeneratedPassword => return Err(FormError::GeneratedPassword),
            Field::Ignored => return Ok(()),
            Field::Burn | Field::BurnSwitch => (&mut fields.burn, MAX_OPTION),
            Field::Language => (&mut fields.language, MAX_OPTION),
            Field::Title => (&mut fields.title, MAX_TITLE),
            Field::Expires(_) => (&mut fields.expires, MAX_OPTION),
            Field::Replaces => (&mut fields.replaces, MAX_OPTION),
            Field::Removes => (&mut self.removes, MAX_OPTION),
            Field::Slug => (&mut self.slug, MAX_OPTION),
            Field::Token => (&mut self.token, MAX_OPTION),
        };
        if value.len() > longest {
            return Err(FormError::FieldTooLong(field.name()));
        }
        let text = String::from_utf8_lossy(&value);
        let text = match field {
            Field::Expires(notation) => notation.translated(&text),
            // A browser sends a check box only if it is checked.
            Field::BurnSwitch if text == "on" || text == "true" => "1".to_owned(),
            _ => text.into_owned(),
        };
        set_once(option, field, text)
    }

    /// Returns the complete form.
    ///
    /// # Errors
    /// If a paste has no content, or the form both deletes and saves.
    pub(super) fn finish(self) -> Result<Form<'a>, FormError> {
        let Self {
            common,
            numbered,
            removes,
            slug,
            token,
            origin,
        } = self;
        if let Some(id) = removes {
            return match common.content.is_none() && numbered.is_empty() {
                true => Ok(Form::Remove(ExistingPaste { id, token })),
                false => Err(FormError::SeveralContents),
            };
        }
        if numbered.is_empty() {
            let form = SaveForm {
                slug,
                ..common.complete(origin)?
            };
            return finish_one(form, None, token);
        }
        if common.content.is_some() {
            return Err(FormError::SeveralContents);
        }
        let mut pastes = Vec::with_capacity(numbered.len());
        for (number, fields) in numbered {
            let replaces = fields.replaces.clone();
            let form = fields.or(&common).complete(origin);
            let form = form.map_err(|_| FormError::NoNumberedContent(number))?;
            pastes.push((form, replaces));
        }
        if pastes.len() == 1
            && let Some((form, replaces)) = pastes.pop()
        {
            let form = SaveForm { slug, ..form };
            return finish_one(form, replaces, token);
        }
        if token.is_some()
            || slug.is_some()
            || pastes.iter().any(|(_, replaces)| replaces.is_some())
        {
            return Err(FormError::SeveralContents);
        }
        let pastes = pastes.into_iter().map(|(form, _)| form);
        Ok(Form::SaveSeveral(pastes.collect()))
    }
}

/// Returns the form with this one content.
fn finish_one(
    form: SaveForm<'_>,
    replaces: Option<String>,
    token: Option<String>,
) -> Result<Form<'_>, FormError> {
    match (replaces, token) {
        (Some(id), token) => Ok(Form::Replace(ExistingPaste { id, token }, form)),
        (None, None) => Ok(Form::Save(form)),
        (None, Some(_)) => Err(FormError::unknown_field(Field::Token.name())),
    }
}

fn set_once(option: &mut Option<String>, field: Field, text: String) -> Result<(), FormError> {
    match option.replace(text) {
        Some(_) => Err(FormError::RepeatedField(field.name())),
        None => Ok(()),
    }
}

impl<'a> Fields<'a> {
    /// Sets the password without its line end. A bare line end is an error: it was probably read from an empty file.
    fn set_password(&mut self, value: &[u8]) -> Result<(), FormError> {
        let password = one_line(value);
        if password.is_empty() && !value.is_empty() {
            return Err(FormError::FieldEmpty(Field::Password.name()));
        }
        match self.password.replace(password.to_vec()) {
            Some(_) => Err(FormError::RepeatedField(Field::Password.name())),
            None => Ok(()),
        }
    }

    fn set_content(
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

    /// Fills absent options from the fields without a number.
    fn or(self, common: &Self) -> Self {
        Self {
            title: self.title.or_else(|| common.title.clone()),
            language: self.language.or_else(|| common.language.clone()),
            expires: self.expires.or_else(|| common.expires.clone()),
            burn: self.burn.or_else(|| common.burn.clone()),
            password: self.password.or_else(|| common.password.clone()),
            ..self
        }
    }

    fn complete(self, origin: Origin) -> Result<SaveForm<'a>, FormError> {
        let expires = match origin {
            Origin::Wastebin => self
                .expires
                .map(|it| ExpiryNotation::Seconds.translated(&it)),
            Origin::Terminal | Origin::Website => self.expires,
        };
        Ok(SaveForm {
            content: self.content.ok_or(FormError::NoContent)?,
            origin,
            is_link: self.is_link,
            is_file: self.file_name.is_some(),
            file_name: self.file_name.filter(|name| !name.is_empty()),
            is_untitled: self.is_untitled && self.title.is_none(),
            title: self.title,
            language: self.language,
            expires,
            burn: self.burn,
            password: self.password,
            slug: None,
        })
    }
}

#[cfg(test)]
mod tests;
