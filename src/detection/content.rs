//! Language detection finds the language of content that has no file name.
//!
//! Invariants: a language is returned only if a sign makes it certain, or if the classifier finds it likely enough.
//! Wrong colours are worse than none, and plain text is never wrong.
//! Cost: a few passes over the first [`INSPECTED`] bytes, which compare at least sixteen bytes at once. One pass over
//! the rest searches for terminal colours, since the output of a build often has its first colour late.

use memchr::{memchr, memchr_iter, memmem};

use super::INSPECTED;
use super::classifier::classify;
use super::clear_signs::{clear_sign, is_markdown, is_session};
use super::columns;

/// The number of bytes that are searched for terminal colours. A page shows at most this many bytes.
const COLOURED_WITHIN: usize = 4 * 1024 * 1024;

/// Maximum number of escape sequences that the search for terminal colours inspects.
const MOST_ESCAPES: usize = 4096;

/// Returns the name of the content's language, or one of its aliases. Returns `None` if no language is likely enough.
pub(super) fn detect(content: &[u8]) -> Option<&str> {
    let start = &content[..content.len().min(INSPECTED)];
    // The cut above may have split a character. Bytes that are not text have no language.
    let start = match std::str::from_utf8(start) {
        Ok(start) => start,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&start[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    let is_whole = start.len() == content.len();
    let text = start.trim_start_matches('\u{feff}').trim_start();
    shebang(text)
        .or_else(|| modeline(text))
        .or_else(|| markup(text))
        .or_else(|| has_terminal_colours(content).then_some("ansi"))
        .or_else(|| (is_diff(text) || is_hunks(start)).then_some("diff"))
        .or_else(|| is_json(text, is_whole).then_some("json"))
        .or_else(|| is_session(text).then_some("shellsession"))
        .or_else(|| text.starts_with(">>> ").then_some("python"))
        .or_else(|| columns::table(text, is_whole))
        .or_else(|| is_json_lines(text, is_whole).then_some("json"))
        .or_else(|| clear_sign(text))
        .or_else(|| classify(text.as_bytes()).filter(|name| has_mark(name, text)))
        .or_else(|| is_markdown(text).then_some("markdown"))
}

/// Returns true if the content has a terminal colour (ECMA-48 SGR): `ESC [`, then digits, semicolons or colons, then
/// `m`.
pub(super) fn has_terminal_colours(content: &[u8]) -> bool {
    let inspected = &content[..content.len().min(COLOURED_WITHIN)];
    let mut escapes = memchr_iter(b'\x1b', inspected).take(MOST_ESCAPES);
    escapes.any(|escape| {
        let Some(after) = inspected[escape + 1..].strip_prefix(b"[") else {
            return false;
        };
        let is_parameter = |byte: &&u8| byte.is_ascii_digit() || matches!(byte, b';' | b':');
        after.iter().find(|byte| !is_parameter(byte)) == Some(&b'm')
    })
}

/// Returns the program, without its version, of a first line such as `#!/usr/bin/env -S python3 -u`.
fn shebang(text: &str) -> Option<&str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let mut word = words.next()?;
    if word.rsplit('/').next() == Some("env") {
        word = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let name = word.rsplit('/').next()?;
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match name {
        "dash" | "ash" | "busybox" => "sh",
        "nodejs" | "bun" => "node",
        "deno" | "ts-node" | "tsx" => "ts",
        "tclsh" | "wish" | "expect" => "tcl",
        "runghc" | "runhaskell" => "haskell",
        "guile" => "scheme",
        "Rscript" => "r",
        "osascript" => "applescript",
        "gmake" => "make",
        "nu" => "nushell",
        name => name,
    })
}

/// Returns the language that the first line names for an editor: `-*- mode: ruby -*-` or `vim: ft=ruby`.
fn modeline(text: &str) -> Option<&str> {
    let end = memchr(b'\n', text.as_bytes()).unwrap_or(text.len());
    let line = &text[..end];
    let emacs = || {
        let (_, rest) = line.split_once("-*-")?;
        let (inside, _) = rest.split_once("-*-")?;
        let mode = match inside.split_once("mode:") {
            Some((_, mode)) => mode,
            None if inside.contains(':') => return None,
            None => inside,
        };
        mode.split(';').next()
    };
    let vim = || {
        let (_, settings) = line.split_once("vim:")?;
        let setting = |name: &str| settings.split_once(name).map(|(_, value)| value);
        let value = setting("filetype=").or_else(|| setting("ft="))?;
        value.split([' ', ':']).next()
    };
    emacs().or_else(vim).map(str::trim)
}

/// Returns the language of a document whose first characters name it, such as `<?xml`.
fn markup(text: &str) -> Option<&'static str> {
    let starts = |prefix: &str| {
        text.get(..prefix.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    [
        ("<?xml", "xml"),
        ("<!doctype html", "html"),
        ("<html", "html"),
        ("<?php", "php"),
        ("<svg", "xml"),
        ("%yaml ", "yaml"),
        ("\\documentclass", "latex"),
    ]
    .into_iter()
    .find(|(prefix, _)| starts(prefix))
    .map(|(_, name)| name)
    .or_else(|| is_element(text).then_some("xml"))
}

/// Returns true if the text is one element of XML, and none of HTML or of a template.
fn is_element(text: &str) -> bool {
    const HTML: &str = "html head body main header footer nav section article div span p a ul ol li dl table form \
        button select label input h1 h2 h3 h4 h5 h6 b i strong em pre code img video iframe details script style template";
    let inner = text.strip_prefix('<').unwrap_or_default();
    let name = inner
        .split([' ', '>', '/', '\n'])
        .next()
        .unwrap_or_default();
    // A component of JavaScript has a name with a point.
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !name.contains('.')
        && text.trim_end().ends_with(&format!("</{name}>"))
        && !HTML.split(' ').any(|it| it.eq_ignore_ascii_case(name))
        && !text.contains('{')
}

/// Returns true if the text has a unified diff of `git` or `diff -u`. A message may precede the diff.
fn is_diff(text: &str) -> bool {
    let is_context = || text.starts_with("*** ") && text.contains("\n***************\n");
    if ["diff --git ", "diff --cc "]
        .iter()
        .any(|start| text.starts_with(start))
        || is_context()
    {
        return true;
    }
    // A needle of a few bytes takes no preparation.
    let find = |start: &str| match text.starts_with(&start[1..]) {
        true => Some(0),
        false => memmem::find(text.as_bytes(), start.as_bytes()),
    };
    let starts = ["\n@@ -", "\n--- ", "\n+++ "].map(find);
    // A document quotes a diff.
    starts.iter().all(Option::is_some) && find("\n```").is_none_or(|quote| starts[1] < Some(quote))
}

/// Returns true if the text is a part of a diff without its head: it has a hunk, and almost all lines begin as those of
/// hunks.
fn is_hunks(text: &str) -> bool {
    let is_header = |line: &str| {
        let rest = line
            .strip_prefix("@@ -")
            .and_then(|rest| rest.split_once(" @@"));
        rest.is_some_and(|(range, _)| {
            range.contains(" +") && range.bytes().all(|byte| b"0123456789, +".contains(&byte))
        })
    };
    let is_of_hunk = |line: &&str| {
        line.is_empty() || line.starts_with([' ', '+', '-', '@', '\\']) || line.starts_with("diff ")
    };
    text.lines().any(is_header) && {
        let lines = text.lines().count();
        text.lines().filter(is_of_hunk).count() * 10 >= lines * 9
    }
}

/// Returns true if the text has a mark that all texts in this language have. Prose and the output of tests have
/// underlined titles as reStructuredText has, and addresses between `<` and `>`.
fn has_mark(language: &str, text: &str) -> bool {
    let marks: &[&str] = match language {
        "rst" => &["::\n", "\n.. ", ":`"],
        "json" => &["{\n", "[\n", ",\n", ",\r"],
        "shellsession" => &["$ ", "# ", "> ", "% "],
        "xml" | "html" => &["</", "\"/>", " />", "<!"],
        _ => return true,
    };
    marks.iter().any(|mark| text.contains(mark)) || text.starts_with(".. ")
}

/// Returns true if the text is an object or an array of JSON. If the text was cut, it only has to be the start of an
/// object or an array.
fn is_json(text: &str, is_whole: bool) -> bool {
    use serde_json::error::Category;
    if !text.starts_with(['{', '[']) {
        return false;
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        // A text like `[1]` may be a footnote, so JSON needs a quote or a comma.
        Ok(_) => text.contains('"') || text.contains(','),
        Err(error) => !is_whole && error.classify() == Category::Eof,
    }
}

/// Returns true if each of several lines is JSON. A log may be written so, too, which is found before.
fn is_json_lines(text: &str, is_whole: bool) -> bool {
    let mut lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
    if !is_whole {
        lines.pop();
    }
    lines.len() > 1 && lines.into_iter().all(|line| is_json(line, true))
}

#[cfg(test)]
mod tests {
    use super::{COLOURED_WITHIN, MOST_ESCAPES};
    use crate::detection::detect;
    use crate::paste::Language;

    fn found(content: &str) -> Option<&'static str> {
        super::detect(content.as_bytes())
            .and_then(Language::from_name)
            .map(Language::name)
    }

    #[test]
    fn an_underlined_title_alone_is_no_restructuredtext() {
        for text in [
            "Meeting notes\n=============\n\nWe agreed to ship on Monday.\nAnna writes the mail.\n",
            "============ test session starts ============\ncollected 2 items\n\n\
             tests/test_tide.py .F                 [100%]\n\n=========== FAILURES ===========\n\
             FAILED tests/test_tide.py::test_low - assert 3 == 4\n===== 1 failed, 1 passed in 0.12s =====\n",
        ] {
            assert_ne!(found(text), Some("rst"), "{text}");
        }
        let document = "Tides\n=====\n\n.. note::\n\n   High water at :ref:`six <six>`.\n\n.. code-block:: c\n";
        assert_eq!(found(document), Some("rst"));
    }

    #[test]
    fn a_first_line_names_the_program_that_reads_it() {
        for (line, expected) in [
            ("#!/bin/sh", Some("bash")),
            ("#!/usr/bin/env python3", Some("python")),
            ("#! /usr/bin/python3.11 -u\n", Some("python")),
            ("#!/usr/bin/env -S FOO=1 ruby -w", Some("ruby")),
            ("#!/usr/bin/env node", Some("javascript")),
            ("#!/usr/bin/perl\r\nprint", Some("perl")),
            ("#!/opt/klingon", None),
            ("#!/usr/bin/env", None),
            ("#!", None),
            ("#!/", None),
        ] {
            assert_eq!(found(line), expected, "{line}");
        }
    }

    #[test]
    fn a_line_for_an_editor_names_the_language() {
        for (line, expected) in [
            ("// -*- mode: rust; tab-width: 4 -*-", Some("rust")),
            ("# -*- ruby -*-", Some("ruby")),
            ("# -*- coding: utf-8 -*-", None),
            ("# vim: set ft=python sw=4:", Some("python")),
            ("# vim: sw=4", None),
        ] {
            assert_eq!(found(line), expected, "{line}");
        }
    }

    #[test]
    fn a_document_that_starts_with_the_name_of_its_language_is_detected() {
        for (text, expected) in [
            ("<?xml version=\"1.0\"?>", Some("xml")),
            ("\u{feff}\n<!DOCTYPE html>\n", Some("html")),
            ("<?php echo 1;", Some("php")),
            ("<note to=\"a\"><body>hi</body></note>\n", Some("xml")),
            ("<s:Body xmlns:s=\"x\"><a/></s:Body>", Some("xml")),
            ("<h1>Tides</h1>", None),
            ("<App>{name}</App>", None),
            ("<A.B></A.B>", None),
            ("<mail@example.org>", None),
            ("<b", None),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn a_diff_has_both_files_and_a_hunk() {
        let hunk = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(found(hunk), Some("diff"));
        assert_eq!(found(&format!("From: me\n\n{hunk}")), Some("diff"));
        let context = "*** a/x\n--- b/x\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n";
        assert_eq!(found(context), Some("diff"));
        assert_eq!(found("diff --git a/x b/x\n"), Some("diff"));
        assert_eq!(found("--- \nsome notes\n+++ \n"), None);
        let part = " }\n\n+int b;\n@@ -12,7 +13,9 @@ int a()\n {\n-  return 1;\n+  return 2;\n";
        assert_eq!(found(part), Some("diff"));
        let quoted = "The hunk\n\n@@ -1 +1 @@\n\nsays which lines\nare replaced.\n";
        assert_eq!(found(quoted), None);
    }

    #[test]
    fn metadata_before_a_text_is_a_sign_of_markdown_and_of_no_other_document() {
        for (text, expected) in [
            (
                "---\ntitle: A\ntags: [b]\n---\n\n# A\n\nIt begins.\n",
                Some("markdown"),
            ),
            ("---\nlayout: page\n---\n\nA [link](b).\n", Some("markdown")),
            ("---\nkind: A\n---\n# the other\nkind: B\n", None),
            ("---\nkind: A\n---\n- one\n", None),
            ("---\nlayout: null\n---\n@import \"base\";\n", Some("scss")),
            (
                "---\nFile: a.txt\n---\nhello world\n---\nFile: b.txt\n",
                None,
            ),
            ("---\na line\n---\nanother line\n", None),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn json_must_be_valid_to_its_end() {
        for (text, expected) in [
            ("{\"a\": 1}", Some("json")),
            ("{\"a\": 1}\n\n{\"a\": 2}\n[3, 4]\n", Some("json")),
            ("{\"a\": 1}\nnote", None),
            (" [1, 2]\n", Some("json")),
            ("[1]", None),
            ("{\"a\": 1} and more", None),
            ("{\"a\": ", None),
            ("[note] to self", None),
            ("{}", None),
            ("1, 2", None),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
        let long = format!("[{}\"end\"]", "\"é\", ".repeat(2000));
        assert_eq!(found(&long), Some("json"));
        assert_eq!(found(&format!("[{}", "note, ".repeat(2000))), None);
    }

    #[test]
    fn colours_for_a_terminal_are_found_and_other_escapes_are_not() {
        assert_eq!(found("ok \u{1b}[1;32mgreen\u{1b}[0m"), Some("ansi"));
        assert_eq!(found("\u{1b}[m"), Some("ansi"));
        // A script that prints colours is detected as a script.
        assert_eq!(found("#!/bin/sh\necho \u{1b}[1mred\u{1b}[m"), Some("bash"));
        assert_eq!(found("\u{1b}[2Jcleared [0m"), None);
    }

    #[test]
    fn colours_for_a_terminal_are_found_wherever_a_page_shows_them() {
        let after = |length| format!("{}\u{1b}[32mok", "a".repeat(length));
        assert_eq!(found(&after(5000)), Some("ansi"));
        let last = COLOURED_WITHIN - "\u{1b}[32m".len();
        assert_eq!(found(&after(last)), Some("ansi"));
        assert_eq!(found(&after(last + 1)), None);
        // The search gives up after `MOST_ESCAPES` other escape sequences.
        let cleared = "\u{1b}[2J".repeat(MOST_ESCAPES);
        assert_eq!(found(&cleared[4..]), None);
        assert_eq!(found(&(cleared[4..].to_owned() + "\u{1b}[m")), Some("ansi"));
        assert_eq!(found(&(cleared + "\u{1b}[m")), None);
        // A document that starts with the name of its language is not terminal output.
        let page = after(5000).replacen("aaaaaa", "<html>", 1);
        assert_eq!(found(&page), Some("html"));
    }

    #[test]
    fn bytes_that_are_not_text_or_not_recognised_have_no_language() {
        assert_eq!(detect(b"#!/bin/sh\n\xff", None), Language::PLAIN);
        assert_eq!(detect(b"", None), Language::PLAIN);
        for text in ["hello", "fn main", "\n\n", "é"] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
