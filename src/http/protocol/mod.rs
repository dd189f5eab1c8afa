//! APIs of other pastebins, one file each: parse the request, save or read the paste, respond in their format.

pub(crate) mod home;
mod ix;
mod failure;
mod fields;
pub(crate) mod haste;
pub(crate) mod record;
pub(crate) mod rustypaste;
mod wastebin;
