//! The output of compilers, tests and package managers, and the traces of failures.
//!
//! Method: a line that only a program writes, such as `main.c:5:88: error: …`, counts more than one that people write
//! too, such as `3 passed`. A text is output if such lines are a part of it that prose and code do not reach.
//! Cost: a few passes over the lines.

use std::ops::Range;

use super::{LogLevel, LogLine, TRACEBACK};

/// The weight of a line that only a program writes.
const SURE: usize = 2;

/// Returns true if the lines are the output of a program.
pub(in super::super) fn is_output(lines: &[&str]) -> bool {
    let (mut heads, mut sum, mut sure, mut sentences) = (0, 0, 0, 0);
    let mut first = None;
    let mut asks = false;
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        let weight = weight(line);
        first.get_or_insert(weight);
        // What a compiler quotes is indented.
        heads += usize::from(weight > 0 || !line.starts_with([' ', '\t']));
        sentences += usize::from(weight == 0 && is_sentence(line));
        asks |= weight == 0 && line.trim_end().ends_with('?');
        sure += usize::from(weight == SURE);
        sum += weight;
    }
    let is_first = first == Some(SURE) && sentences * 2 <= heads;
    let part = if sure > 0 { 6 } else { 3 };
    is_first || !asks && sum >= SURE && sentences * 2 <= sum && sum * part >= heads
}

/// Returns true if the line says what went wrong, or where.
pub(in super::super) fn reports(line: &str) -> bool {
    is_placed(line) || is_failure(line) && !line.contains(TRACEBACK)
}

/// Returns how sure it is that a program wrote the line.
fn weight(line: &str) -> usize {
    let is_indented = line.starts_with([' ', '\t']);
    // Code has these words, too.
    let inner = line.trim();
    let is_code = inner.ends_with([';', '{', '}', ','])
        || ["//", "# ", "/*", "- ", "--", "%", "{", "echo "]
            .iter()
            .any(|start| inner.starts_with(start));
    let is_sure = || is_placed(inner) || is_numbered(inner) || !is_indented && is_failure(line);
    if is_frame(line) || !is_code && is_sure() {
        SURE
    } else {
        usize::from(!is_code && is_progress(inner) || !is_indented && is_status(line))
    }
}

/// Returns true if the line reports a failure: it states a level, or why a call of the system failed.
fn is_failure(line: &str) -> bool {
    const REASONS: [&str; 9] = [
        ": No such file or directory",
        ": Permission denied",
        ": command not found",
        ": not found",
        ": Connection refused",
        "undefined reference to `",
        "multiple definition of `",
        ": syntax error",
        ": cannot find ",
    ];
    let read = LogLine::of(line);
    let is_severe = |(level, at): &(LogLevel, Range<usize>)| {
        let is_stated = at.is_empty() || line.starts_with("npm ") || read.is_certain(line);
        // At most the program and a file are before the level.
        let words = line[..at.start].split_whitespace().count();
        *level >= LogLevel::Warning && is_stated && words <= 2
    };
    read.level.as_ref().is_some_and(is_severe) || REASONS.iter().any(|reason| line.contains(reason))
}

/// Returns what follows a place in a file at the start of this text, and how many numbers the place has: `main.c:5:88`,
/// `main.cs(12,5)`.
fn after_place(text: &str) -> Option<(&str, usize)> {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut ends = text.match_indices([':', '(']);
    let (end, _) = ends.find(|(at, _)| text[at + 1..].starts_with(is_digit))?;
    let (path, mut rest) = text.split_at(end);
    let name = path.rsplit(['/', '.', '\\']).next().unwrap_or_default();
    let is_path = name.len() < path.len() && name.starts_with(|c: char| c.is_ascii_alphabetic())
        || path.starts_with(['<', '[', '-']);
    let mut numbers = 0;
    while let Some(after) = rest.strip_prefix([':', '(', ',']) {
        let after = after.trim_start();
        let number = after.trim_start_matches(is_digit);
        if number.len() == after.len() {
            break;
        }
        (numbers, rest) = (numbers + 1, number);
    }
    let rest = rest.strip_prefix(')').unwrap_or(rest);
    (is_path && !path.contains(' ')).then_some((rest, numbers))
}

/// Returns true if the line is a message about a place in a file. A search prints places with one number, too.
fn is_placed(line: &str) -> bool {
    const MESSAGES: [&str; 6] = ["error", "warning", "fatal", "note", "in ", "undefined "];
    let is_message = |message: &str| {
        let lower = message.trim_start_matches([':', ' ']).to_ascii_lowercase();
        let second = lower.split_once(' ').unwrap_or_default().1;
        MESSAGES.iter().any(|it| lower.starts_with(it)) || second.starts_with("error")
    };
    // Linters print the name of the file once.
    let (place, message) = line.split_once(' ').unwrap_or_default();
    let is_listed = place.contains(':')
        && place
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b':')
        && is_message(message);
    let leads = after_place(line)
        .is_some_and(|(rest, numbers)| numbers == 2 && rest.starts_with(':') || is_message(rest));
    is_listed || leads
}

/// Returns true if the line ends with the number of a line, or names it before its message, as Perl, PHP and shells do.
fn is_numbered(line: &str) -> bool {
    line.rsplit_once(" line ").is_some_and(|(before, rest)| {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_end = ["", ".", ":"].contains(&after);
        let path = before
            .trim_end_matches(" on")
            .rsplit(' ')
            .next()
            .unwrap_or_default();
        after.len() < rest.len()
            && (is_end && path.contains(['.', '/'])
                || after.starts_with(": ") && before.ends_with(':'))
    })
}

/// Returns true if the line is a frame of a trace, or the place of a message.
pub(super) fn is_frame(line: &str) -> bool {
    let inner = line.trim_start();
    let is_indented = inner.len() < line.len();
    let numbered = inner.strip_prefix('#').is_some_and(|rest| {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        (1..=3).contains(&(rest.len() - after.len())) && after.starts_with(' ')
    });
    let is_of_python = inner.starts_with("File \"") && inner.contains("\", line ");
    is_of_python
        || inner.starts_with("--> ") && after_place(&inner[4..]).is_some()
        || numbered && inner.contains(['(', '/']) && inner.contains([':', ')'])
        || is_indented
            && inner
                .strip_prefix("at ")
                .is_some_and(|call| call.contains(['(', ':']))
        || is_indented
            && inner
                .strip_prefix("from ")
                .is_some_and(|place| after_place(place).is_some())
        || is_indented
            && after_place(inner)
                .is_some_and(|(rest, _)| rest.starts_with(": in ") || rest.starts_with(" +0x"))
}

/// Returns true if the line tells what a program does.
fn is_progress(line: &str) -> bool {
    let (first, rest) = line.split_once(' ').unwrap_or_default();
    let is_verb = first.starts_with(|c: char| c.is_ascii_uppercase()) && first.ends_with("ing");
    (is_verb || ["Finished", "Successfully", "Found"].contains(&first))
        && (!rest.ends_with('.') || rest.ends_with("..."))
}

/// Returns true if the line tells how far a program is, or what became of its work.
fn is_status(line: &str) -> bool {
    const COUNTED: &str = "passed failed passing failing skipped errors error warnings warning tests test examples \
        failures failure problems packages upgraded";
    const STARTS: [&str; 7] = ["PASS", "FAIL", "BUILD ", "ok ", "==", "--- ", "***"];
    const ENDS: [&str; 9] = [
        " ok", " FAILED", " PASSED", " ERROR", " NO", " YES", "...", "%]", "***",
    ];
    let words: Vec<&str> = line
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_counted = words.windows(2).any(|pair| {
        is_number(pair[0])
            && COUNTED
                .split(' ')
                .any(|word| word.eq_ignore_ascii_case(pair[1]))
    });
    // `[ 50%]`, `[1/2]`, `(1/3)`, `#5`
    let is_step = line.strip_prefix(['[', '(', '#']).is_some_and(|rest| {
        let rest = rest.trim_start();
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        after.len() < rest.len() && ["/", "%", "] ", " "].iter().any(|it| after.starts_with(it))
    });
    !words.is_empty()
        && (is_counted
            || is_step
            || STARTS.iter().any(|start| line.starts_with(start))
            || ENDS.iter().any(|end| line.ends_with(end)))
}

/// Returns true if the line is one of prose: it is long, begins with a letter and ends as a sentence does.
fn is_sentence(line: &str) -> bool {
    line.starts_with(char::is_alphabetic)
        && line.trim_end().ends_with(['.', ',', '?', '!', ':'])
        && line.split(' ').count() >= 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_errors_of_compilers_and_programs_are_a_failure() {
        for (text, expected) in [
            (
                "a.cpp: In function 'int main()':\na.cpp:5:88: error: no type\n    5 | x",
                true,
            ),
            ("Main.java:3: error: ';' expected\n", true),
            ("main.cs(12,5): error CS1002: ; expected\n", true),
            ("npm ERR! code ENOENT\nnpm ERR! path /srv\n", true),
            ("PHP Fatal error:  Uncaught TypeError\nStack trace:\n", true),
            ("Note on 5: error: is a word\n", false),
            (
                "I get this:\nmain.c:5:3: error: no such thing\nWhy?\n",
                false,
            ),
            (
                "goroutine leaks and how to find them\nare our theme.\n",
                false,
            ),
            ("cc -c a.c\ncc -c b.c\nb.c:1:2: error: late\n", true),
            (
                "test tests::adds ... ok\ntest tests::opens ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed\n",
                true,
            ),
            (
                "===== FAILURES =====\n    def test_low():\n>       assert 1 == 2\nE       assert 1 == 2\n\na.py:3: AssertionError\n",
                true,
            ),
            (
                "/srv/gate.js\n  1:5   error    'a' is never used  no-unused-vars\n  9:1   warning  x\n",
                true,
            ),
            (
                "a.rb:2:in `open': undefined method `start' (NameError)\n\tfrom a.rb:4:in `main'\n",
                true,
            ),
            ("** (RuntimeError) gate\n    a.exs:2: A.f/1\n", true),
            (
                "/usr/bin/ld: a.o: in function `main':\na.c:(.text+0x6): undefined reference to `b'\n",
                true,
            ),
            ("make: *** No rule to make target 'a'.  Stop.\n", true),
            ("died at a.pl line 2.\n", true),
            (
                "Collecting idna\n  Downloading idna-3.whl (69 kB)\nInstalling collected packages: idna\n",
                true,
            ),
            ("ls: cannot access 'a': No such file or directory\n", true),
            (
                "src/a.rs:12:    let error = b;\nsrc/b.rs:3:fn warning() {}\n",
                false,
            ),
            ("# Errors\n\n- warning: low\n- error: high\n", false),
            ("echo ERROR: none\necho WARNING: low\ngoto fail\n", false),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(is_output(&lines), expected, "{text}");
        }
    }
}
