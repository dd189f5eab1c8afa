//! The page that shows one message: an error or a confirmation.

use std::borrow::Cow;

use askama::Template;

use crate::page::template;
use crate::render::visible;

/// A message. It may quote the request, so its unsafe characters are shown in a visible form.
#[derive(Debug, Clone, Copy)]
pub struct MessagePage<'a> {
    /// The heading, of two or three words.
    pub heading: &'a str,
    /// One sentence that tells the reader what to do next.
    pub sentence: &'a str,
}

#[derive(Template)]
#[template(path = "message.html", config = "src/page/askama.toml")]
struct MessageTemplate<'a> {
    heading: Cow<'a, str>,
    sentence: Cow<'a, str>,
}

/// Returns the page as HTML.
#[must_use]
pub fn message(page: &MessagePage<'_>) -> String {
    let template = MessageTemplate {
        heading: visible(page.heading),
        sentence: visible(page.sentence),
    };
    template::write(&template, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_its_sentence_and_a_link_to_the_editor() {
        let html = message(&MessagePage {
            heading: "Not found",
            sentence: "No paste has this link.",
        });
        assert!(html.contains("<h1>Not found</h1>"));
        assert!(html.contains("<p>No paste has this link.</p>"));
        assert!(html.contains("href=\"/\""));
    }
}
