//! Bare links: addresses in the middle of a text, which nobody marked as such.
//!
//! What it must not know: where the text stands.
//! Invariants: what is found begins with `http://` or `https://` and has a host, begins with `www.` and is a host, or is
//! a mailbox; the latter two as GitHub's dialect has them. Punctuation of the sentence around it is not part of it.
//! Cost: one pass; nothing is scanned forward twice, and nothing back but from one `@` or `://` to the one before.
//! Brackets at the end are counted once.

use std::ops::Range;

use super::address::Address;

/// An address, and where it lies in its text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BareLink {
    pub(super) range: Range<usize>,
    missing: Missing,
}

/// What is not written of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    Nothing,
    Http,
    Mailto,
}

impl BareLink {
    /// The first of a text.
    pub(super) fn first_in(text: &str) -> Option<Self> {
        let mut from = 0;
        while let Some(mark) = text[from..].find([':', '@', 'w', 'W']).map(|at| from + at) {
            let found = match text.as_bytes()[mark] {
                b':' => url(text, mark),
                b'@' => mailbox(text, mark),
                _ => host(text, mark),
            };
            match found {
                Ok(link) => return Some(link),
                Err(rest) => from = rest,
            }
        }
        None
    }

    /// Where it leads.
    pub(super) fn address(&self, text: &str) -> Option<Address> {
        let written = &text[self.range.clone()];
        match self.missing {
            Missing::Nothing => Address::parse(written),
            Missing::Http => Address::parse(&format!("http://{written}")),
            Missing::Mailto => Address::mailbox(written),
        }
    }
}

/// The address whose scheme ends with this colon, or where to look on.
fn url(text: &str, colon: usize) -> Result<BareLink, usize> {
    let Some(rest) = text[colon..].strip_prefix("://") else {
        return Err(colon + 1);
    };
    let from = text.len() - rest.len();
    let Some(start) = scheme_before(&text[..colon]) else {
        return Err(from);
    };
    if !rest.starts_with(|c: char| c.is_alphanumeric()) {
        return Err(from);
    }
    Ok(BareLink {
        range: start..from + address_length(rest),
        missing: Missing::Nothing,
    })
}

/// The address that begins here with a host, or where to look on.
fn host(text: &str, start: usize) -> Result<BareLink, usize> {
    const WWW: &str = "www.";
    let rest = &text[start..];
    let is_www = rest
        .get(..WWW.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(WWW));
    let is_word = text[..start].chars().next_back().is_none_or(|before| {
        !before.is_ascii() || before.is_whitespace() || "*~([\"'".contains(before)
    });
    if !is_www || !is_word {
        return Err(start + 1);
    }
    let host = prefix(rest, |c| {
        c.is_alphanumeric() || matches!(c, '.' | '-' | '_')
    });
    let name = host.trim_end_matches(['.', '-', '_']);
    let mut last_two = name.rsplit('.').take(2);
    if name.len() <= WWW.len()
        || !rest[WWW.len()..].starts_with(|c: char| c.is_alphanumeric())
        || last_two.any(|label| label.contains('_'))
    {
        return Err(start + host.len());
    }
    Ok(BareLink {
        range: start..start + address_length(rest),
        missing: Missing::Http,
    })
}

/// The mailbox around this `@`, or where to look on.
fn mailbox(text: &str, at: usize) -> Result<BareLink, usize> {
    let is_of_both = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let before = text[..at].trim_end_matches(|c| is_of_both(c) || c == '+');
    // Behind one of these it is a part of something else.
    if before.len() == at || before.ends_with(['/', '@']) {
        return Err(at + 1);
    }
    let domain = prefix(&text[at + 1..], is_of_both);
    let end = at + 1 + domain.len();
    let domain = domain.trim_end_matches('.');
    // Versions of packages look like mailboxes, but for what they end with.
    if !domain.ends_with(|c: char| c.is_ascii_alphabetic())
        || !domain.contains('.')
        || domain.split('.').any(str::is_empty)
        || text[end..].starts_with('@')
    {
        return Err(end);
    }
    let (start, missing) = match mailto_before(before) {
        Some(start) => (start, Missing::Nothing),
        None => (before.len(), Missing::Mailto),
    };
    Ok(BareLink {
        range: start..at + 1 + domain.len(),
        missing,
    })
}

fn mailto_before(text: &str) -> Option<usize> {
    const MAILTO: &str = "mailto:";
    let start = text.len().checked_sub(MAILTO.len())?;
    let scheme = text.get(start..)?;
    let is_alone = !text[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    (scheme.eq_ignore_ascii_case(MAILTO) && is_alone).then_some(start)
}

/// What it begins with that is of such characters.
fn prefix(text: &str, is_of_it: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !is_of_it(c)).unwrap_or(text.len());
    &text[..end]
}

/// How far the address goes that begins here.
fn address_length(text: &str) -> usize {
    without_punctuation(prefix(text, is_of_address))
}

/// Where the scheme begins that this ends with, if it is a word of its own.
fn scheme_before(text: &str) -> Option<usize> {
    let word = text
        .bytes()
        .rev()
        .take_while(u8::is_ascii_alphabetic)
        // Longer words are no scheme of ours.
        .take("https".len() + 1)
        .count();
    let start = text.len() - word;
    let is_scheme = ["http", "https"]
        .iter()
        .any(|scheme| text[start..].eq_ignore_ascii_case(scheme));
    let is_alone = !text[..start].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    (is_scheme && is_alone).then_some(start)
}

fn is_of_address(c: char) -> bool {
    match c {
        '<' | '>' | '"' | '`' | '\\' => false,
        c if c.is_ascii() => c.is_ascii_graphic(),
        c => c.is_alphanumeric(),
    }
}

/// Its length without the punctuation at its end, which is the sentence's; and without a bracket that was opened before
/// it.
fn without_punctuation(address: &str) -> usize {
    let count = |bracket| address.bytes().filter(|byte| *byte == bracket).count();
    let mut round = (count(b'('), count(b')'));
    let mut square = (count(b'['), count(b']'));
    let mut end = address.len();
    for byte in address.bytes().rev() {
        let brackets = match byte {
            b')' => &mut round,
            b']' => &mut square,
            b'?' | b'!' | b'.' | b',' | b':' | b';' | b'*' | b'_' | b'~' | b'\'' => {
                end -= 1;
                continue;
            }
            _ => break,
        };
        if brackets.1 <= brackets.0 {
            break;
        }
        brackets.1 -= 1;
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        BareLink::first_in(text).map(|link| &text[link.range])
    }

    fn leads_to(text: &str) -> Option<String> {
        let address = BareLink::first_in(text)?.address(text)?;
        Some(address.to_string())
    }

    #[test]
    fn an_address_ends_where_its_sentence_goes_on() {
        for (text, address) in [
            ("see https://a.example.", "https://a.example"),
            ("(https://a.example/b_(c))", "https://a.example/b_(c)"),
            ("[https://a.example/]), and", "https://a.example/"),
            (
                "HTTPS://a.example/?q=1&r=2#x!",
                "HTTPS://a.example/?q=1&r=2#x",
            ),
            ("\"http://a.example/b\"", "http://a.example/b"),
            ("见https://a.example。然后", "https://a.example"),
            ("ftp://a http://b.example", "http://b.example"),
            ("https:// http://b", "http://b"),
            ("https://a.example/Bär!", "https://a.example/Bär"),
            ("https://a.example\u{202e}x", "https://a.example"),
        ] {
            assert_eq!(found(text), Some(address), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_none() {
        for text in [
            "",
            "://",
            "https://",
            "https://.",
            "xhttps://a",
            "_http://a",
            "javascript://a",
            "https:/a",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn a_host_that_begins_with_www_is_an_address() {
        for (text, address) in [
            ("www.a.example", "www.a.example"),
            ("see (WWW.a.example/b_(c)?d).", "WWW.a.example/b_(c)?d"),
            ("*www.a.example*", "www.a.example"),
            ("www.a_b.c.example: d", "www.a_b.c.example"),
            ("见www.a.example。然后", "www.a.example"),
            ("www.a_b www.c", "www.c"),
        ] {
            assert_eq!(found(text), Some(address), "{text}");
            assert_eq!(leads_to(text), Some(format!("http://{address}")));
        }
        for text in [
            "www",
            "www.",
            "www..a",
            "www.-",
            "www.a_b",
            "www.a_b.example",
            "www.a.b_c",
            "awww.b.example",
            "_www.b.example",
            "ftp://www.b.example",
            "a.www.b.example",
            "www a.example",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn a_mailbox_is_an_address() {
        for (text, mailbox) in [
            ("a@b.example", "a@b.example"),
            (
                "write to a.b-c_d+e@f-g.h_i.example.",
                "a.b-c_d+e@f-g.h_i.example",
            ),
            ("(a@b.example)", "a@b.example"),
            ("联系a@b.example。", "a@b.example"),
            ("a@b c@d.example", "c@d.example"),
            ("xmailto:a@b.example", "a@b.example"),
        ] {
            assert_eq!(found(text), Some(mailbox), "{text}");
            assert_eq!(leads_to(text), Some(format!("mailto:{mailbox}")));
        }
        assert_eq!(found("(mailto:a@b.example)"), Some("mailto:a@b.example"));
        for text in [
            "@",
            "a@",
            "@b.example",
            "a@b",
            "a@b..example",
            "a@.example",
            "a@b.example-",
            "a@b.example_",
            "a@b.example@c.example",
            "react@18.2.0",
            "ssh://git@b.example",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
