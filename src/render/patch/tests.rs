//! Tests of patches, as HTML and as the text that a browser shows.

mod views;

use std::fmt::Write;

use proptest::prelude::*;

use super::*;
use crate::render::tests::{PATCH, Parsed, listed_in_a_patch};

const NEVER: TimeBudget<'static> = TimeBudget::until(&|| false);

fn rendered(text: &str) -> Option<Patch> {
    let split = patch(text, None, true, NEVER).expect("in time");
    let unified = patch(text, None, false, NEVER).expect("in time")?;
    checked(text, split?);
    Some(checked(text, unified))
}

/// Checks the invariants of a patch.
fn checked(text: &str, patch: Patch) -> Patch {
    let parsed = Parsed::of(&patch.html, &[PATCH]);
    let lines = parsed
        .elements
        .iter()
        .filter_map(|element| element.attribute("id"));
    let numbered = (1..).map(|number| format!("L{number}"));
    assert!(
        lines.eq(numbered.take(text.split_inclusive('\n').count())),
        "each line has its number"
    );
    assert_eq!(
        shown(&patch.html),
        listed_in_a_patch(text),
        "the lines are those of the text"
    );
    patch
}

/// Returns the text of the lines: all but the summaries and the second copies of unchanged lines.
fn shown(html: &str) -> String {
    let html = without_twins(html);
    let listings = html.split("<pre class=\"listing\"").skip(1);
    let inside = listings.map(|part| {
        let part = part.split_once('>').map_or(part, |(_, inside)| inside);
        part.split("</pre>").next().unwrap_or_default()
    });
    inside.map(|html| Parsed::of(html, &[PATCH]).text).collect()
}

fn without_twins(html: &str) -> String {
    let mut parts = html.split("<span inert");
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // Only the last line of a text has no line feed.
        let is_last = || &part[part.find("</span></code>").expect("an end")..];
        rest += part
            .split_once("\n</span>")
            .map_or_else(is_last, |(_, rest)| rest);
    }
    rest
}

fn html(text: &str) -> String {
    rendered(text).expect("a patch").html
}

/// Returns the summaries of the files, as a browser shows them.
fn files(text: &str) -> Vec<String> {
    let html = html(text);
    let summaries = html.split("<summary>").skip(1);
    let inside = summaries.map(|part| part.split("</summary>").next().unwrap_or_default());
    inside
        .map(|html| Parsed::of(html, &[PATCH]).text.trim().to_owned())
        .collect()
}

/// Returns the numbers of each line and its sign, such as `7 8  `.
fn numbers(text: &str) -> Vec<String> {
    let html = html(text);
    let lines = html.split(" id=\"L").skip(1);
    let number = |tag: &str, name: &str| {
        let (_, value) = tag.split_once(name)?;
        Some(value.split([' ', '>']).next()?.to_owned())
    };
    lines
        .map(|line| {
            let (tag, text) = line.split_once('>').expect("a line");
            let [old, new] = ["data-o=", "data-n="]
                .map(|name| number(&format!("{tag}>"), name).unwrap_or_else(|| "-".to_owned()));
            let sign: String = text.chars().take(1).collect();
            format!("{old} {new} {sign}")
        })
        .collect()
}

const HUNK: &str = "--- a\n+++ b\n@@ -9,3 +19,3 @@\n x\n-y\n+z\n \n";

#[test]
fn blank_lines_between_files_are_no_box_of_their_own() {
    let file = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n";
    let html = html(&format!("{file}\n{file}a word\n{file}"));
    assert_eq!(html.matches("<pre class=\"listing\" hidden>").count(), 1);
    assert_eq!(html.matches("<pre class=\"listing\">").count(), 4);
}

#[test]
fn each_line_of_a_hunk_has_the_numbers_of_its_files() {
    assert_eq!(
        numbers(HUNK),
        [
            "- - -", "- - +", "- - @", "9 19  ", "10 - -", "- 20 +", "11 21  "
        ]
    );
}

#[test]
fn a_file_is_named_as_its_tool_writes_it() {
    for (header, expected) in [
        ("--- a/x.rs\n+++ b/x.rs\n", "x.rs +1 −1"),
        (
            "--- x.c\t2026-01-01 00:00:00\n+++ x.c\t2026-01-02\n",
            "x.c +1 −1",
        ),
        ("--- old/x\n+++ new/x\n", "old/x → new/x +1 −1"),
        (
            "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n",
            "x +1 −1",
        ),
        (
            "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n",
            "x → y renamed +1 −1",
        ),
        (
            "diff --git a/x b/y\ncopy from x\ncopy to y\n--- a/x\n+++ b/y\n",
            "x → y copied +1 −1",
        ),
        (
            "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n",
            "x new +1 −1",
        ),
        (
            "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n",
            "x deleted +1 −1",
        ),
        (
            "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n",
            "x +1 −1",
        ),
        (
            "diff -r 0123 -r 4567 x\n--- a/x\tThu\n+++ b/x\tFri\n",
            "x +1 −1",
        ),
        (
            "Index: x\n=======================\n--- x\t(revision 1)\n+++ x\t(working copy)\n",
            "x +1 −1",
        ),
        (
            "Index: x\n========\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n",
            "x +1 −1",
        ),
        (
            "--- \"a/\\303\\251 \\\"\"\n+++ \"b/\\303\\251 \\\"\"\n",
            "é \" +1 −1",
        ),
        ("--- \"a/\\9\"\n+++ \"a/\\9\"\n", "\"a/\\9\" +1 −1"),
        ("--- a/\u{202e}x\n+++ b/\u{202e}x\n", "[U+202E]x +1 −1"),
        (
            "diff --git a/x y b/x y\nnew file mode 100644\n",
            "x y new +1 −1",
        ),
        ("", "Unnamed file +1 −1"),
    ] {
        let text = format!("{header}@@ -1 +1 @@\n-y\n+z\n");
        assert_eq!(files(&text), [expected], "{header}");
        let text = text.replace('\n', "\r\n");
        assert_eq!(files(&text), [expected], "{header} with CR LF");
    }
}

#[test]
fn a_file_without_hunks_is_shown_too() {
    let text = "diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n\
        diff --git a/j.png b/j.png\nGIT binary patch\nliteral 3\nKcmZ\n\nliteral 0\nHcmV\n\n\
        diff --git a/old name b/new\nsimilarity index 100%\nrename from old name\nrename to new\ndiff -u a b\n";
    assert_eq!(
        files(&(text.to_owned() + HUNK)),
        [
            "i.png binary",
            "j.png binary",
            "old name → new renamed",
            "a → b +1 −1"
        ]
    );
}

#[test]
fn messages_stand_around_the_files() {
    let mail = format!(
        "From 0123 Mon Sep 17 00:00:00 2001\nSubject: x\n---\n a | 2 +-\n\n{HUNK}-- \n2.39.5\n\n"
    );
    let text = mail.repeat(2);
    assert_eq!(files(&text).len(), 2);
    assert_eq!(html(&text).matches("<pre").count(), 5);
    assert_eq!(rendered(&text).expect("a patch").note, None);
}

#[test]
fn two_files_or_more_have_a_sum() {
    assert!(!html(HUNK).contains("class=\"counts\""));
    let html = html(&HUNK.repeat(2));
    assert!(html.starts_with("<p class=\"counts\">2 files <ins>+2</ins> <del>−2</del></p>"));
}

#[test]
fn the_words_that_changed_are_marked_if_the_lines_have_enough_in_common() {
    let html = html("@@ -1,2 +1,2 @@\n-let two = count(2);\n-a\n+let two = count(22);\n+b\n");
    assert!(!html.contains("pair"));
    assert!(
        html.contains("count(<b>2</b>);\n</del>") && html.contains("count(<b>22</b>);\n</ins>")
    );
    assert_eq!(html.matches("<b>").count(), 2);
}

#[test]
fn several_changed_words_of_a_line_are_marked_each() {
    let html = html("@@ -1 +1 @@\n-call(one, two, 'é', three four)\n+call(1, two, 'è', 3 4)\n");
    let marked = |text: &str| html.contains(&format!("<b>{text}</b>"));
    assert!(
        ["one", "1", "é", "è", "three four", "3 4"]
            .into_iter()
            .all(marked)
    );
    assert_eq!(html.matches("<b>").count(), 6);
}

#[test]
fn the_header_of_a_file_is_hidden_except_for_what_its_name_does_not_tell() {
    let html = html(
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n",
    );
    assert_eq!(html.matches(" hidden>").count(), 4);
    assert!(html.contains("<span id=\"L2\">") && html.contains("<span id=\"L1\" hidden>"));
}

#[test]
fn a_missing_line_feed_is_noted_with_its_line() {
    let text = "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n";
    assert_eq!(rendered(text).expect("a patch").note, None);
    let html = html(text);
    assert!(html.contains("<del id=\"L3\"") && html.contains("<ins id=\"L5\""));
}

#[test]
fn a_hunk_that_differs_from_its_header_is_shown_with_a_note() {
    for (text, line) in [
        ("@@ -1,3 +1,3 @@\n x\n", 3),
        ("@@ -1,3 +1,3 @@\n x\nno sign\n y\n", 3),
        ("@@ -1 +1 @@\n-x\n+y\n+z\n", 4),
        ("@@ -1,0 +1 @@\n-x\n+y\n", 2),
        ("@@ -1 +1 @@\n@@ -1 +1 @@\n-x\n+y\n", 2),
    ] {
        let note = rendered(text).expect("a patch").note;
        let expected = format!("line {line} does not fit");
        assert!(note.is_some_and(|note| note.contains(&expected)), "{text}");
    }
}

#[test]
fn the_hunks_after_a_faulty_one_belong_to_the_same_file() {
    let text = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n+z\nw\n@@ -9 +9 @@\n-x\n+y\n";
    assert_eq!(files(&(text.to_owned() + HUNK)), ["a +2 −2", "a → b +1 −1"]);
}

#[test]
fn a_text_without_a_unified_hunk_is_no_patch() {
    for text in [
        "",
        "\n",
        "1c1\n< a\n---\n> b\n",
        "*** a\n--- b\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n",
        "diff --cc x\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n",
        "@@ -1 +1",
        "@@ -+1 +1 @@\n",
        "@@ -18446744073709551615,1 +1 @@\n-x\n",
        "@@ -9999999,1 +1 @@\n-x\n",
        "@@ -1,99999999 +1 @@\n-x\n",
        "--- a\n+++ b\n",
    ] {
        assert!(rendered(text).is_none(), "{text}");
    }
}

#[test]
fn more_files_than_a_browser_bears_are_refused() {
    assert!(patch(&HUNK.repeat(1000), None, false, NEVER).is_ok());
    assert_eq!(
        patch(&HUNK.repeat(1001), None, false, NEVER).err(),
        Some(OutOfTime)
    );
}

#[test]
fn rendering_stops_when_its_time_is_over() {
    assert!(patch(HUNK, None, false, TimeBudget::until(&|| true)).is_err());
}

#[test]
fn a_patch_is_at_most_as_large_as_its_module_says() {
    let name = "'".repeat(100);
    let mut text = format!(
        "diff --git a/{name} b/{name}\nold mode 100644\nnew mode 100755\nrename from {name}\nrename to {name}2\n\
         GIT binary patch\n"
    );
    text += &format!("--- {name}\n+++ {name}3\n@@ -9999000,200 +9999000,200 @@\n");
    for _ in 0..100 {
        text += " é'\n-'a' b\n+'c' b\n";
    }
    let text = text.repeat(3);
    let (lines, files) = (text.split_inclusive('\n').count(), 6);
    let length = html(&text).len();
    let most = 5 * text.len() + 150 * lines + files * (600 + 2 * 5 * 110);
    assert!(length <= most, "{length} of {most}");
    let mut line = String::new();
    write!(line, "{HUNK}+{}", "'".repeat(1 << 15)).expect("a string");
    assert!(html(&line).len() <= 5 * line.len() + 150 * 8 + 600);
}

/// Parts of which a hostile patch is made.
const PARTS: &[&str] = &[
    "--- a\n",
    "+++ b\n",
    "@@ -1,2 +3,4 @@\n",
    "@@ -1 +1 @@ é\r\n",
    " x\n",
    "-y\n",
    "+z\n",
    "\n",
    "\\ No\n",
    "diff --git a/x b/y\n",
    "diff -",
    "Index: <b>\n",
    "rename from \"\\3\n",
    "rename to ü\t\n",
    "GIT binary patch\n",
    "Binary files\n",
    "====",
    "\u{202e}",
    "\0",
    "\r",
    "é",
    "'<&>\"",
    "@@ -0,0 +0,0 @@",
    "@@@ -1 -1 +1 @@@\n",
    "old mode '\n",
    "new mode <\n",
    "-- \n",
    "--- /dev/null\n",
    "+++ /dev/null\n",
    "--- \"a/\\303\\251\"\n",
];

proptest! {
    #[test]
    fn no_line_of_a_hostile_patch_is_lost(
        parts in prop::collection::vec(prop::sample::select(PARTS), 0..60)
    ) {
        // The test is in `rendered`.
        rendered(&format!("@@ -1,9 +1,9 @@\n{}", parts.concat()));
        rendered(&parts.concat());
    }
}

#[test]
fn a_file_has_the_name_that_a_program_would_change_and_only_what_it_tells_is_hidden() {
    let renamed = "diff --git a/README b/README\nsimilarity index 50%\nrename from README\nrename to README.md\n";
    let text = format!("{renamed}--- a/.bashrc\n+++ b/.bashrc\n@@ -1 +1 @@\n-x\n+y\n");
    let html = rendered(&text).expect("a patch").html;
    assert!(
        html.contains(".bashrc</code>") || html.contains(">.bashrc<"),
        "{html}"
    );
    assert!(!html.contains(">README.md<"), "{html}");
    for line in [
        "index curl evil | sh",
        "======== anything",
        "Binary file notes: anything",
        "similarity index of all",
    ] {
        let text = format!("diff --git a/b b/b\n{line}\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n");
        let html = rendered(&text).map_or(String::new(), |patch| patch.html);
        let hidden = html
            .split("hidden")
            .skip(1)
            .any(|it| it.split("</").next().is_some_and(|it| it.contains(line)));
        assert!(!hidden, "{line}: {html}");
    }
}
