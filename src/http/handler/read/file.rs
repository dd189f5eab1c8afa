//! The file of an archive that a request names: by the path behind the id, or by `file` in the query.

use std::ops::Range;

use percent_encoding::percent_decode_str;

use crate::http::error::ApiError;
use crate::http::request::{Request, query};
use crate::paste::Paste;
use crate::render::file_path;

/// A file of a paste.
pub(super) struct NamedFile {
    pub(super) name: String,
    /// Its place in the content of the whole paste.
    pub(super) place: Range<usize>,
    /// The id of the paste and the name, as a path.
    pub(super) path: String,
}

impl NamedFile {
    /// Returns the file of this paste, as a paste of its own. No budget counts its bytes, so it is made once they are
    /// reserved, or dropped before the request waits.
    pub(super) fn of(&self, whole: &Paste) -> Paste {
        whole.file(&self.name, self.place.clone())
    }
}

/// Returns the file of this paste that the request names. It is boxed, because most reads have none.
///
/// # Errors
/// If there is none of this name. What is behind the id of a paste without files may also be a language, or the name
/// that the reader chose.
pub(super) fn named(
    request: &Request<'_>,
    paste: &Paste,
) -> Result<Option<Box<NamedFile>>, ApiError> {
    let address = request.address();
    let in_query = query::value(request.query(), "file")?;
    let behind_id = address.segment.split_once('/').map(|(_, behind)| behind);
    let in_path = || behind_id.map(|name| percent_decode_str(name).decode_utf8_lossy());
    let is_sure = in_query.is_some() || behind_id.is_some_and(|name| name.contains('/'));
    let Some(name) = in_query.or_else(in_path) else {
        return Ok(None);
    };
    match paste.archive() {
        Some(Ok(archive)) => {
            let named = archive.files().iter().find(|file| file.name == name);
            let place = paste.place_of(named.ok_or(ApiError::NoSuchFile)?);
            let path = [address.id, "/", &file_path(&name)].concat();
            let name = name.into_owned();
            Ok(Some(Box::new(NamedFile { name, place, path })))
        }
        Some(Err(_)) | None if is_sure => Err(ApiError::NoSuchFile),
        Some(Err(_)) | None => Ok(None),
    }
}
