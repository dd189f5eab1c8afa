//! A sealed message: a text that was encrypted before it was sent, in version 2 of PrivateBin's format.
//!
//! The content of a sealed paste is `{"v":2,"adata":ADATA,"ct":"BASE64"}`, without any other byte around its parts. So
//! its form shows what it is. `adata` is authenticated by the encryption, hence it stays byte for byte as it was sent.
//! Invariants: a message has one cipher, sizes that browsers decrypt, and a number of iterations that they finish in
//! seconds. The server holds no key and decrypts nothing.
//! Cost: a content that is none costs a comparison of a few bytes, and one that is costs a pass over it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use thiserror::Error;

const START: &str = r#"{"v":2,"adata":"#;
const MIDDLE: &str = r#","ct":""#;
const END: &str = r#""}"#;

/// Maximum bytes of `adata`. Clients send about 120.
const LONGEST_ADATA: usize = 512;
/// The bytes of a tag, which every ciphertext has.
const TAG_BYTES: usize = 16;

/// What the operator says about sealed messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encryption {
    /// They are stored.
    #[default]
    On,
    /// They are refused.
    Off,
    /// They are stored, and the editor makes them unless a person chooses otherwise.
    Default,
}

/// A checked message. It borrows from the content or the request that it was found in.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedMessage<'a> {
    adata: &'a str,
    ct: Cow<'a, str>,
    /// Whether the paste is deleted when it is read.
    pub(crate) burns: bool,
}

/// Why a body is not a sealed message that can be stored. The message is one line that says what to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SealedMessageError {
    /// The body is no JSON object, lacks a member or has another, or one of another type.
    #[error(
        "This is not a message of PrivateBin's format 2. Send `v`, `adata`, `ct` and `meta`, and no other member."
    )]
    Malformed,
    /// The message has another version.
    #[error("Only version 2 of PrivateBin's format is stored. Use a newer client.")]
    Version,
    /// The message asks for comments.
    #[error("Discussions are not supported. Send the paste without one.")]
    Discussion,
    /// The cipher, its mode, the sizes of key and tag, or the compression is not known.
    #[error(
        "Only `aes` in mode `gcm` with a key of 256 bits and a tag of 128, and `zlib` or `none`, are supported."
    )]
    Algorithm,
    /// The number of iterations is too small to protect the text, or too large for a browser.
    #[error("The number of iterations is not supported. Use at least 10000 and at most 10000000.")]
    Iterations,
    /// The formatter is not known.
    #[error("The formatter is not supported. Use `plaintext`, `syntaxhighlighting` or `markdown`.")]
    Formatter,
    /// The initialization vector, the salt or the ciphertext is not base64, or too short or too long.
    #[error(
        "The message has invalid base64. Send 12 to 16 bytes of IV, 8 to 32 of salt, and 16 or more of `ct`."
    )]
    Base64,
}

use SealedMessageError as E;

/// The body of a client's request. `pbcli` sends an empty `id`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    #[serde(borrow)]
    v: &'a RawValue,
    #[serde(borrow)]
    adata: &'a RawValue,
    #[serde(borrow)]
    ct: Cow<'a, str>,
    meta: Meta,
    #[serde(rename = "id")]
    _id: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    expire: Option<String>,
}

/// The cipher, the formatter, whether there are comments, and whether the paste burns.
type Adata = (Cipher, String, u8, u8);
/// IV, salt, iterations, bits of the key and of the tag, algorithm, mode, and compression.
type Cipher = (String, String, u64, u64, u64, String, String, String);

impl<'a> SealedMessage<'a> {
    /// Returns the message that a content is, or `None` if it is none.
    pub fn of(content: &'a [u8]) -> Option<Self> {
        let message = content.strip_prefix(START.as_bytes())?;
        let message = message.strip_suffix(END.as_bytes())?;
        let message = std::str::from_utf8(message).ok()?;
        let adata_ends = message
            .as_bytes()
            .windows(MIDDLE.len())
            .take(LONGEST_ADATA + 1)
            .position(|bytes| bytes == MIDDLE.as_bytes())?;
        let (adata, rest) = message.split_at(adata_ends);
        let ct = rest.strip_prefix(MIDDLE)?;
        Self::new(adata, Cow::Borrowed(ct)).ok()
    }

    /// Reads the body of a client that saves. Returns the message, and the lifetime that the client asked for.
    ///
    /// # Errors
    /// Fails if the body is not a message that can be stored. [`SealedMessageError`] lists the reasons.
    pub fn from_request(body: &'a [u8]) -> Result<(Self, Option<String>), SealedMessageError> {
        let request: Request<'a> = serde_json::from_slice(body).map_err(|_| E::Malformed)?;
        if request.v.get() != "2" {
            return Err(E::Version);
        }
        let message = Self::new(request.adata.get(), request.ct)?;
        Ok((message, request.meta.expire))
    }

    fn new(adata: &'a str, ct: Cow<'a, str>) -> Result<Self, SealedMessageError> {
        if adata.len() > LONGEST_ADATA {
            return Err(E::Malformed);
        }
        let parsed: Adata = serde_json::from_str(adata).map_err(|_| E::Malformed)?;
        let (cipher, formatter, discussion, burns) = parsed;
        check_cipher(&cipher)?;
        if !matches!(&*formatter, "plaintext" | "syntaxhighlighting" | "markdown") {
            return Err(E::Formatter);
        }
        let burns = match (discussion, burns) {
            (0, 0 | 1) => burns == 1,
            (1, 0 | 1) => return Err(E::Discussion),
            _ => return Err(E::Malformed),
        };
        match decoded_len(&ct) {
            Some(TAG_BYTES..) => Ok(Self { adata, ct, burns }),
            Some(_) | None => Err(E::Base64),
        }
    }

    /// Returns the message in the form in which it is stored.
    pub fn content(&self) -> String {
        [START, self.adata, MIDDLE, &self.ct, END].concat()
    }
}

fn check_cipher(cipher: &Cipher) -> Result<(), SealedMessageError> {
    let (iv, salt, iterations, key_bits, tag_bits, algorithm, mode, compression) = cipher;
    let is_known = (*key_bits, *tag_bits, &**algorithm, &**mode) == (256, 128, "aes", "gcm")
        && matches!(&**compression, "zlib" | "none");
    let has_length = |text, range: std::ops::RangeInclusive<usize>| {
        decoded_len(text).is_some_and(|length| range.contains(&length))
    };
    match () {
        () if !is_known => Err(E::Algorithm),
        () if !(10_000..=10_000_000).contains(iterations) => Err(E::Iterations),
        () if !has_length(iv, 12..=16) || !has_length(salt, 8..=32) => Err(E::Base64),
        () => Ok(()),
    }
}

/// Returns how many bytes a text in base64 with padding stands for, or `None` if it is not base64.
fn decoded_len(text: &str) -> Option<usize> {
    let digits = text.strip_suffix("==");
    let digits = digits.or(text.strip_suffix('=')).unwrap_or(text);
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    let is_base64 = text.len().is_multiple_of(4) && digits.bytes().all(is_digit);
    is_base64.then_some(digits.len() * 3 / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADATA: &str = r#"[["MDEyMzQ1Njc4OWFiY2RlZg==","MDEyMzQ1Njc=",100000,256,128,"aes","gcm","zlib"],"plaintext",0,0]"#;
    const CT: &str = "MDEyMzQ1Njc4OWFiY2RlZg==";

    fn stored(adata: &str, ct: &str) -> String {
        format!(r#"{{"v":2,"adata":{adata},"ct":"{ct}"}}"#)
    }

    fn sent(adata: &str, ct: &str) -> Result<String, SealedMessageError> {
        let body = format!(r#"{{"v":2,"adata":{adata},"ct":"{ct}","meta":{{"expire":"1day"}}}}"#);
        let (message, _) = SealedMessage::from_request(body.as_bytes())?;
        Ok(message.content())
    }

    #[test]
    fn a_message_is_stored_in_one_form_with_adata_as_it_was_sent() {
        let spaced = ADATA.replace(',', " , ");
        for adata in [ADATA, &spaced, &ADATA.replace("[[", "[ [")] {
            let body = format!(
                r#" {{ "meta": {{"expire":"1week"}}, "id":"", "ct":"{CT}", "adata": {adata} , "v": 2 }} "#
            );
            let (message, expire) = SealedMessage::from_request(body.as_bytes()).unwrap();
            assert_eq!(message.content(), stored(adata, CT));
            assert_eq!(expire.as_deref(), Some("1week"));
            let content = message.content();
            let found = SealedMessage::of(content.as_bytes()).unwrap();
            assert!(found == message && !found.burns);
            assert_eq!((found.adata, &*found.ct), (adata, CT));
        }
        let escaped = CT.replace("MD", r"\u004dD");
        assert_eq!(sent(ADATA, &escaped), Ok(stored(ADATA, CT)));
    }

    #[test]
    fn the_flag_in_adata_makes_it_burn() {
        let burning = stored(&ADATA.replace("0,0]", "0,1]"), CT);
        assert!(SealedMessage::of(burning.as_bytes()).unwrap().burns);
    }

    #[test]
    fn a_message_that_cannot_be_stored_is_refused_with_its_reason() {
        let long = format!("{ADATA}{}", " ".repeat(LONGEST_ADATA));
        let other = |from: &str, to: &str| ADATA.replace(from, to);
        let huge = "9".repeat(300);
        for (adata, why) in [
            (other("aes", "des"), E::Algorithm),
            (other("gcm", "cbc"), E::Algorithm),
            (other("zlib", "br"), E::Algorithm),
            (other("256", "128"), E::Algorithm),
            (other("128", "64"), E::Algorithm),
            (other("100000", "9999"), E::Iterations),
            (other("100000", "100000000"), E::Iterations),
            (other("100000", "1e5"), E::Malformed),
            (other("100000", "-100000"), E::Malformed),
            (other("100000", &huge), E::Malformed),
            (other("plaintext", "html"), E::Formatter),
            (other("0,0]", "1,0]"), E::Discussion),
            (other("0,0]", "2,0]"), E::Malformed),
            (other("0,0]", "0,256]"), E::Malformed),
            (other("0,0]", "0,true]"), E::Malformed),
            (other("0,0]", "0,0,0]"), E::Malformed),
            (other("0,0]", "0]"), E::Malformed),
            (other("MDEyMzQ1Njc4", "MDEyMzQ1Njc-"), E::Base64),
            (other("MDEyMzQ1Njc=", "MDEyMzQ1Nj"), E::Base64),
            (other("MDEyMzQ1Njc=", ""), E::Base64),
            (other("MDEyMzQ1Njc=", "MDEyMzQ1Njc=MDEyMzQ1Njc="), E::Base64),
            (other("MDEyMzQ1Njc=", "MDEyMzQ="), E::Base64),
            ("[".repeat(400), E::Malformed),
            (
                long.clone()
                    .replace("zlib\"]", &format!("zlib\"]{}", " ".repeat(512))),
                E::Malformed,
            ),
            ("{}".to_owned(), E::Malformed),
        ] {
            assert_eq!(sent(&adata, CT), Err(why), "{adata:.120}");
            assert!(SealedMessage::of(stored(&adata, CT).as_bytes()).is_none());
        }
        for ct in [
            "",
            "MDEyMzQ1Njc4OWFiY2Rl",
            "MDEy MzQ1Njc4OWFiY2RlZg==",
            "MDEyMzQ1Njc4OWFiY2RlZg=",
            "====",
            "Bücher==",
        ] {
            assert_eq!(sent(ADATA, ct), Err(E::Base64), "{ct}");
            assert!(SealedMessage::of(stored(ADATA, ct).as_bytes()).is_none());
        }
    }

    #[test]
    fn a_body_with_other_members_is_refused() {
        let meta = r#""meta":{}"#;
        let whole = stored(ADATA, CT).replace('}', &format!(",{meta}}}"));
        assert!(SealedMessage::from_request(whole.as_bytes()).is_ok());
        let with = |from: &str, to: &str| whole.replacen(from, to, 1);
        for (body, why) in [
            (with("\"v\":2", "\"v\":1"), E::Version),
            (with("\"v\":2", "\"v\":\"2\""), E::Version),
            (with("\"v\":2,", ""), E::Malformed),
            (with("{}", "null"), E::Malformed),
            (with("{}", "{\"postdate\":1}"), E::Malformed),
            (with("{\"v\"", "{\"burn\":1,\"v\""), E::Malformed),
            (with("{\"v\"", "{\"v\":2,\"v\""), E::Malformed),
            (with("{\"v\"", "{\"parentid\":\"a\",\"v\""), E::Malformed),
            (whole.clone() + "x", E::Malformed),
            (stored(ADATA, CT), E::Malformed),
            (r#"{"data":"{}","expire":"1day"}"#.to_owned(), E::Malformed),
            ("[".repeat(100_000), E::Malformed),
            (String::new(), E::Malformed),
        ] {
            let refused = SealedMessage::from_request(body.as_bytes()).err();
            assert_eq!(refused, Some(why), "{body:.200}");
        }
        assert!(SealedMessage::from_request(b"\xff").is_err());
    }

    #[test]
    fn only_the_stored_form_makes_a_content_a_sealed_message() {
        let message = stored(ADATA, CT);
        for other in [
            message.replace("\"v\":2", "\"v\": 2"),
            message.clone() + "\n",
            format!(" {message}"),
            message.replace('}', ",\"id\":\"\"}"),
            message.replace(CT, r"MDEyMzQ1Njc4OWFi\u0059w=="),
            message.replace(ADATA, ""),
            format!("{START}{END}"),
            START.to_owned(),
            message.replace(ADATA, &" ".repeat(100_000)),
        ] {
            assert!(
                SealedMessage::of(other.as_bytes()).is_none(),
                "{other:.200}"
            );
        }
        let mut bytes = message.into_bytes();
        bytes[20] = 0xff;
        assert!(SealedMessage::of(&bytes).is_none());
    }

    #[test]
    fn a_refusal_is_one_line() {
        for error in [
            E::Malformed,
            E::Version,
            E::Discussion,
            E::Algorithm,
            E::Iterations,
            E::Formatter,
            E::Base64,
        ] {
            let sentence = error.to_string();
            assert!(sentence.ends_with('.') && !sentence.contains('\n'));
        }
    }
}
