//! The page that shows one message: an error or a confirmation.

use askama::Template;

use crate::page::site::Site;
use crate::page::template::Page;
use crate::render::visible;

/// A message. It may quote the request, so its unsafe characters are shown in a visible form, and the template escapes
/// its text.
#[derive(Clone, Copy, Template)]
#[template(path = "message.html", config = "src/page/askama.toml")]
pub struct MessagePage<'a> {
    /// The server.
    pub site: &'a Site,
    /// The heading, of two or three words.
    pub heading: &'a str,
    /// What happened, and what to do next. Text between backticks is shown as code, and a field by its label.
    pub sentence: &'a str,
    /// The next step that a button offers.
    pub next_step: NextStep<'a>,
    /// The line that a terminal gets instead.
    pub line: &'a str,
}

impl Page for MessagePage<'_> {
    fn text(&self) -> String {
        [self.line, "\n"].concat()
    }
}

/// The next step that a message offers. Every step works without scripts. A link without an address leads to the
/// address of the request, by a GET.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NextStep<'a> {
    /// Write a new paste.
    NewPaste,
    /// Send the same request again. After a form, this shows the page with the form.
    TryAgain,
    /// Show the whole paste, not a range of its lines.
    ShowAll,
    /// Open the paste with this id.
    OpenPaste {
        /// The paste's id.
        id: &'a str,
    },
    /// Delete the paste with this id.
    Delete {
        /// The paste's id.
        id: &'a str,
        /// Its token. If it is empty, the form asks for it.
        token: &'a str,
    },
    /// Go back to the page of the form that was rejected.
    Return,
    /// Send the rejected text again. No link can do that, but the browser's reload does.
    SendAgain {
        /// Whether the text is of a new paste. Then the browser also shows it again after going back. The editor of a
        /// stored paste is not cached, so it could show the stored text instead.
        is_new: bool,
    },
    /// Log in with a key.
    LogIn {
        /// Whether the request has a text, which the browser still shows after going back.
        has_text: bool,
    },
    /// Go back to the rejected text and change it.
    ChangeText {
        /// Whether the text is of a new paste, as for [`Self::SendAgain`].
        is_new: bool,
    },
}

/// A piece of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Code(&'a str),
}

/// The label of the field that programs know by this name.
pub(super) fn label(field: &str) -> Option<&'static str> {
    Some(match field {
        "burn" => "Burn after",
        "content" => "Text",
        "expires" => "Expires",
        "lang" => "Language",
        "password" => "Password",
        "reason" => "Reason",
        "slug" => "Address",
        "title" => "Title",
        "url" => "URL",
        _ => return None,
    })
}

/// Splits a sentence at its pairs of backticks. The name of a field becomes its label. A backtick without a second one stays text.
pub(super) fn pieces(sentence: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = sentence;
    while let Some((text, after)) = rest.split_once('`')
        && let Some((code, after)) = after.split_once('`')
    {
        let named = label(code).map_or(Piece::Code(code), Piece::Text);
        pieces.extend([Piece::Text(text), named]);
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::site::site;
    use crate::page::to_html;

    #[test]
    fn code_between_backticks_is_shown_as_code_and_a_field_by_its_label() {
        for (sentence, expected) in [
            ("Set `expires` to `7d`.", "Set Expires to <code>7d</code>."),
            ("`a`", "<code>a</code>"),
            ("One ` alone.", "One ` alone."),
            ("`a` and ` alone", "<code>a</code> and ` alone"),
            ("`<b>`<i>`", "<code>&#60;b&#62;</code>&#60;i&#62;`"),
            ("`\u{202e}</code>`", "<code>[U+202E]&#60;/code&#62;</code>"),
        ] {
            let page = MessagePage {
                site: site(""),
                heading: "That did not work",
                sentence,
                next_step: NextStep::NewPaste,
                line: "",
            };
            let html = to_html(&page);
            let expected = format!("<p>{expected}</p>");
            assert!(html.contains(&expected), "{expected} in {html}");
        }
    }
}
