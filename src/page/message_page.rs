//! The page that says one thing: an error, or that something was done.
//!
//! What it must not know: statuses. The sentence comes in ready; odd characters that it may
//! quote from a request are shown.

use std::borrow::Cow;

use askama::Template;

use crate::render::odd;

/// What to say.
#[derive(Debug, Clone, Copy)]
pub struct MessagePage<'a> {
    /// In two or three words.
    pub heading: &'a str,
    /// In one sentence, with what to do next.
    pub sentence: &'a str,
}

#[derive(Template)]
#[template(path = "message.html", config = "src/page/askama.toml")]
struct MessageTemplate<'a> {
    heading: Cow<'a, str>,
    sentence: Cow<'a, str>,
}

/// The page as HTML.
#[must_use]
pub fn message(page: &MessagePage<'_>) -> String {
    let template = MessageTemplate {
        heading: odd::shown(page.heading),
        sentence: odd::shown(page.sentence),
    };
    crate::page::write(&template, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_its_sentence_and_leads_to_the_editor() {
        let html = message(&MessagePage {
            heading: "Not found",
            sentence: "No paste has this link.",
        });
        assert!(html.contains("<h1>Not found</h1>"));
        assert!(html.contains("<p>No paste has this link.</p>"));
        assert!(html.contains("href=\"/\""));
    }
}
