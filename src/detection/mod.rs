//! Detection guesses what a text is: its language, what it is called, by what its owner recognises it in a list, and the
//! time and the level that a line of a log states.
//!
//! Invariants: a text has always the same language. Plain text is never wrong, so it is the answer to every doubt.
//! Cost: it inspects a few KiB, and searches a few MiB for terminal colours.

mod classifier;
mod clear_signs;
mod columns;
mod content;
mod log;
mod name;
mod outline;

pub use log::{LogLevel, LogLine};
pub use name::{Name, name_of};
pub use outline::outline_of;

use crate::paste::{Language, Paste, Title};

/// The number of bytes at the start of a text that are inspected.
const INSPECTED: usize = 4096;

/// Returns the language of this content, or plain text if it is not certain. An ending of the title that says little is
/// evidence: the content decides between the languages that have it.
pub fn detect(content: &[u8], title: Option<&str>) -> Language {
    let found = content::detect(content).and_then(Language::from_name);
    let expected = title.and_then(Language::from_title);
    let fits = |found: &Language| match expected.map(Language::name) {
        None | Some("text" | "log") => true,
        Some("c") => matches!(found.name(), "cpp" | "objective-c"),
        Some("matlab") => found.name() == "objective-c",
        Some("json") => found.name() == "log",
        Some(_) => false,
    };
    found.filter(fits).or(expected).unwrap_or(Language::PLAIN)
}

/// Returns the language that the client named for the paste. If it named none, each call detects it.
pub fn language_of(paste: &Paste) -> Language {
    let title = paste.title().map(Title::as_str);
    paste
        .named_language()
        .unwrap_or_else(|| detect(paste.bytes(), title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_that_says_little_leaves_the_content_to_decide() {
        let (json, cpp) = (
            "{\"a\": 1}",
            "#pragma once\nnamespace x {\ntemplate<class T> class A { public: virtual ~A(); };\n}\n",
        );
        let objective_c =
            "#import <Foundation/Foundation.h>\n\n@implementation A\n- (void)go {\n}\n@end\n";
        for (title, content, expected) in [
            ("a.txt", json, "json"),
            ("a.log", json, "json"),
            ("a.txt", "\u{1b}[32mPASS", "ansi"),
            ("a.txt", "just words", "text"),
            ("a.log", "just words", "log"),
            ("a.h", cpp, "cpp"),
            ("a.h", "int a;", "c"),
            ("a.h", json, "c"),
            ("a.m", objective_c, "objective-c"),
            ("a.m", "a = 1", "matlab"),
            ("Error in main.c", json, "json"),
        ] {
            let language = detect(content.as_bytes(), Some(title));
            assert_eq!(language.name(), expected, "{title} {content}");
        }
    }

    #[test]
    fn the_first_screen_decides_what_a_text_of_several_kinds_is() {
        let patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
        let row = |n| format!("2026-11-0{n}T10:00:00Z INFO up\n");
        let long = "a".repeat(4096);
        for (title, text, expected) in [
            (
                "",
                format!("# Notes\n\nWords.\n\n```diff\n{patch}```\n"),
                "markdown",
            ),
            ("", format!("Hi Ann,\n\nplease look:\n\n{patch}"), "diff"),
            ("", "{\"level\":\"info\",\"msg\":\"a\"}\n".repeat(5), "log"),
            ("", "{\"a\":1,\"b\":\"c\"}\n".repeat(5), "json"),
            (
                "",
                "id,data,n\n1,\"{\"\"a\"\": [1, 2]}\",3\n2,\"{}\",4\n3,\"{}\",5\n".to_owned(),
                "csv",
            ),
            (
                "",
                "id,note,n\n1,\"one\nmore\",3\n2,\"b\n\nc\",4\n3,d,5\n".to_owned(),
                "csv",
            ),
            ("", "name\nAnn\nBob\nEve\nIda\n".to_owned(), "text"),
            ("", (1..6).rev().map(row).collect(), "log"),
            (
                "",
                format!("{}\n{}", "words ".repeat(2000), "{\"a\": 1}"),
                "text",
            ),
            (
                "",
                format!("# Tides\n\n- one\n- two\n{}", "\u{1b}"),
                "markdown",
            ),
            (&format!("{long}.rs"), "words".to_owned(), "rust"),
            (&long, "words".to_owned(), "text"),
        ] {
            let found = detect(text.as_bytes(), Some(title));
            let start = &text[..text.floor_char_boundary(100)];
            assert_eq!(found.name(), expected, "{start}");
        }
    }
}
