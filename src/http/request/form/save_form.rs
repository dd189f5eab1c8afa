//! A form sent to `/`, parsed but for the values of its options. Its builder adds fields in the order sent, under rules
//! that all encodings share.
//!
//! Invariants:
//! - A paste has one content, which is not empty. Several files become one content, an archive.
//! - No option is set twice.
//! - An empty value counts as absent: browsers send an empty file part along with a filled text area, and empty
//!   options.
//! - An empty password or burn count is stored. Only the caller knows whether this client sends empty fields by
//!   default.
//! - An empty `oneshot` or `protected` is an error: the client may have meant a switch.
//! - An empty title is recorded, because a change can remove a title.

use std::borrow::Cow;

use serde::Deserialize;

use super::field::{self, Field, Meaning};
use super::fields::{self, Fields};
use super::urlencoded::one_line;
use crate::http::request::error::RequestError;
use crate::http::request::expiry_rules::words_of_expiry;
use crate::paste::{Archive, Language, Title};

/// A form sent to `/`.
#[cfg_attr(test, derive(Debug))]
pub(crate) enum Form<'a> {
    Save(SaveForm<'a>),
    /// Replaces the content of a paste.
    Replace(ExistingPaste, SaveForm<'a>),
    /// Deletes a paste.
    Remove(ExistingPaste),
}

/// The paste that a form sent to `/` acts on. The id and the token must not reach a log.
#[cfg_attr(test, derive(Debug))]
pub(crate) struct ExistingPaste {
    /// The id, unparsed.
    pub(crate) id: String,
    /// The token of the paste, if the form has it.
    pub(crate) token: Option<String>,
}

/// A form that saves a paste. Its content and its options must not reach a log.
#[cfg_attr(test, derive(Debug))]
#[derive(Default)]
pub(crate) struct SaveForm<'a> {
    /// The content to save, at least one byte.
    pub(crate) content: Cow<'a, [u8]>,
    /// The pastebin that the form was written for.
    pub(crate) origin: Origin,
    /// Whether the content is the URL of a link to create.
    pub(crate) is_link: bool,
    /// Whether the content is a question to ask.
    pub(crate) is_question: bool,
    /// Whether the line ends of the content must not change: it was sent as a file, or has those of Windows.
    pub(crate) is_file: bool,
    /// Whether an empty title was sent, and no other.
    pub(crate) is_untitled: bool,
    /// The options, unparsed.
    pub(crate) options: Fields<'a>,
    /// The contents that were sent as files, with their names.
    files: Vec<(String, Cow<'a, [u8]>)>,
    /// Who can read the paste, if the form says so.
    readers: Option<Cow<'a, [u8]>>,
    /// The id of the paste whose content is replaced.
    pub(super) replaces: Option<String>,
}

/// The pastebin whose names a form uses, as far as the answer depends on it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    #[default]
    Terminal,
    /// A pastebin whose form redirects to the page of the paste.
    Website,
    /// wastebin: as [`Self::Website`], and a bare number in `expires` is in seconds.
    Wastebin,
}

/// The fields of one protocol alone, by which an urlencoded form is told to be of it.
const OF_ORIGIN: [(Origin, &[&str]); 2] = [
    (
        Origin::Website,
        &["code", "val", "poster", "expire", "expiration", "expiry"],
    ),
    (
        Origin::Wastebin,
        &["extension", "burn-after-reading", "burn_after_reading"],
    ),
];

impl Origin {
    pub(super) fn of_field(name: &str) -> Self {
        let mut origins = OF_ORIGIN.iter();
        let origin = origins.find(|(_, fields)| fields.contains(&name));
        origin.map_or(Self::Terminal, |(origin, _)| *origin)
    }
}

impl<'a> Form<'a> {
    /// The one paste that the form saves.
    ///
    /// # Errors
    /// If the form does anything else.
    pub(crate) fn single(self) -> Result<SaveForm<'a>, RequestError> {
        match self {
            Form::Save(form) => Ok(form),
            Form::Replace(..) => Err(RequestError::SeveralContents),
            Form::Remove(_) => Err(RequestError::NoContent),
        }
    }
}

/// Maximum size in bytes of a field that names a paste.
const MAX_ID: usize = 1024;

/// A JSON string.
#[derive(Deserialize)]
struct Text<'b>(#[serde(borrow)] Cow<'b, str>);

/// An incomplete form.
#[derive(Default)]
pub(super) struct Builder<'a> {
    paste: SaveForm<'a>,
    removes: Option<String>,
    token: Option<String>,
}

impl<'a> Builder<'a> {
    /// Adds one field. `file_name` is present, maybe empty, if the field was sent as a file.
    ///
    /// # Errors
    /// If the field is unknown, repeated, too long or not supported, or is a second content.
    pub(super) fn add(
        &mut self,
        name: &str,
        field: Option<Field>,
        value: Cow<'a, [u8]>,
        file_name: Option<String>,
    ) -> Result<(), RequestError> {
        let field = field.ok_or_else(|| field::unknown(name))?;
        let paste = &mut self.paste;
        // Browsers send an empty part without a name if no file was chosen.
        let is_file = file_name
            .as_ref()
            .is_some_and(|name| !name.is_empty() || !value.is_empty());
        let id = match field.meaning {
            _ if value.is_empty() && matches!(name, "oneshot" | "oneshot_url" | "protected") => {
                return Err(RequestError::FieldEmpty(field.name, field.allowed));
            }
            Meaning::Option(option) if !value.is_empty() || option.needs_value => {
                if value.len() > option.longest {
                    return Err(RequestError::FieldTooLong(field.name, field.allowed));
                }
                // It was probably read from an empty file.
                if field.name == "password" && !value.is_empty() && one_line(&value).is_empty() {
                    return Err(RequestError::FieldEmpty(field.name, field.allowed));
                }
                return paste.options.set(option.name, translated(name, value));
            }
            Meaning::Refused(error) if !value.is_empty() || name != "remote" => {
                return Err(error.clone());
            }
            Meaning::Content | Meaning::Oneshot if is_file => {
                paste.files.push((file_name.unwrap_or_default(), value));
                return match field.meaning {
                    Meaning::Oneshot => paste.options.set("burn", b"1".into()),
                    _ => Ok(()),
                };
            }
            _ if value.is_empty() => {
                paste.is_untitled |= field.name == "title";
                return Ok(());
            }
            Meaning::Readers if matches!(&*value, b"link" | b"once" | b"password") => {
                return match paste.readers.replace(value) {
                    None => Ok(()),
                    Some(_) => Err(RequestError::RepeatedField(field.name, field.allowed)),
                };
            }
            Meaning::Ends if *value == *b"crlf" => {
                paste.is_file = true;
                return Ok(());
            }
            Meaning::Ends | Meaning::Readers => {
                return Err(RequestError::FieldValue(field.name, field.allowed));
            }
            Meaning::Content => return paste.set_content(value),
            Meaning::Oneshot => {
                paste.set_content(value)?;
                return paste.options.set("burn", b"1".into());
            }
            Meaning::Link => {
                paste.is_link = true;
                return paste.set_content(value);
            }
            Meaning::Question => {
                paste.is_question = true;
                return paste.set_content(value);
            }
            Meaning::Ignored | Meaning::Option(_) | Meaning::Refused(_) => return Ok(()),
            Meaning::Replaces => &mut paste.replaces,
            Meaning::Removes => &mut self.removes,
            Meaning::Token => &mut self.token,
        };
        if value.len() > MAX_ID {
            return Err(RequestError::FieldTooLong(field.name, field.allowed));
        }
        match id.replace(String::from_utf8_lossy(&value).into_owned()) {
            Some(_) => Err(field::repeated(field.name)),
            None => Ok(()),
        }
    }

    /// Adds one member of an object. A string is the value of a field, and so is a number of views or of seconds.
    /// `null` and `false` ask for nothing.
    ///
    /// # Errors
    /// As [`Self::add`], and if the value is any other.
    pub(super) fn add_json(
        &mut self,
        name: &str,
        field: Option<Field>,
        value: &'a str,
    ) -> Result<(), RequestError> {
        let field = field.ok_or_else(|| field::unknown(name))?;
        let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
        let text = match field.meaning {
            Meaning::Ignored => return Ok(()),
            _ if matches!(value, "null" | "false") => return Ok(()),
            Meaning::Option(option) if option.is_number && is_number => Cow::Borrowed(value),
            Meaning::Option(_) if value == "true" && is_check_box(name) => Cow::Borrowed(value),
            _ => match serde_json::from_str(value) {
                Ok(Text(text)) => text,
                Err(_) => return Err(RequestError::FieldValue(field.name, field.allowed)),
            },
        };
        // A browser may send an empty field of a form, but no program means an empty password in JSON.
        if text.is_empty() && field.name == "password" {
            return Err(RequestError::FieldEmpty(field.name, field.allowed));
        }
        self.add(name, Some(field), fields::bytes(text), None)
    }

    /// Returns the complete form.
    ///
    /// # Errors
    /// If a paste has no content, or the form both deletes and saves.
    pub(super) fn finish(self, origin: Origin) -> Result<Form<'a>, RequestError> {
        let Self {
            paste,
            removes,
            token,
        } = self;
        if let Some(id) = removes {
            return match paste.content.is_empty() {
                true => Ok(Form::Remove(ExistingPaste { id, token })),
                false => Err(RequestError::SeveralContents),
            };
        }
        let mut form = paste.complete(origin)?;
        match (form.replaces.take(), token) {
            (Some(id), token) => Ok(Form::Replace(ExistingPaste { id, token }, form)),
            (None, None) => Ok(Form::Save(form)),
            (None, Some(_)) => Err(field::unknown("token")),
        }
    }
}

impl<'a> SaveForm<'a> {
    fn set_content(&mut self, value: Cow<'a, [u8]>) -> Result<(), RequestError> {
        if !self.content.is_empty() {
            return Err(RequestError::SeveralContents);
        }
        self.content = value;
        Ok(())
    }

    /// Makes the files the content. An empty one beside a text was chosen by mistake.
    fn set_files(&mut self) -> Result<(), RequestError> {
        let mut files = std::mem::take(&mut self.files);
        match &mut *files {
            [] => Ok(()),
            files if !self.content.is_empty() => match files.iter().all(|(_, it)| it.is_empty()) {
                true => Ok(()),
                false => Err(RequestError::SeveralContents),
            },
            [(name, content)] => {
                self.is_file = true;
                self.content = std::mem::take(content);
                self.options
                    .set_text("filename", std::mem::take(name).into())
            }
            _ => {
                self.is_file = true;
                self.content = archive_of(files)?.into();
                Ok(())
            }
        }
    }

    /// Lets a paste for one reader burn, and refuses one without the password that it should have.
    fn choose_readers(&mut self) -> Result<(), RequestError> {
        let is_set = |it: Option<&[u8]>| it.is_some_and(|value| !value.is_empty());
        match self.readers.as_deref() {
            Some(b"once") if !is_set(self.options.get("burn")) => {
                match self.options.get_mut("burn") {
                    Some(burn) => *burn = b"1".into(),
                    None => self.options.set("burn", b"1".into())?,
                }
                Ok(())
            }
            Some(b"password") if !is_set(self.options.get("password")) => {
                let allowed = Field::named("password").map_or("", |field| field.allowed);
                Err(RequestError::FieldEmpty("password", allowed))
            }
            _ => Ok(()),
        }
    }

    fn complete(mut self, origin: Origin) -> Result<Self, RequestError> {
        self.set_files()?;
        if self.content.is_empty() {
            return Err(RequestError::NoContent);
        }
        self.choose_readers()?;
        self.origin = origin;
        self.is_untitled &= self.options.get("title").is_none();
        if origin == Origin::Wastebin
            && let Some(expires) = self.options.get_mut("expires")
        {
            *expires = translated("expire", std::mem::take(expires));
        }
        Ok(self)
    }
}

/// Returns the archive of these files. A file keeps its path if the archive can have that, else the last part of it. One
/// without a name gets its number.
fn archive_of(files: Vec<(String, Cow<'_, [u8]>)>) -> Result<Vec<u8>, RequestError> {
    let named = (1..).zip(files).map(|(number, (name, content))| {
        let name = match Title::from_file_name(&name) {
            Some(_) if Archive::is_name(&name) => name,
            Some(title) => title.as_str().to_owned(),
            None => format!("{number}.txt"),
        };
        (name, content)
    });
    Archive::bytes_of(named).map_err(RequestError::Files)
}

/// Whether the field is a check box. A browser sends it only if it is checked.
pub(super) fn is_check_box(name: &str) -> bool {
    matches!(name, "burn-after-reading" | "burn_after_reading")
}

/// The value of an option as its parser reads it: some pastebins have a notation of their own. An expiry in any other
/// notation is left as it is, so that it is refused later.
fn translated<'a>(name: &str, value: Cow<'a, [u8]>) -> Cow<'a, [u8]> {
    let text = value.trim_ascii();
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    match (name, text) {
        ("expire", b"-1") => b"never".into(),
        ("expire", _) if is_number => [text, b"s"].concat().into(),
        ("expiry", _) => words_of_expiry(&String::from_utf8_lossy(text))
            .into_bytes()
            .into(),
        ("expiration", b"day") => b"1d".into(),
        ("expiration", b"week") => b"7d".into(),
        ("expiration", b"month") => b"30d".into(),
        ("expiration", b"year") => b"365d".into(),
        ("syntax" | "lexer" | "extension" | "ext" | "ext:1", _) => known_or_none(value),
        // Some clients send a number of their own list.
        ("lang" | "language", b"-1") => Cow::default(),
        ("lang" | "language", _) if is_number => Cow::default(),
        (name, _) if is_check_box(name) && matches!(&*value, b"on" | b"true") => b"1".into(),
        _ => value,
    }
}

/// The name of a language, or nothing if it is unknown. The clients of other pastebins send names, numbers and file
/// endings that only those know.
fn known_or_none(value: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let name = String::from_utf8_lossy(&value);
    match Language::from_name(name.trim()) {
        Some(_) => value,
        None => Cow::default(),
    }
}

#[cfg(test)]
mod tests;
