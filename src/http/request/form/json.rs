//! Detection of JSON bodies written for other pastebins: an object that holds both the text and its options.
//!
//! Where such an object is only content, its options have no effect. Saving it as it is would publish a paste that
//! should be protected, burn or expire.
//! Invariants:
//! - Only the direct members of an object count. A repeated member counts each time.
//! - `null`, `false` and an empty string request nothing. Zero requests neither a burn nor an expiry.
//! - An expiry counts only beside a text: many objects that are no pastes have one.
//!
//! Cost: one pass. Nested values use no stack. A body that does not start with a brace is not parsed.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::field::Field;

/// Member names that request a password, in lower case without `_` and `-`.
const PASSWORD: [&str; 3] = ["password", "passphrase", "passwd"];

/// Member names that request a burn, in lower case without `_` and `-`.
const BURN: [&str; 18] = [
    "burn",
    "burnafter",
    "burnafterread",
    "burnafterreading",
    "burnafterviews",
    "burnonread",
    "burnonreading",
    "oneshot",
    "onetime",
    "readonce",
    "viewonce",
    "maxviews",
    "maxreads",
    "maxdownloads",
    "deleteafterread",
    "deleteafterreading",
    "deleteafterviews",
    "deleteonread",
];

/// Member names that request an expiry, in lower case without `_` and `-`.
const EXPIRY: [&str; 20] = [
    "apipasteexpiredate",
    "expiredate",
    "expiresinseconds",
    "expire",
    "expires",
    "expiry",
    "expiration",
    "expirein",
    "expiresin",
    "expireat",
    "expiresat",
    "expireafter",
    "expiresafter",
    "expirydays",
    "expirydate",
    "expirationdate",
    "expirationseconds",
    "ttl",
    "ttlseconds",
    "lifetime",
];

/// Member names whose value is the text of a paste if it is a string, in lower case without `_` and `-`.
const TEXT: [&str; 6] = ["text", "content", "contentbase64", "data", "code", "paste"];

/// The members of a paste that PrivateBin's page has encrypted. Its burn and its expiry are inside them.
const PRIVATE_BIN: [&str; 4] = ["v", "adata", "ct", "meta"];

/// The options that a body requests.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestedProtection {
    pub(crate) password: bool,
    pub(crate) burn: bool,
    pub(crate) expiry: bool,
    /// Whether the body is a paste of PrivateBin.
    pub(crate) is_private_bin: bool,
}

impl RequestedProtection {
    /// Reads the members of a body, up to its first syntax error. A body that is not a JSON object requests nothing.
    pub(crate) fn of(body: &[u8]) -> Self {
        Self::of_all_but("", body)
    }

    /// The same, without the request of a member with exactly this name.
    pub(crate) fn of_all_but(honoured: &str, body: &[u8]) -> Self {
        Members::of(honoured, body).requested()
    }

    /// The same for a body that is not labelled as JSON. It requests nothing unless it is a paste for certain: it has a
    /// text, and no other members than those of a paste.
    pub(crate) fn of_unlabelled(body: &[u8]) -> Self {
        let members = Members::of("", body);
        let is_private_bin = members.is_private_bin();
        match is_private_bin || members.has_text && !members.has_others {
            true => members.requested(),
            false => Self::default(),
        }
    }
}

/// The body without the byte order mark that some programs write before JSON.
pub(crate) fn without_bom(body: &[u8]) -> &[u8] {
    body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body)
}

/// Returns whether a member or field of this name requests a password, a burn or an expiry.
pub(super) fn requests_protection(name: &str) -> bool {
    let name = normalized(name.to_owned());
    let lists: [&[&str]; 3] = [&PASSWORD, &BURN, &EXPIRY];
    lists.iter().any(|names| names.contains(&name.as_str()))
}

/// Returns the name in lower case without `_` and `-`.
fn normalized(mut name: String) -> String {
    name.retain(|c| c != '_' && c != '-');
    name.make_ascii_lowercase();
    name
}

/// The requests of the members of an object.
#[derive(Default)]
struct Members<'a> {
    /// The name of a member that requests nothing.
    honoured: &'a str,
    protection: RequestedProtection,
    has_text: bool,
    /// Whether it has members that no paste has.
    has_others: bool,
    /// Which of the members of PrivateBin it has.
    private_bin: [bool; PRIVATE_BIN.len()],
}

impl<'a> Members<'a> {
    fn of(honoured: &'a str, body: &[u8]) -> Self {
        let mut members = Self {
            honoured,
            ..Self::default()
        };
        let body = without_bom(body);
        if body.trim_ascii_start().starts_with(b"{") {
            let text = String::from_utf8_lossy(body);
            // The members before an error count: a guess at the sender's intention could publish a secret.
            let _ = serde_json::Deserializer::from_str(&text).deserialize_map(&mut members);
        }
        members
    }

    fn requested(&self) -> RequestedProtection {
        RequestedProtection {
            expiry: self.protection.expiry && self.has_text,
            is_private_bin: self.is_private_bin(),
            ..self.protection
        }
    }

    fn is_private_bin(&self) -> bool {
        self.private_bin == [true; PRIVATE_BIN.len()]
    }

    fn add(&mut self, name: &str, value: &str) {
        let is_asking = !matches!(value, "null" | "false" | "\"\"");
        let is_positive = is_asking && value.parse() != Ok(0.0);
        if let Some(index) = PRIVATE_BIN.iter().position(|known| *known == name) {
            self.private_bin[index] = true;
        }
        if PASSWORD.contains(&name) {
            self.protection.password |= is_asking;
        } else if BURN.contains(&name) {
            self.protection.burn |= is_positive;
        } else if EXPIRY.contains(&name) {
            self.protection.expiry |= is_positive;
        } else if TEXT.contains(&name) {
            self.has_text |= value.starts_with('"');
        } else {
            // Every option of a form that does not protect is one of a paste; `owner` is wastebin's.
            let known = Field::named(name).is_some_and(|field| !field.is_content());
            self.has_others |= !known && name != "owner";
        }
    }
}

impl<'de> Visitor<'de> for &mut Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value::<&RawValue>()?.get();
            if name != self.honoured {
                self.add(&normalized(name), value);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn protection(body: &str) -> (bool, bool) {
        let protection = RequestedProtection::of(body.as_bytes());
        assert!(!protection.expiry, "{body}");
        (protection.password, protection.burn)
    }

    #[test]
    fn an_expiry_counts_only_beside_a_text() {
        for (body, expected) in [
            (r#"{"content":"a","expires":"1h"}"#, true),
            (r#"{"expiry-days":1,"Data":"a"}"#, true),
            (r#"{"text":"a","expires_in":60"#, true),
            (r#"{"text":"a","expire_date":60}"#, true),
            (r#"{"text":"a","expires_in_seconds":60}"#, true),
            (r#"{"text":"a","ttl":60,}"#, true),
            (r#"{"text":"a","expires":0,"ttl":null}"#, false),
            (r#"{"text":["a"],"expires":60}"#, false),
            (r#"{"access_token":"a","expires_in":60}"#, false),
            (r#"{"text":"a","more":{"expires":60}}"#, false),
            (r#"{"text":"a","expired":60}"#, false),
        ] {
            let protection = RequestedProtection::of(body.as_bytes());
            assert_eq!(protection.expiry, expected, "{body}");
        }
    }

    #[test]
    fn json_without_a_label_requests_something_only_if_it_is_a_paste_for_certain() {
        for (body, expected) in [
            (r#"{"text":"a","burn":1}"#, true),
            (
                r#"{"content_base64":"eA==","title":null,"expires":60}"#,
                true,
            ),
            (
                r#"{"owner":1,"extension":"rs","text":"a","password":"x"}"#,
                true,
            ),
            ("\u{feff} {\"text\":\"a\",\"burn\":1}", true),
            (
                r#"{"text":"a","syntax":"c","name":"b","private":1,"burn":1}"#,
                true,
            ),
            (
                r#"{"v":2,"adata":[[],"plaintext",0,1],"ct":"eA==","meta":{}}"#,
                true,
            ),
            (r#"{"v":2,"ct":"eA==","meta":{}}"#, false),
            (r#"{"text":"a","burn":0}"#, false),
            (r#"{"burn":1}"#, false),
            (r#"{"text":1,"burn":1}"#, false),
            (r#"{"text":"a","burn":1,"version":2}"#, false),
            (r#"[{"text":"a","burn":1}]"#, false),
        ] {
            let protection = RequestedProtection::of_unlabelled(body.as_bytes());
            let expected = expected != (protection == RequestedProtection::default());
            assert!(expected, "{body}");
        }
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
