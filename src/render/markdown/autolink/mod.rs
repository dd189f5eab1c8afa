//! Autolinks: finds URLs and email addresses in running text, by the rules of GitHub's [autolinks extension].
//!
//! Invariants: an autolink has one of three forms. It is a URL with `http://` or `https://` and a host, a host that
//! starts with `www.`, or an email address. Punctuation of the surrounding sentence is not part of an autolink.
//! Cost: one pass. The forward search reads each byte once. A backward search from an `@` or `://` stops at the
//! previous one.
//!
//! [autolinks extension]: https://github.github.com/gfm/#autolinks-extension-

mod extent;

use std::ops::Range;

use self::extent::{is_host_character, prefix, scheme_start, url_length};
use super::destination::Destination;

/// An autolink and its byte range in the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Autolink {
    pub(super) range: Range<usize>,
    implied_scheme: ImpliedScheme,
}

/// The scheme that is added to an autolink to make it a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ImpliedScheme {
    /// The autolink contains its scheme.
    None,
    Http,
    Mailto,
}

impl Autolink {
    /// Returns the first autolink of a text, or `None` if there is none.
    pub(super) fn first_in(text: &str) -> Option<Self> {
        Self::next_in(text, text.len(), &mut 0)
    }

    /// Returns the first autolink of a text that starts from `searched` on and before `end`. Advances `searched` to the
    /// end of the autolink, or of the text that needs no second search.
    pub(super) fn next_in(text: &str, end: usize, searched: &mut usize) -> Option<Self> {
        let marks = [':', '@', 'w', 'W'];
        while let Some(mark) = text.get(*searched..end).and_then(|rest| rest.find(marks)) {
            let mark = *searched + mark;
            let found = match text.as_bytes()[mark] {
                b':' => url(text, mark),
                b'@' => email(text, mark),
                _ => www(text, mark),
            };
            match found {
                Ok(link) => {
                    *searched = link.range.end;
                    return Some(link);
                }
                Err(rest) => *searched = rest,
            }
        }
        None
    }

    /// Returns the destination of the autolink. Returns `None` if a link may not lead there.
    pub(super) fn destination(&self, text: &str) -> Option<Destination> {
        let written = &text[self.range.clone()];
        match self.implied_scheme {
            ImpliedScheme::None => Destination::parse(written),
            ImpliedScheme::Http => Destination::parse(&format!("http://{written}")),
            ImpliedScheme::Mailto => Destination::email(written),
        }
    }
}

/// Returns the URL whose scheme ends with this colon. If there is none, the error is the byte index at which to
/// continue the search.
fn url(text: &str, colon: usize) -> Result<Autolink, usize> {
    let Some(rest) = text[colon..].strip_prefix("://") else {
        return Err(colon + 1);
    };
    let from = text.len() - rest.len();
    let Some(start) = scheme_start(&text[..colon], &["http", "https"]) else {
        return Err(from);
    };
    if !rest.starts_with(is_host_character) {
        return Err(from);
    }
    Ok(Autolink {
        range: start..from + url_length(rest),
        implied_scheme: ImpliedScheme::None,
    })
}

/// Returns the URL that starts here with `www.`. If there is none, the error is the byte index at which to continue the
/// search.
fn www(text: &str, start: usize) -> Result<Autolink, usize> {
    const WWW: &str = "www.";
    let rest = &text[start..];
    let is_www = rest
        .get(..WWW.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(WWW));
    let is_word = text[..start].chars().next_back().is_none_or(|before| {
        !before.is_ascii() || before.is_whitespace() || "*~([\"'".contains(before)
    });
    if !is_www || !is_word {
        return Err(start + 1);
    }
    let host = prefix(rest, |c| {
        is_host_character(c) || matches!(c, '.' | '-' | '_')
    });
    let name = host.trim_end_matches(['.', '-', '_']);
    let mut last_two_labels = name.rsplit('.').take(2);
    if name.len() <= WWW.len()
        || !rest[WWW.len()..].starts_with(is_host_character)
        || last_two_labels.any(|label| label.contains('_'))
    {
        return Err(start + host.len());
    }
    Ok(Autolink {
        range: start..start + url_length(rest),
        implied_scheme: ImpliedScheme::Http,
    })
}

/// Returns the email address around this `@`. If there is none, the error is the byte index at which to continue the
/// search.
fn email(text: &str, at: usize) -> Result<Autolink, usize> {
    let is_of_both_parts = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let before = text[..at].trim_end_matches(|c| is_of_both_parts(c) || c == '+');
    // After one of these characters, the text is part of something else, such as a URL.
    if before.len() == at || before.ends_with(['/', '@']) {
        return Err(at + 1);
    }
    let domain = prefix(&text[at + 1..], is_of_both_parts);
    let end = at + 1 + domain.len();
    let domain = domain.trim_end_matches('.');
    // `package@1.2.3` looks like an email address except that it ends with a digit.
    if !domain.ends_with(|c: char| c.is_ascii_alphabetic())
        || !domain.contains('.')
        || domain.split('.').any(str::is_empty)
        || text[end..].starts_with('@')
    {
        return Err(end);
    }
    let (start, implied_scheme) = match scheme_start(before, &["mailto:"]) {
        Some(start) => (start, ImpliedScheme::None),
        None => (before.len(), ImpliedScheme::Mailto),
    };
    Ok(Autolink {
        range: start..at + 1 + domain.len(),
        implied_scheme,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        Autolink::first_in(text).map(|link| &text[link.range])
    }

    fn leads_to(text: &str) -> Option<String> {
        let destination = Autolink::first_in(text)?.destination(text)?;
        Some(destination.to_string())
    }

    #[test]
    fn a_url_ends_where_its_sentence_goes_on() {
        for (text, destination) in [
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
            ("https://💩.example/❤️, and", "https://💩.example/❤️"),
            ("https://a.example/*b*/`c`.", "https://a.example/*b*/`c`"),
            (r"https://a.example/\_b\_, c\d", r"https://a.example/\_b"),
            ("https://a.example?b=c&hl;", "https://a.example?b=c"),
            ("https://a.example?b&c;d;", "https://a.example?b&c;d"),
        ] {
            assert_eq!(found(text), Some(destination), "{text}");
        }
    }

    #[test]
    fn an_incomplete_url_is_not_a_link() {
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
    fn a_host_that_starts_with_www_is_a_link() {
        for (text, destination) in [
            ("www.a.example", "www.a.example"),
            ("see (WWW.a.example/b_(c)?d).", "WWW.a.example/b_(c)?d"),
            ("*www.a.example*", "www.a.example"),
            ("www.a_b.c.example: d", "www.a_b.c.example"),
            ("见www.a.example。然后", "www.a.example"),
            ("www.a_b www.c", "www.c"),
        ] {
            assert_eq!(found(text), Some(destination), "{text}");
            assert_eq!(leads_to(text), Some(format!("http://{destination}")));
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
    fn an_email_address_is_a_link() {
        for (text, email) in [
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
            assert_eq!(found(text), Some(email), "{text}");
            assert_eq!(leads_to(text), Some(format!("mailto:{email}")));
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
