//! Levels: how severe an event is, and where a line says so.

use std::ops::Range;

use super::TRACEBACK;

/// How severe an event is. Programs have more names; each means one of these four.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Details for developers, also called trace or verbose.
    Debug,
    /// A normal event, also called notice.
    Info,
    /// An event that may need attention.
    Warning,
    /// A failure, also called fatal, critical or severe.
    Error,
}

/// Words that may stand between a time and a level.
const ZONES: [&str; 10] = [
    "UTC", "GMT", "AM", "PM", "CET", "CEST", "EST", "EDT", "PST", "PDT",
];

/// The text before a level that is followed by a colon: `main.c:3:5: error: …`, `sshd[7]: error: …`.
const BEFORE_COLON: [&str; 9] = [
    ": ", "] ", ") ", "| ", "- ", "\t", "PHP ", "fatal ", "Fatal ",
];

/// Returns the level that a line states, and where. `time_end` is the end of its time, or 0 if it has none.
pub(super) fn level(
    line: &str,
    is_json: bool,
    time_end: usize,
) -> Option<(LogLevel, Range<usize>)> {
    let bytes = line.as_bytes();
    let (mut at, mut is_first) = (0, time_end > 0);
    if let Some(found) = failure(line).or_else(|| at_start(line, time_end)) {
        return Some(found);
    }
    while let Some(start) = bytes[at..].iter().position(u8::is_ascii_alphabetic) {
        let start = at + start;
        let is_letter = |byte: &&u8| byte.is_ascii_alphabetic();
        at = start + bytes[start..].iter().take_while(is_letter).count();
        let word = Word {
            before: &line[..start],
            text: &line[start..at],
            after: &line[at..],
            is_after_time: is_first && start >= time_end,
        };
        if let Some((level, skipped, length)) = word.field() {
            return Some((level, at + skipped..at + skipped + length));
        }
        if let Some(level) = word.level().filter(|_| !is_json) {
            return Some((level, start..at));
        }
        is_first &= start < time_end || ZONES.contains(&word.text);
    }
    exception(line).filter(|_| !is_json)
}

/// Returns the level of a line that reports a failure, and does not name a level.
fn failure(line: &str) -> Option<(LogLevel, Range<usize>)> {
    const STARTS: [&str; 12] = [
        "** (",
        "CMake Error ",
        "CONFLICT (",
        "Caused by: ",
        "E   ",
        "E: ",
        "Error in ",
        "Exception in thread ",
        "make: *** ",
        "not ok ",
        "terminate called after ",
        "thread '",
    ];
    let is_failure = line.contains(TRACEBACK) || STARTS.iter().any(|start| line.starts_with(start));
    is_failure.then_some((LogLevel::Error, 0..0))
}

/// Returns the level of a line that begins with what a program calls a failure: `KeyError: …`, `java.io.IOException: …`.
/// A place may be before it.
fn exception(line: &str) -> Option<(LogLevel, Range<usize>)> {
    line.match_indices(": ").take(2).find_map(|(end, _)| {
        let before = &line[..end];
        let name = before.rsplit([' ', '[']).next()?;
        let level = match name {
            _ if name.ends_with("Error") || name.ends_with("Exception") => LogLevel::Error,
            _ if name.ends_with("Warning") => LogLevel::Warning,
            _ => return None,
        };
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
        (is_name && before.split(' ').count() <= 3).then_some((level, 0..0))
    })
}

/// Returns the level at the start of a line, in the form of syslog, `<11>`, or as a letter before the time: `E0504
/// 12:00:00`, `[E 2026-05-04 12:00:00`, `E, [2026-05-04T12:00:00`.
fn at_start(line: &str, time_end: usize) -> Option<(LogLevel, Range<usize>)> {
    if let Some((priority, _)) = line.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        let level = of_syslog(priority.parse::<u8>().ok()? & 7)?;
        return Some((level, 0..priority.len() + 2));
    }
    let letters = line.strip_prefix('[').unwrap_or(line);
    let level = letter(letters.get(..1)?)?;
    let is_time = letters[1..].trim_start_matches([',', ' ', '[']);
    let at = line.len() - letters.len();
    (time_end > 0 && is_time.starts_with(|c: char| c.is_ascii_digit()))
        .then_some((level, at..at + 1))
}

/// A word of a line, which consists of letters.
struct Word<'l> {
    before: &'l str,
    text: &'l str,
    after: &'l str,
    /// Whether the word is the first one after the time.
    is_after_time: bool,
}

impl Word<'_> {
    /// Returns the level that the word names, if it does not only talk about it.
    fn level(&self) -> Option<LogLevel> {
        let before = self.before.bytes().next_back();
        let after = self.after.bytes().next();
        if self.text.len() == 1 {
            let is_alone = matches!(after, Some(b' ' | b'\t' | b'/' | b']'));
            return letter(self.text).filter(|_| is_alone && self.is_after_time);
        }
        let level = named(self.text)?;
        let is_joined = |byte: Option<u8>| {
            byte.is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'='))
        };
        let is_upper = self.text.bytes().all(|byte| byte.is_ascii_uppercase());
        let states = is_upper || self.is_after_time || self.is_bracketed() || self.has_colon();
        (!is_joined(before) && !is_joined(after) && states).then_some(level)
    }

    /// Returns whether the word is the end of a part in brackets: `[error]`, `[core:error]`, `[error   ]`.
    fn is_bracketed(&self) -> bool {
        self.before.trim_end().ends_with(['[', ':', '/'])
            && self.after.trim_start().starts_with(']')
    }

    /// Returns whether a colon follows the word where a message may begin. Compilers put a code before the colon, and
    /// npm leaves the colon out.
    fn has_colon(&self) -> bool {
        let is_start = self.before.trim_start().is_empty();
        let begins = is_start
            || BEFORE_COLON
                .iter()
                .any(|before| self.before.ends_with(before));
        begins && self.after.starts_with(':')
            || is_start && self.after.starts_with('[')
            || self.before == "npm "
            || self.before.ends_with("): ")
    }

    /// Returns the level that a field of logfmt (`level=error`) or JSON (`"level":"error"`) holds, if the word is the
    /// name of one: the level, the bytes between the word and the value, and the length of the value.
    fn field(&self) -> Option<(LogLevel, usize, usize)> {
        const NAMES: [&str; 7] = [
            "level",
            "lvl",
            "severity",
            "levelname",
            "loglevel",
            "at",
            "s",
        ];
        if !NAMES
            .iter()
            .any(|name| name.eq_ignore_ascii_case(self.text))
        {
            return None;
        }
        let value = match self.before.bytes().next_back() {
            Some(b'"' | b'.') => self
                .after
                .strip_prefix('"')?
                .trim_start()
                .strip_prefix(':')?,
            None | Some(b' ' | b'\t' | b',' | b'{' | b'[') => self.after.strip_prefix('=')?,
            _ => return None,
        };
        let value = value.trim_start();
        let value = value.strip_prefix('"').unwrap_or(value);
        let end = value.find(|c: char| !c.is_ascii_alphanumeric());
        let text = &value[..end.unwrap_or(value.len())];
        let level = named(text)
            .or_else(|| letter(text))
            .or_else(|| number(text))?;
        Some((level, self.after.len() - value.len(), text.len()))
    }
}

/// Returns the level with this name, in upper or lower case. Some programs shorten them to three or four letters.
fn named(name: &str) -> Option<LogLevel> {
    let mut lower = [0; 13];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name.as_bytes());
    lower.make_ascii_lowercase();
    Some(match &*lower {
        b"error" | b"err" | b"erro" | b"eror" | b"fatal" | b"ftl" | b"fata" | b"critical"
        | b"crit" | b"severe" | b"panic" | b"alert" | b"emerg" | b"emergency" | b"fail"
        | b"failure" => LogLevel::Error,
        b"warning" | b"warn" | b"wrn" => LogLevel::Warning,
        b"info" | b"inf" | b"notice" | b"note" | b"information" | b"informational" => {
            LogLevel::Info
        }
        b"debug" | b"dbg" | b"debu" | b"dbug" | b"trace" | b"trc" | b"trce" | b"verbose"
        | b"vrb" | b"fine" | b"finer" | b"finest" => LogLevel::Debug,
        _ => return None,
    })
}

/// Returns the level that starts with this letter.
fn letter(letter: &str) -> Option<LogLevel> {
    Some(match letter {
        "E" | "F" => LogLevel::Error,
        "W" => LogLevel::Warning,
        "I" | "N" => LogLevel::Info,
        "D" | "T" | "V" => LogLevel::Debug,
        _ => return None,
    })
}

/// Returns the level that a field of JSON states as a number: up to 7 as syslog does, from 10 on as Pino and Bunyan do.
fn number(number: &str) -> Option<LogLevel> {
    match number.parse::<u8>().ok()? {
        severity @ 0..8 => of_syslog(severity),
        10 | 20 => Some(LogLevel::Debug),
        30 => Some(LogLevel::Info),
        40 => Some(LogLevel::Warning),
        50 | 60 => Some(LogLevel::Error),
        _ => None,
    }
}

/// Returns the level of a severity of syslog (RFC 5424).
fn of_syslog(severity: u8) -> Option<LogLevel> {
    Some(match severity {
        0..=3 => LogLevel::Error,
        4 => LogLevel::Warning,
        5 | 6 => LogLevel::Info,
        7 => LogLevel::Debug,
        _ => return None,
    })
}
