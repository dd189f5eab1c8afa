//! Names: what a text is called that has no title.
//!
//! Invariants: a name is one line without control characters, escape sequences and marks of direction. No line that may
//! have a secret gives a name, since browsers keep the titles of pages.
//! Cost: a few passes over the first [`INSPECTED`] bytes.

mod data;
mod definition;

use super::INSPECTED;
use crate::paste::Language;

/// How long a word with digits is at least that may be a key, and one with the mark of a service.
const LEAST_KEY: usize = 16;
const LEAST_MARKED: usize = 8;

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
    let start = start_of(text);
    let is_whole = start.len() == text.len();
    if has_block(start) {
        return None;
    }
    let named = match language.name() {
        "markdown" => of_document(start),
        kind => by_kind(kind, start, is_whole).map(|text| (text, false)),
    };
    let named = named.map(|(text, is_heading)| (one_line(text), is_heading));
    let named = named.filter(|(text, _)| is_words(text));
    let (text, is_heading) = named.or_else(|| Some((one_line(first_words(start)?), false)))?;
    Some(Name {
        text: text.trim_matches(['=', ' ']).to_owned(),
        is_heading,
    })
}

/// Returns the first line with words, unless it may be a secret.
pub(super) fn first_line(text: &str) -> Option<String> {
    let start = start_of(text);
    let line = start.lines().map(shown).find(|line| is_words(line))?;
    (!has_block(start) && !may_be_secret(&line)).then(|| one_line(line))
}

fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(INSPECTED)]
}

/// Returns whether there is a key or a message in PEM or PGP. Whatever is beside it may belong to it.
fn has_block(start: &str) -> bool {
    start.contains("-----BEGIN")
}

fn one_line(text: String) -> String {
    shown(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn by_kind(kind: &str, start: &str, is_whole: bool) -> Option<String> {
    match kind {
        "text" => None,
        "diff" => data::patch(start, is_whole),
        "json" | "jsonl" => data::json(start, is_whole),
        "csv" | "tsv" => data::table(start),
        "log" => data::log(start),
        "ansi" => command(start),
        _ => {
            // What a definition is called is no secret, although other words of its line may look like one.
            let mut definitions = start
                .lines()
                .filter_map(|line| definition::definition(&shown(line)));
            definitions.find(|name| !has_key(name))
        }
    }
    .or_else(|| {
        let mut lines = safe_lines(start).filter(|line| is_words(line));
        let is_code = kind != "text" && kind != "ansi";
        is_code.then(|| lines.find(|line| !definition::is_preamble(line)))?
    })
}

/// Returns the name of a document in Markdown, and whether it is a heading: the title in its metadata, its first
/// heading, or its first words.
fn of_document(start: &str) -> Option<(String, bool)> {
    let lines: Vec<_> = safe_lines(start).collect();
    let metadata = lines.first().filter(|line| line.trim_end() == "---");
    let end = metadata.and_then(|_| {
        lines
            .iter()
            .skip(1)
            .position(|line| line.trim_end() == "---")
    });
    let (metadata, lines) = lines.split_at(end.map_or(0, |end| end + 2));
    let titled = metadata.iter().find_map(|line| line.strip_prefix("title:"));
    if let Some(title) = titled {
        return Some((title.trim().trim_matches(['"', '\'']).to_owned(), false));
    }
    let is_fence = |line: &&String| line.starts_with("```") || line.starts_with("~~~");
    // What is in code is every other part.
    let parts = lines.split(|line| is_fence(&line)).step_by(2);
    let headed = parts.filter_map(heading).next();
    let words = || {
        lines
            .iter()
            .find(|line| is_words(line))
            .map(|line| (unmarked(line), false))
    };
    headed.map(|text| (unmarked(&text), true)).or_else(words)
}

/// Returns the first heading of these lines.
fn heading(lines: &[String]) -> Option<String> {
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
        is_words(text).then(|| text.to_owned())
    })
}

/// Removes the marks of Markdown from a line. Of a link, its text stays.
fn unmarked(line: &str) -> String {
    let line = line
        .trim_start_matches(['>', '-', '+', ' '])
        .replace(['*', '`'], "");
    let mut text = String::new();
    let mut rest = &*line;
    while let Some((before, link)) = rest.split_once('[') {
        let Some((label, after)) = link.split_once("](") else {
            break;
        };
        text = [&text, before.trim_end_matches('!'), label].concat();
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    text + rest
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
        // A set of characters: `ESC ( B`.
        Some(' '..='/') => {
            characters.next();
            characters.as_str()
        }
        Some(_) => characters.as_str(),
        None => "",
    }
}

/// Returns true if the line may have a secret: what is called one beside a value, the credentials of a command or a
/// URL, or a word like a key. It is often wrong, which costs a worse name.
fn may_be_secret(line: &str) -> bool {
    const NAMES: &str =
        "pass pwd secret token key auth cookie session credential bearer identified";
    // A trace of Python names no secret so.
    let lower = line.to_ascii_lowercase().replace("keyerror", "");
    let has_value =
        lower.contains(['=', ':', '"', '\'']) || lower.contains(|c: char| c.is_ascii_digit());
    let is_called_so = || NAMES.split(' ').any(|name| lower.contains(name));
    let has_credentials = |word: &str| {
        let option = word.strip_prefix("-p").or(word.strip_prefix("-u"));
        let user = word.split_once('@').map(|(user, _)| user);
        option.is_some() || user.is_some_and(|user| user.contains(':'))
    };
    // `htpasswd` and `.pgpass`
    let is_record = !lower.contains(' ') && lower.matches(':').count() >= 4;
    let has_hash = ["$2", "$apr1$", "{sha}"]
        .iter()
        .any(|start| lower.contains(start));
    has_value && is_called_so()
        || line.split_whitespace().any(has_credentials)
        || is_record
        || has_hash
        || has_key(line)
}

/// Returns true if the line has a word like a key: of a service that marks its keys, or long and with digits.
fn has_key(line: &str) -> bool {
    const STARTS: &str =
        "sk- sk_ xoxb- xoxp- ghp_ gho_ ghs_ github_pat_ glpat- npm_ tbk_ tbo_ akia eyj";
    let is_of_key = |c: char| c.is_ascii_alphanumeric() || "+-_=".contains(c);
    let mut words = line.split(|c: char| !is_of_key(c));
    words.any(|word| {
        let lower = word.to_ascii_lowercase();
        let has = |is: fn(&u8) -> bool| word.as_bytes().iter().any(is);
        let has_digits = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
        let is_marked = STARTS.split(' ').any(|start| lower.starts_with(start));
        is_marked && word.len() >= LEAST_MARKED || has_digits && word.len() >= LEAST_KEY
    })
}

#[cfg(test)]
mod tests;
