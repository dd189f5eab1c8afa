//! JSON in the form of another pastebin: a paste as an object, with its options beside its text.
//!
//! Such options are not read here yet, and saving the object as it stands would publish a paste that was to be protected
//! or to burn.
//! Invariants: only an object asks for anything, by the names of its own members. A member that comes twice is read
//! twice. `null`, `false` and an empty text ask for nothing, and zero does not ask to burn.
//! Cost: one pass; nested values take no stack.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Names that ask for a password, without case, `_` and `-`.
const PASSWORD: [&str; 3] = ["password", "passphrase", "passwd"];

/// Names that ask to burn, likewise.
const BURN: [&str; 13] = [
    "burn",
    "burnafter",
    "burnafterread",
    "burnafterreading",
    "burnonread",
    "burnonreading",
    "oneshot",
    "onetime",
    "readonce",
    "viewonce",
    "deleteafterread",
    "deleteafterreading",
    "deleteonread",
];

/// What a body asks for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asks {
    pub(crate) password: bool,
    pub(crate) burn: bool,
}

impl Asks {
    /// What this body asks for; nothing if it is no object.
    pub(crate) fn of(body: &[u8]) -> Self {
        serde_json::from_slice(body).unwrap_or_default()
    }
}

/// Whether this `Content-Type` says that a body is JSON.
pub(crate) fn is_json(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    let media_type = media_type.to_ascii_lowercase();
    media_type
        .strip_prefix("application/")
        .is_some_and(|kind| kind == "json" || kind.ends_with("+json"))
}

impl<'de> Deserialize<'de> for Asks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

/// Looks at the members of an object.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Asks;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Asks, A::Error> {
        let mut asks = Asks::default();
        while let Some(mut name) = members.next_key::<String>()? {
            let value = members.next_value::<&RawValue>()?.get();
            if matches!(value, "null" | "false" | "\"\"") {
                continue;
            }
            name.retain(|c| c != '_' && c != '-');
            name.make_ascii_lowercase();
            asks.password |= PASSWORD.contains(&name.as_str());
            asks.burn |= BURN.contains(&name.as_str()) && value.parse() != Ok(0.0);
        }
        Ok(asks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(body: &str) -> (bool, bool) {
        let asks = Asks::of(body.as_bytes());
        (asks.password, asks.burn)
    }

    #[test]
    fn a_member_of_the_object_asks_by_its_name_however_it_is_written() {
        for (body, expected) in [
            (r#"{"password":"x"}"#, (true, false)),
            (r#"{"PassPhrase":"x"}"#, (true, false)),
            (r#"{"pass\u0077ord":0}"#, (true, false)),
            (r#" {"text":"a","burn_after_reading":true}"#, (false, true)),
            (r#"{"burnAfterReading":1}"#, (false, true)),
            (r#"{"one-shot":"yes"}"#, (false, true)),
            (r#"{"burn":{"after":1},"password":["x"]}"#, (true, true)),
            (r#"{"burn":true,"burn":false}"#, (false, true)),
            (r#"{"burn":false,"burn":-1}"#, (false, true)),
        ] {
            assert_eq!(asks(body), expected, "{body}");
        }
    }

    #[test]
    fn what_says_no_lies_deeper_or_is_no_object_asks_for_nothing() {
        for body in [
            r#"{"password":null,"burn":null}"#,
            r#"{"password":"","burn":""}"#,
            r#"{"password":false,"burn":false}"#,
            r#"{"burn":0,"oneshot":0.0}"#,
            r#"{"user":{"password":"x"}}"#,
            r#"[{"password":"x"}]"#,
            r#""password""#,
            r#"{"password":"x""#,
            r#"{"password":"x"} {}"#,
            r#"{"passwords":1,"pass":2}"#,
            "{}",
            "",
        ] {
            assert_eq!(asks(body), (false, false), "{body}");
        }
    }

    #[test]
    fn what_is_nested_deeply_hides_nothing_and_takes_no_stack() {
        let deep = |name: &str| {
            let (open, close) = ("[".repeat(1 << 20), "]".repeat(1 << 20));
            asks(&format!(r#"{{"{name}":{open}{close},"burn":1}}"#))
        };
        assert_eq!(deep("text"), (false, true));
        assert_eq!(deep("password"), (true, true));
    }

    #[test]
    fn json_is_told_by_its_media_type_alone() {
        for (content_type, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/vnd.api+json ; a=b", true),
            ("application/jsonl", false),
            ("text/plain; a=application/json", false),
            ("text/json", false),
            ("", false),
        ] {
            assert_eq!(is_json(content_type), expected, "{content_type}");
        }
    }
}
