//! Tests of logs: the attribute of each line, and that no line is lost.

use proptest::prelude::*;

use super::*;
use crate::render::tests::{LISTING, Parsed, listed};

const NEVER: TimeBudget<'_> = TimeBudget::until(&|| false);

/// Renders a log, and checks its HTML and its text.
#[track_caller]
fn rendered(text: &str) -> Parsed {
    let log = log(text, NEVER).expect("there is time");
    let parsed = Parsed::of(&log.html, &[LISTING]);
    assert_eq!(parsed.text, listed(text));
    let lines = parsed
        .elements
        .iter()
        .filter(|element| element.attribute("id").is_some());
    assert_eq!(lines.count(), text.split_inclusive('\n').count());
    for (level, count) in ["d", "i", "w", "e"].iter().zip(log.counts) {
        let is_of = |element: &&_| level_of(element) == Some(level);
        assert_eq!(parsed.elements.iter().filter(is_of).count(), count);
    }
    parsed
}

fn level_of(element: &crate::render::tests::Element) -> Option<&str> {
    element.attribute("data-l")
}

/// Returns the attribute of each line, or a dot.
fn levels(text: &str) -> String {
    let parsed = rendered(text);
    let lines = parsed
        .elements
        .iter()
        .filter(|element| element.attribute("id").is_some());
    let levels: Vec<&str> = lines.map(|line| level_of(line).unwrap_or(".")).collect();
    levels.join(" ")
}

#[test]
fn a_stack_trace_has_the_level_of_the_line_before() {
    for (text, expected) in [
        (
            "12:00:00 ERROR x\njava.lang.E: y\n\tat a.b(c)\n\nCaused by: ERROR\n12:00:01 INFO z\nwell\n",
            "e e+ e+ e+ e+ i i+",
        ),
        (
            "ERROR:root:x\nTraceback (most recent call last):\n  File \"a\"\nValueError: y\nINFO:root:z\n",
            "e e+ e+ e+ i",
        ),
        ("WARN x\n    y\nplain\n    z\n", "w w+ . +"),
        (
            "error: x\n --> a.rs:3\n  |\n3 | y\n  |\n\nerror: z\n",
            "e . + + + + e",
        ),
        ("12:00:00 up\nby hand\n12:00:01 WARN\n", ". + w"),
        (" INFO a\n    ERROR b\nERROR c\n", "i i+ e"),
        ("  a\nb\n", ". ."),
        ("", ""),
    ] {
        assert_eq!(levels(text), expected, "{text}");
    }
}

#[test]
fn the_time_and_the_level_of_a_line_are_marked() {
    let log = log("12:00:00 <b>\n[warn] x\nI0504 12:00:00 y\n", NEVER).expect("there is time");
    for part in [
        "<u>12:00:00</u> &#60;b&#62;\n",
        "[<b>warn</b>] x\n",
        "<b>I</b><u>0504 12:00:00</u> y\n",
    ] {
        assert!(log.html.contains(part), "{part} in {}", &log.html);
    }
}

#[test]
fn a_url_in_a_line_is_a_link() {
    let line = "12:00:00 INFO GET https://a.example/?b&c.\n";
    let log = log(line, NEVER).expect("there is time");
    let link = "GET <a href=\"https://a.example/?b&#38;c\" rel=\"nofollow noopener noreferrer\">\
        https://a.example/?b&#38;c</a>.\n";
    assert!(log.html.contains(link), "{}", log.html);
}

#[test]
fn rendering_stops_when_its_time_is_over() {
    assert!(log("x\n", TimeBudget::until(&|| true)).is_err());
}

#[test]
fn a_log_is_at_most_as_large_as_its_module_says() {
    let line = "2026-05-04 12:00:00.123 ERROR é'\n";
    let text = line.repeat(20_000);
    let log = log(&text, NEVER).expect("there is time");
    assert!(log.html.len() <= 5 * text.len() + 80 * 20_000);
}

/// Parts of which a hostile log is made.
const PARTS: &[&str] = &[
    "12:00:00",
    "2026-05-04T",
    "[",
    "]",
    "<",
    ">",
    "<11>",
    "ERROR",
    "warn",
    ":",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "level=",
    "{\"level\":",
    "\"",
    "\\",
    "99",
    "E",
    "I0504 ",
    "npm ",
    "Traceback ",
    "thread '",
    "' panicked at",
    "é",
    "\u{202e}",
    "\0",
    "&",
    "[    0.123456]",
    "3 |",
    "\" data-l=\"e\"",
    "http://a.b/",
    "a@b.cc",
];

/// A line of a log, and its kind. The attributes of its event follow from the lines before it.
type Sample = (&'static str, Option<&'static str>, Is);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Is {
    /// It has a time, or it has a level and is not indented.
    Event,
    /// It has a time, so the lines after it belong to it.
    Timed,
    Indented,
    /// It starts the trace of a failure.
    Traceback,
    Failure,
    Other,
}

const SAMPLES: &[Sample] = &[
    ("12:00:00 INFO a\n", Some("i"), Is::Timed),
    ("12:00:00 [warn] a\n", Some("w"), Is::Timed),
    ("12:00:00 a\n", None, Is::Timed),
    ("error: a\n", Some("e"), Is::Event),
    ("DEBUG a\n", Some("d"), Is::Event),
    ("\tat a.b\n", None, Is::Indented),
    ("\n", None, Is::Indented),
    (
        "Traceback (most recent call last):\n",
        Some("e"),
        Is::Traceback,
    ),
    ("KeyError: a\n", Some("e"), Is::Failure),
    ("and so on\n", None, Is::Other),
];

/// Returns the index of the line that begins the event of the line `at`, by looking back from it.
fn beginning(lines: &[Sample], at: usize) -> usize {
    let (_, _, is) = lines[at];
    if at == 0 {
        return 0;
    }
    let before = beginning(lines, at - 1);
    let mut trace = lines[..at]
        .iter()
        .rev()
        .skip_while(|(_, _, is)| *is == Is::Indented);
    let is_in_trace = trace.next().is_some_and(|(_, _, is)| *is == Is::Traceback);
    let begins = match is {
        Is::Event | Is::Timed => true,
        Is::Indented => false,
        Is::Traceback | Is::Failure => !matches!(lines[before].1, Some("w" | "e")),
        Is::Other => !is_in_trace && lines[before].2 != Is::Timed,
    };
    if begins { at } else { before }
}

proptest! {
    #[test]
    fn no_line_of_a_hostile_log_is_lost(
        parts in prop::collection::vec(prop::sample::select(PARTS), 0..60)
    ) {
        // The test is in `rendered`.
        rendered(&parts.concat());
    }

    #[test]
    fn each_line_belongs_to_the_event_that_looking_back_finds(
        lines in prop::collection::vec(prop::sample::select(SAMPLES), 1..20)
    ) {
        let expected = (0..lines.len()).map(|at| match (beginning(&lines, at), lines[beginning(&lines, at)].1) {
            (beginning, Some(level)) if beginning == at => level.to_owned(),
            (_, Some(level)) => format!("{level}+"),
            (beginning, None) if beginning == at => ".".to_owned(),
            (_, None) => "+".to_owned(),
        });
        let text: String = lines.iter().map(|(line, _, _)| *line).collect();
        prop_assert_eq!(levels(&text), expected.collect::<Vec<_>>().join(" "));
    }
}
