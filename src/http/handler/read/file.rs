//! The file of an archive that a request names: by the path behind the id, or by `file` in the query.

use std::ops::Range;

use percent_encoding::percent_decode_str;

use crate::http::error::ApiError;
use crate::http::request::{Request, query};
use crate::page::{file_path, segment};
use crate::paste::{Access, Archive, ArchivedFile, ContentSlice, Language, Paste};

/// A file of a paste.
pub(crate) struct NamedFile {
    pub(super) name: String,
    /// Its place in the content of the whole paste.
    pub(super) place: Range<usize>,
    /// The id of the paste and the name, as a path.
    pub(super) path: String,
}

/// Returns the file of this content that the request names. It is boxed, because most reads have none.
///
/// # Errors
/// If there is none of this name, or the paste burns: a view of one file would use up the others. What is behind the id
/// of a paste without files may also be a language, or the name that the reader chose.
pub(super) fn named(
    request: &Request<'_>,
    content: &[u8],
    access: Access,
) -> Result<Option<Box<NamedFile>>, ApiError> {
    let address = request.address();
    let in_query = query::value(request.query(), "file")?;
    let behind_id = address.segment.split_once('/').map(|(_, behind)| behind);
    let in_path = || behind_id.map(|name| percent_decode_str(name).decode_utf8_lossy());
    let is_sure = in_query.is_some() || behind_id.is_some_and(|name| name.contains('/'));
    let Some(name) = in_query.or_else(in_path) else {
        return Ok(None);
    };
    match Archive::of(content).and_then(Result::ok) {
        Some(_) if access.reads_left().is_some() => Err(ApiError::FilesBurn),
        None if !is_sure => Ok(None),
        archive => NamedFile::of(archive, content, address.id, &name).map(Some),
    }
}

impl NamedFile {
    /// Returns the file of this name in the archive that the content of the paste with this id is.
    pub(super) fn of(
        archive: Option<Archive<'_>>,
        content: &[u8],
        id: &str,
        name: &str,
    ) -> Result<Box<Self>, ApiError> {
        let mut files = archive.into_iter().flat_map(Archive::into_files);
        let file = files.find(|file| file.name == name);
        Ok(Box::new(Self {
            place: file.ok_or(ApiError::NoSuchFile)?.place_in(content),
            path: [id, "/", &file_path(name)].concat(),
            name: name.to_owned(),
        }))
    }

    /// Returns the file as a paste of its own, with a copy of its bytes.
    pub(super) fn copy(&self, whole: &Paste) -> Paste {
        whole.file(&ArchivedFile {
            name: self.name.as_str().into(),
            content: whole.bytes()[self.place.clone()].into(),
        })
    }

    /// Returns the language that its name tells.
    pub(super) fn language(&self) -> Option<Language> {
        Language::of_file(&self.name)
    }

    /// Returns its name as a download.
    pub(super) fn download_name(&self) -> String {
        segment(&self.name)
    }
}

/// Returns the content of this file, or else of the whole paste.
pub(super) fn content_of<'a>(file: Option<&NamedFile>, whole: &'a Paste) -> ContentSlice<'a> {
    match file {
        Some(file) => ContentSlice::of(&whole.bytes()[file.place.clone()]),
        None => whole.content(),
    }
}
