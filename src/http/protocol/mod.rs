//! APIs of other pastebins, one file each: parse the request, save or read the paste, respond in their format.

pub(crate) mod dpaste;
mod fields;
pub(crate) mod gist;
pub(crate) mod haste;
pub(crate) mod mclogs;
pub(crate) mod pastebin;
pub(crate) mod pinnwand;
pub(crate) mod privatebin;
pub(crate) mod record;
