//! Names: what a text is called that has no title.
//!
//! Invariants: a name is one line without control characters, escape sequences and marks of direction. No line that may
//! have a secret gives a name, since browsers keep the titles of pages.
//! Cost: a few passes over the first [`INSPECTED`] bytes.

mod data;
mod definition;

use crate::paste::Language;

/// The number of bytes at the start of a text from which it is named.
const INSPECTED: usize = 4096;

/// How long a word may be that is no secret. A hash of SHA-1 is as long.
const MOST_SAFE: usize = 40;

/// What a text is called that has no title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name. It may be long.
    pub text: String,
    /// Whether the text is a document that shows its name as a heading.
    pub is_heading: bool,
}

/// Returns the name of a text of this language. Its first lines decide.
pub fn name_of(text: &str, language: Language) -> Option<Name> {
    let start = &text[..text.floor_char_boundary(INSPECTED)];
    let is_whole = start.len() == text.len();
    let named = match language.name() {
        "markdown" => heading(start).map(|text| (text, true)),
        kind => by_kind(kind, start, is_whole).map(|text| (text, false)),
    };
    let one_line = |text: String| shown(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let named = named.map(|(text, is_heading)| (one_line(text), is_heading));
    let named = named.filter(|(text, _)| is_words(text));
    let (text, is_heading) = named.or_else(|| Some((one_line(first_words(start)?), false)))?;
    Some(Name {
        text: text.trim().to_owned(),
        is_heading,
    })
}

fn by_kind(kind: &str, start: &str, is_whole: bool) -> Option<String> {
    match kind {
        "text" => None,
        "diff" => data::patch(start, is_whole),
        "json" | "jsonl" => data::json(start, is_whole),
        "csv" | "tsv" => data::table(start),
        "log" => data::log(start),
        "ansi" => command(start),
        _ => safe_lines(start).find_map(|line| definition::definition(&line)),
    }
    .or_else(|| {
        let mut lines = safe_lines(start).filter(|line| is_words(line));
        let is_code = kind != "text" && kind != "ansi";
        is_code.then(|| lines.find(|line| !definition::is_preamble(line)))?
    })
}

/// Returns the first heading of a document in Markdown, without its marks.
fn heading(start: &str) -> Option<String> {
    let lines: Vec<_> = safe_lines(start).collect();
    let under = lines.iter().skip(1).map(Some).chain([None]);
    lines.iter().zip(under).find_map(|(line, under)| {
        let rest = line.trim_start_matches('#');
        let is_marked = (1..=6).contains(&(line.len() - rest.len())) && rest.starts_with(' ');
        let is_underlined = under.is_some_and(|under| {
            let under = under.trim_end();
            under.len() >= 3
                && ['=', '-']
                    .iter()
                    .any(|mark| under.trim_matches(*mark).is_empty())
        });
        let text = match is_marked {
            true => rest.trim_end_matches('#'),
            false if is_underlined && is_words(line) => line,
            false => return None,
        };
        let text = text.replace(['*', '`', '_'], "");
        is_words(&text).then_some(text)
    })
}

/// Returns the command of a terminal's first prompt.
fn command(start: &str) -> Option<String> {
    safe_lines(start).find_map(|line| {
        let (prompt, command) = line.split_once("$ ").or_else(|| line.split_once("# "))?;
        let is_prompt = prompt.is_empty() || prompt.contains('@') && !prompt.contains(". ");
        (is_prompt && is_words(command)).then(|| command.to_owned())
    })
}

fn first_words(start: &str) -> Option<String> {
    safe_lines(start).find(|line| is_words(line))
}

fn is_words(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

/// Returns the lines that can be shown, as a terminal would show them.
fn safe_lines(start: &str) -> impl Iterator<Item = String> {
    let lines = start.lines().map(shown);
    lines.filter(|line| !may_be_secret(line))
}

/// Removes escape sequences (ECMA-48), control characters and marks of direction from a line, and what a terminal
/// overwrites.
fn shown(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let line = line.rsplit('\r').next().unwrap_or_default();
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, sequence)) = rest.split_once('\u{1b}') {
        text.push_str(before);
        rest = after_sequence(sequence);
    }
    text.push_str(rest);
    let is_mark = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    text.retain(|c| c == '\t' || !c.is_control() && !is_mark(c));
    text
}

/// Returns what follows an escape sequence, whose escape was read.
fn after_sequence(sequence: &str) -> &str {
    let mut characters = sequence.chars();
    match characters.next() {
        Some('[') => sequence
            .find(|c: char| ('@'..='~').contains(&c) && c != '[')
            .map_or("", |end| &sequence[end + 1..]),
        // The title of a window, which ends with a bell or with an escape of its own.
        Some(']') => sequence
            .split_once(['\u{7}', '\u{1b}'])
            .map_or("", |(_, rest)| rest.trim_start_matches('\\')),
        Some(_) => characters.as_str(),
        None => "",
    }
}

/// Returns true if the line may have a secret: a key, a long word of letters and digits, or what is called one.
fn may_be_secret(line: &str) -> bool {
    const NAMES: &str = "password passwd passphrase secret token api_key apikey authorization";
    let lower = line.to_ascii_lowercase();
    let is_called_so = |name| {
        lower.split_once(name).is_some_and(|(_, rest)| {
            let rest = rest.trim_start_matches(['"', '\'', ' ', '_', '-']);
            rest.starts_with(['=', ':'])
        })
    };
    let has_credentials = lower.split_once("://").is_some_and(|(_, rest)| {
        let host = rest.split(['/', ' ']).next().unwrap_or_default();
        host.split_once('@')
            .is_some_and(|(user, _)| user.contains(':'))
    });
    let is_key = |word: &str| {
        let has = |is: fn(&u8) -> bool| word.as_bytes().iter().any(is);
        let is_mixed =
            has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
        word.len() > MOST_SAFE && has(u8::is_ascii_digit) || word.len() >= 20 && is_mixed
    };
    let is_of_key = |c: char| c.is_ascii_alphanumeric() || "+-_=".contains(c);
    line.contains("-----BEGIN")
        || has_credentials
        || NAMES.split(' ').any(is_called_so)
        || line.split(|c: char| !is_of_key(c)).any(is_key)
}

#[cfg(test)]
mod tests;
