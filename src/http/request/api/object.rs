//! The top level of a JSON object that a client sends to the API.
//!
//! Cost: one pass over the body. It ends at the first unknown or repeated member, so an object with many of them costs
//! nothing. Nested values use no stack.

use std::fmt;

use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::MemberError;
use super::member::Member;
use crate::http::request::form::json::without_bom;

/// The value of each known member, as it stands in the body.
pub(super) type RawMembers<'b> = [Option<&'b RawValue>; Member::ALL.len()];

/// Reads the object in a body. Only these members are known.
///
/// # Errors
/// If the body is not an object, or has an unknown or repeated member.
pub(super) fn members<'b>(known: &[Member], body: &'b [u8]) -> Result<RawMembers<'b>, MemberError> {
    let text = std::str::from_utf8(without_bom(body)).map_err(|_| MemberError::NotAnObject)?;
    let mut object = Object {
        known,
        members: RawMembers::default(),
        error: MemberError::NotAnObject,
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let result = json.deserialize_map(&mut object).and_then(|()| json.end());
    result.map(|()| object.members).map_err(|_| object.error)
}

/// Visits the members of an object.
struct Object<'k, 'b> {
    known: &'k [Member],
    members: RawMembers<'b>,
    /// The error if the visit fails.
    error: MemberError,
}

impl<'b> Visitor<'b> for &mut Object<'_, 'b> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'b>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            let known = self.known.iter().find(|member| member.name() == name);
            let Some(&member) = known else {
                self.error = MemberError::unknown(&name, self.known);
                return Err(A::Error::custom("unknown"));
            };
            let value = members.next_value::<&RawValue>()?;
            if self.members[member as usize].replace(value).is_some() {
                self.error = MemberError::Repeated(member);
                return Err(A::Error::custom("repeated"));
            }
        }
        Ok(())
    }
}
