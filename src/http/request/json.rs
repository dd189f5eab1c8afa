//! The direct members of a JSON object.
//!
//! Cost: one pass. Nested values use no stack.

use std::fmt;

use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The body without the byte order mark that some programs write before JSON.
pub(crate) fn without_bom(body: &[u8]) -> &[u8] {
    body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body)
}

/// Calls `each` with the name and the JSON value of each member, until it returns false. Returns false if it did, or if
/// the body is not an object in UTF-8.
pub(crate) fn members<'b>(body: &'b [u8], each: impl FnMut(&str, &'b str) -> bool) -> bool {
    let Ok(text) = std::str::from_utf8(without_bom(body)) else {
        return false;
    };
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_map(Members(each))
        .and_then(|()| json.end())
        .is_ok()
}

struct Members<F>(F);

impl<'b, F: FnMut(&str, &'b str) -> bool> Visitor<'b> for Members<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'b>>(mut self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            let value: &RawValue = members.next_value()?;
            if !(self.0)(&name, value.get()) {
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}
