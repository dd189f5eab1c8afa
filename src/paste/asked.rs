//! A question, and the answer to it that only the person who asked can read.
//!
//! ```text
//! question = [0xff] "tidebin question 1" [0x0a] text [0xff] random bytes
//! answer   = [0xff] "tidebin answer 1" [0x0a] public key[32] ciphertext
//! ```
//!
//! The form shows what a content is. The first byte is in no UTF-8, so no text has this form.
//! Invariants: every question has as many bytes as the longest answer. They are random, so no tier can compress them. So
//! the asker is charged for the answer from the start, and no stranger's answer makes a paste cost more.
//! Cost: a content that is neither costs a comparison of one byte.

use memchr::memchr;

use super::Content;

const QUESTION: &[u8] = b"\xfftidebin question 1\n";
const ANSWER: &[u8] = b"\xfftidebin answer 1\n";
const END: u8 = 0xff;

/// The bytes of a public key of X25519, and of the tag of AES-GCM.
const KEY: usize = 32;
const TAG: usize = 16;

/// What a content is that belongs to a question.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Asked<'a> {
    /// A question that waits for its answer.
    Question(&'a str),
    /// The encrypted answer.
    Answer,
}

impl<'a> Asked<'a> {
    /// Maximum number of characters of a question.
    pub const MAX_CHARS: usize = 300;

    /// Maximum bytes of an answer, before it is encrypted.
    pub const MAX_ANSWER: usize = 64 * 1024;

    /// Maximum bytes of what the sender of an answer sends.
    pub const MAX_MESSAGE: usize = KEY + Self::MAX_ANSWER + TAG;

    /// The bytes of a question, and of the longest answer.
    pub const BYTES: usize = ANSWER.len() + Self::MAX_MESSAGE;

    /// Returns what this content is, or `None` if it is neither.
    pub fn of(content: &'a [u8]) -> Option<Self> {
        if content.first() != Some(&END) {
            return None;
        }
        if let Some(message) = content.strip_prefix(ANSWER) {
            let is_whole = message.len() > KEY + TAG && content.len() <= Self::BYTES;
            return is_whole.then_some(Self::Answer);
        }
        let rest = content.strip_prefix(QUESTION)?;
        let text = std::str::from_utf8(&rest[..memchr(END, rest)?]).ok()?;
        let length = text.chars().take(Self::MAX_CHARS + 1).count();
        // A question that leads to another site would be one to fall for.
        let lower = text.to_ascii_lowercase();
        let leads_away = ["://", "www."].iter().any(|it| lower.contains(it));
        let is_allowed = (1..=Self::MAX_CHARS).contains(&length) && !leads_away;
        (content.len() == Self::BYTES && is_allowed).then_some(Self::Question(text))
    }

    /// Makes the content of a question, or returns `None` if the text is none.
    pub fn question(text: &str, random: [u8; Asked::BYTES]) -> Option<Vec<u8>> {
        let mut question = [QUESTION, text.trim().as_bytes(), &[END]].concat();
        question.extend_from_slice(random.get(question.len()..)?);
        Asked::of(&question)?;
        Some(question)
    }

    /// Makes the content of an answer: a public key and a ciphertext. Returns `None` if that is too short or too long.
    pub fn answer(message: &[u8]) -> Option<Content> {
        let answer = [ANSWER, message].concat();
        Asked::of(&answer)?;
        Some(Content::encrypted(&answer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str) -> Option<Vec<u8>> {
        Asked::question(text, [7; Asked::BYTES])
    }

    #[test]
    fn a_question_is_as_long_as_its_longest_answer_and_the_form_shows_which_it_is() {
        let asked = question(" WiFi <b>password</b>?\n").unwrap();
        let found = Asked::of(&asked);
        assert!(found == Some(Asked::Question("WiFi <b>password</b>?")));
        let longest = Asked::answer(&[0xff; KEY + Asked::MAX_ANSWER + TAG]).unwrap();
        assert_eq!(longest.bytes().len(), asked.len());
        assert!(Asked::of(longest.bytes()) == Some(Asked::Answer));
        for other in [&asked[1..], &asked[..100], &[0xff], b""] {
            assert!(Asked::of(other).is_none());
        }
    }

    #[test]
    fn a_question_has_300_characters_at_most_and_no_link() {
        let long = "é".repeat(Asked::MAX_CHARS);
        assert!(question(&long).is_some() && question(&(long + "é")).is_none());
        let links = ["see https://evil.example", "see WWW.evil.example"];
        for text in ["", " \n", links[0], links[1], &"x".repeat(1 << 17)] {
            assert!(question(text).is_none(), "{text:.30}");
        }
    }

    #[test]
    fn an_answer_has_a_whole_key_and_at_least_one_byte() {
        for (length, is_answer) in [
            (KEY + TAG, false),
            (KEY + TAG + 1, true),
            (KEY + Asked::MAX_ANSWER + TAG, true),
            (KEY + Asked::MAX_ANSWER + TAG + 1, false),
        ] {
            assert_eq!(Asked::answer(&vec![1; length]).is_some(), is_answer);
        }
    }
}
