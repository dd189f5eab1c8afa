//! Detection guesses what a text is: its language, what it is called, and the time and the level that a line of a log
//! states.
//!
//! Invariants: a text has always the same language. Plain text is never wrong, so it is the answer to every doubt.
//! Cost: it inspects a few KiB, and searches a few MiB for terminal colours.

mod classifier;
mod clear_signs;
mod columns;
mod content;
mod log;
mod name;
mod weak_signs;

pub use log::{LogLevel, LogLine};
pub use name::{Name, name_of};

use crate::paste::{Language, Paste};

/// Returns the language of this content, or plain text if it is not certain.
pub fn detect(content: &[u8]) -> Language {
    content::detect(content)
        .and_then(Language::from_name)
        .unwrap_or(Language::PLAIN)
}

/// Returns the language that the client named for the paste. If it named none, each call detects it.
pub fn language_of(paste: &Paste) -> Language {
    paste
        .named_language()
        .unwrap_or_else(|| detect(paste.bytes()))
}

/// Returns the language for terminal output if the content has terminal colours and `named` is plain text or a log.
/// Otherwise returns `named`.
///
/// Terminal output is often saved with the file name of a text or a log.
pub fn or_terminal_output(named: Language, content: &[u8]) -> Language {
    let may_be = matches!(named.name(), "text" | "log");
    let is_output = may_be && content::has_terminal_colours(content);
    Language::from_name("ansi")
        .filter(|_| is_output)
        .unwrap_or(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_colours_override_the_file_name_of_a_text_or_a_log() {
        for (file, content, expected) in [
            ("build.log", "\u{1b}[32mPASS", "ansi"),
            ("build.txt", "\u{1b}[32mPASS", "ansi"),
            ("build.log", "#!/bin/sh", "log"),
            ("build.sh", "\u{1b}[32mPASS", "bash"),
        ] {
            let named = Language::from_file_name(file).expect("a language");
            let language = or_terminal_output(named, content.as_bytes());
            assert_eq!(language.name(), expected, "{file} {content}");
        }
    }
}
