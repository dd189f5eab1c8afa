//! Detection of JSON bodies written for other pastebins: an object that holds both the text and its options.
//!
//! Such options are not supported yet. Saving the object as it is would publish a paste that should be protected or
//! burn.
//! Invariants:
//! - Only the direct members of an object count. A repeated member counts each time.
//! - `null`, `false` and an empty string request nothing. Zero does not request a burn.
//!
//! Cost: one pass. Nested values use no stack.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Member names that request a password, in lower case without `_` and `-`.
const PASSWORD: [&str; 3] = ["password", "passphrase", "passwd"];

/// Member names that request a burn, in lower case without `_` and `-`.
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

/// The options that a body requests.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestedProtection {
    pub(crate) password: bool,
    pub(crate) burn: bool,
}

impl RequestedProtection {
    /// Reads the members of a body, up to its first syntax error. A body that is not a JSON object requests nothing.
    pub(crate) fn of(body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut protection = Self::default();
        // The members before an error count: a guess at what the sender meant could publish a secret.
        let _ = serde_json::Deserializer::from_str(text).deserialize_map(Members(&mut protection));
        protection
    }
}

/// Returns whether a member or field of this name requests a password or a burn.
pub(super) fn requests_protection(name: &str) -> bool {
    let name = normalized(name.to_owned());
    PASSWORD.contains(&name.as_str()) || BURN.contains(&name.as_str())
}

/// Returns the name in lower case without `_` and `-`.
fn normalized(mut name: String) -> String {
    name.retain(|c| c != '_' && c != '-');
    name.make_ascii_lowercase();
    name
}

/// Visits the members of an object and records the requested options.
struct Members<'a>(&'a mut RequestedProtection);

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Self(protection) = self;
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value::<&RawValue>()?.get();
            if matches!(value, "null" | "false" | "\"\"") {
                continue;
            }
            let name = normalized(name);
            protection.password |= PASSWORD.contains(&name.as_str());
            protection.burn |= BURN.contains(&name.as_str()) && value.parse() != Ok(0.0);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn protection(body: &str) -> (bool, bool) {
        let protection = RequestedProtection::of(body.as_bytes());
        (protection.password, protection.burn)
    }

    #[test]
    fn a_member_is_recognized_in_any_spelling_of_its_name() {
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
            (r#"{"password":"x""#, (true, false)),
            (r#"{"burn":true,}"#, (false, true)),
            (r#"{"password":"x"} {}"#, (true, false)),
            ("\u{feff}{\"burn\":true}", (false, true)),
        ] {
            assert_eq!(protection(body), expected, "{body}");
        }
    }

    #[test]
    fn a_false_or_nested_member_or_another_value_requests_nothing() {
        for body in [
            r#"{"password":null,"burn":null}"#,
            r#"{"password":"","burn":""}"#,
            r#"{"password":false,"burn":false}"#,
            r#"{"burn":0,"oneshot":0.0}"#,
            r#"{"user":{"password":"x"}}"#,
            r#"[{"password":"x"}]"#,
            r#""password""#,
            r#"{"passwords":1,"pass":2}"#,
            "{}",
            "",
        ] {
            assert_eq!(protection(body), (false, false), "{body}");
        }
    }

    #[test]
    fn a_deeply_nested_value_hides_no_member_and_uses_no_stack() {
        let deep = |name: &str| {
            let (open, close) = ("[".repeat(1 << 20), "]".repeat(1 << 20));
            protection(&format!(r#"{{"{name}":{open}{close},"burn":1}}"#))
        };
        assert_eq!(deep("text"), (false, true));
        assert_eq!(deep("password"), (true, true));
    }
}
