//! The names of data: patches, JSON, tables and logs.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{may_be_secret, safe_lines, shown};
use crate::detection::columns;
use crate::detection::log::{LogLine, MONTHS, reports};

/// Returns the subject of a patch, or its first file and how many more there are.
pub(super) fn patch(start: &str, is_whole: bool) -> Option<String> {
    let mut lines = safe_lines(start);
    let subject = lines.find_map(|line| line.strip_prefix("Subject: ").map(str::to_owned));
    // What is not ASCII is encoded (RFC 2047).
    if let Some(subject) = subject.filter(|subject| !subject.contains("=?")) {
        let rest = subject
            .strip_prefix("[PATCH")
            .and_then(|it| it.split_once("] "));
        return Some(rest.map_or(&*subject, |(_, rest)| rest).to_owned());
    }
    let mut first = None;
    let mut files = BTreeSet::new();
    let lines: Vec<&str> = start.lines().collect();
    let is_context = start.contains("\n***************\n");
    let marks = if is_context {
        ["*** ", "--- "]
    } else {
        ["--- ", "+++ "]
    };
    for (old, new) in lines.iter().zip(lines.iter().skip(1)) {
        let sides = [(old, marks[0]), (new, marks[1])];
        let [Some(old), Some(new)] = sides.map(|(line, mark)| line.strip_prefix(mark)) else {
            continue;
        };
        let path = if new.starts_with("/dev/null") {
            old
        } else {
            new
        };
        let path = path
            .split('\t')
            .next()
            .unwrap_or_default()
            .trim_end()
            .trim_matches('"');
        let bare = path.strip_prefix("a/").or(path.strip_prefix("b/"));
        let path = bare.unwrap_or(path);
        first = first.or(path.rsplit('/').next());
        files.insert(path);
    }
    if first.is_none() {
        let renamed = lines
            .iter()
            .find_map(|line| line.strip_prefix("diff --git "));
        first = renamed.and_then(|paths| paths.rsplit('/').next());
    }
    let first = first.filter(|name| !may_be_secret(name))?;
    Some(match files.len().saturating_sub(1) {
        _ if !is_whole => format!("{first} and others"),
        0 => first.to_owned(),
        more => format!("{first} and {more} more"),
    })
}

/// Returns the name that JSON states of itself, or what it is.
pub(super) fn json(start: &str, is_whole: bool) -> Option<String> {
    let mut outline = Outline::default();
    let mut json = serde_json::Deserializer::from_str(start);
    // What was cut ends with an error.
    let is_valid = json.deserialize_any(&mut outline).is_ok();
    if is_valid && json.end().is_err() {
        return Some("JSON lines".to_owned());
    }
    if let Some(name) = outline.name.filter(|name| !may_be_secret(name)) {
        return Some(name);
    }
    let (kind, count, noun) = match (outline.keys, outline.items) {
        (Some(keys), _) => ("JSON object", keys, "key"),
        (_, Some(items)) => ("JSON array", items, "item"),
        (None, None) => return None,
    };
    Some(match is_valid && is_whole {
        true => format!("{kind}, {}", counted(count, noun)),
        false => kind.to_owned(),
    })
}

/// Returns how many columns a table has, as its first row tells.
pub(super) fn table(start: &str) -> Option<String> {
    let row = start.lines().find(|line| !line.starts_with("sep="))?;
    let counts = columns::SEPARATORS.map(|(separator, _)| columns::count(row, separator));
    Some(counted(counts.into_iter().max()?, "column"))
}

/// Returns the time of the first event of a log. In the output of a program, the first line that reports a failure may
/// come before.
pub(super) fn log(start: &str) -> Option<String> {
    let mut lines = start.lines().filter(|line| !may_be_secret(&shown(line)));
    let found = lines.find_map(|line| {
        let time = LogLine::of(line).time;
        let timed = time.and_then(|time| clock_and_date(&line[time]));
        (timed.is_some() || reports(line)).then_some((line, timed))
    });
    Some(match found? {
        (_, Some((clock, Some((day, month))))) => format!("Log, {day} {month} {clock}"),
        (_, Some((clock, None))) => format!("Log, {clock}"),
        (line, None) if line.starts_with('{') => "Log".to_owned(),
        (line, None) => shown(line),
    })
}

/// Reads the hour and minute of a time, and its day and month if it has them.
fn clock_and_date(time: &str) -> Option<(&str, Option<(usize, &str)>)> {
    // A year or an offset from UTC has a colon, too.
    let is_before_seconds = |at: &usize| time.as_bytes().get(at + 3) == Some(&b':');
    let mut colons = time.match_indices(':').map(|(at, _)| at);
    let start = colons.rfind(is_before_seconds)?.checked_sub(2)?;
    let (before, clock) = (time.get(..start)?, time.get(start..start + 5)?);
    let words: Vec<&str> = before
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let day = |word: &&str| word.parse().ok().filter(|day| (1..=31).contains(day));
    let named = words
        .iter()
        .position(|word| MONTHS.iter().any(|month| word.starts_with(month)));
    let date = match (named, &*words) {
        (Some(at), _) => {
            let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
            let mut days = beside.filter_map(|at| words.get(at).and_then(day));
            days.next().zip(words[at].get(..3))
        }
        (None, [first, month, third, ..]) if first.len() == 4 || before.contains('.') => {
            let month = month
                .parse::<usize>()
                .ok()
                .and_then(|month| MONTHS.get(month.wrapping_sub(1)));
            let date = if first.len() == 4 { third } else { first };
            day(date.split('T').next().as_ref()?).zip(month.copied())
        }
        (None, _) => None,
    };
    Some((clock, date))
}

fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// What the beginning of JSON tells.
#[derive(Default)]
struct Outline {
    name: Option<String>,
    keys: Option<usize>,
    items: Option<usize>,
}

impl<'de> Visitor<'de> for &mut Outline {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let keys = self.keys.insert(0);
        while let Some(key) = map.next_key::<String>()? {
            *keys += 1;
            let value: serde_json::Value = match &*key {
                "name" | "title" if self.name.is_none() => map.next_value()?,
                _ => map
                    .next_value::<IgnoredAny>()
                    .map(|_| serde_json::Value::Null)?,
            };
            if let Some(name) = value.as_str().filter(|name| !name.trim().is_empty()) {
                self.name = Some(name.to_owned());
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let items = self.items.insert(0);
        while seq.next_element::<IgnoredAny>()?.is_some() {
            *items += 1;
        }
        Ok(())
    }
}
