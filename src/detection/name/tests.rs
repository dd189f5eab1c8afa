//! Tests of names.

use proptest::prelude::*;

use super::*;

fn named(language: &str, text: &str) -> Option<String> {
    let language = Language::from_name(language).unwrap();
    name_of(text, language).map(|name| name.text)
}

#[test]
fn each_kind_is_called_by_what_a_reader_would_ask_for() {
    for (language, text, expected) in [
        (
            "diff",
            "From 3f1c2d9 Mon Sep 17\nSubject: [PATCH 2/3] Close the gate\n---\n",
            "Close the gate",
        ),
        (
            "diff",
            "--- a/src/ledger.rs\n+++ b/src/ledger.rs\n@@ -1 +1 @@\n-a\n+b\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n",
            "ledger.rs and 1 more",
        ),
        (
            "diff",
            "--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+a\n",
            "new.c",
        ),
        (
            "markdown",
            "Some words.\n\n## High *water*\n\n# Later\n",
            "High water",
        ),
        (
            "markdown",
            "Tide tables\n===========\n\nText.\n",
            "Tide tables",
        ),
        ("markdown", "- **one** [two](three)\n- four\n", "one two"),
        (
            "markdown",
            "---\ndate: 2026\n---\n\n# High water\n",
            "High water",
        ),
        (
            "markdown",
            "---\ntitle: \"Tides\"\n---\n# High water\n",
            "Tides",
        ),
        (
            "markdown",
            "```sh\n# in code\n```\n## High water\n",
            "High water",
        ),
        (
            "json",
            "{\"version\": 2, \"name\": \"tide-service\"}",
            "tide-service",
        ),
        (
            "json",
            "{\"a\": {\"name\": \"inner\"}, \"b\": 2}",
            "JSON object, 2 keys",
        ),
        ("json", "[{\"name\": \"a\"}]", "JSON array, 1 item"),
        ("json", "{\"a\": 1}\n{\"a\": 2}\n", "JSON lines"),
        ("csv", "id,\"a, b\",c\n1,2,3\n", "3 columns"),
        ("tsv", "id\tname\n", "2 columns"),
        (
            "ansi",
            "\u{1b}]0;title\u{7}\u{1b}[1mjo@host\u{1b}[0m:~$ cargo \u{1b}[32mtest\u{1b}[0m\nok\n",
            "cargo test",
        ),
        ("ansi", "10 %\r100 % done\r\n", "100 % done"),
        (
            "python",
            "#!/usr/bin/env python3\nimport time\n\nRATE = 2\n\nclass TokenBucket:\n",
            "class TokenBucket",
        ),
        (
            "rust",
            "use std::fs;\n\npub(crate) async fn main() {\n",
            "fn main",
        ),
        (
            "go",
            "package main\n\nfunc (s *Server) Run(port int) {\n",
            "func Run",
        ),
        (
            "c",
            "#include <stdio.h>\n\nint main(int argc, char **argv)\n{\n",
            "int main",
        ),
        ("bash", "#!/bin/sh\n# Deploys.\nset -eu\n", "set -eu"),
        ("yaml", "# comment\n---\nservices:\n", "services:"),
        ("text", "\n\n  Dear all,\nhello\n", "Dear all,"),
    ] {
        assert_eq!(named(language, text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn a_log_is_called_by_its_time_and_output_by_its_first_failure() {
    for (language, text, expected) in [
        ("log", "2026-11-27T18:00:01Z INFO up\n", "Log, 27 Nov 18:00"),
        ("log", "Nov  7 06:01:02 host sshd: up\n", "Log, 7 Nov 06:01"),
        (
            "log",
            "10.0.0.1 - - [04/May/2026:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1\n",
            "Log, 4 May 12:00",
        ),
        ("log", "12:00:01 INFO up\n", "Log, 12:00"),
        ("log", "starting\nERROR: down\n", "ERROR: down"),
        ("log", "{\"level\":\"error\"}\n", "Log"),
        (
            "log",
            "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'low'\n",
            "KeyError: 'low'",
        ),
        (
            "log",
            "2026-11-02T10:00:00.1+01:00 INFO up\n",
            "Log, 2 Nov 10:00",
        ),
        ("log", "[02.11.26, 10:00:00] Ann: up\n", "Log, 2 Nov 10:00"),
        (
            "log",
            "a.c:1:2: error: no type\n\n\n\nTime elapsed: 00:00:01\n",
            "a.c:1:2: error: no type",
        ),
    ] {
        assert_eq!(named(language, text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn a_patch_of_files_without_a_prefix_is_called_by_its_file() {
    let patch = "--- old/tide.c\t2026-11-28\n+++ new/tide.c\t2026-11-29\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(named("diff", patch).as_deref(), Some("tide.c"));
    let context = "*** old/tide.c\t2026-11-28\n--- new/tide.c\t2026-11-29\n***************\n*** 1 ****\n! a\n";
    assert_eq!(named("diff", context).as_deref(), Some("tide.c"));
    let many: String = (0..10_000)
        .map(|n| format!("--- a/{n}.c\n+++ b/{n}.c\n@@ -1 +1 @@\n-a\n+b\n"))
        .collect();
    assert_eq!(named("diff", &many).as_deref(), Some("0.c and others"));
}

#[test]
fn a_document_shows_the_name_that_is_its_heading() {
    let markdown = Language::from_name("markdown").unwrap();
    let is_heading = |text| name_of(text, markdown).map(|name| name.is_heading);
    assert_eq!(is_heading("# Tides\n"), Some(true));
    assert_eq!(is_heading("Tides\n"), Some(false));
}

#[test]
fn a_line_that_may_have_a_secret_gives_no_name() {
    for secret in [
        "DB_PASSWORD=hunter2",
        "SECRET_KEY=abc",
        "private_key = x",
        "token: abc",
        "pwd=x",
        "Passwort: x",
        "Mot de passe : x",
        "The password is hunter2",
        "\"secret\": \"abc\"",
        "mysql -phunter2",
        "curl -u admin:hunter2",
        "docker login -p hunter2",
        "Authorization Bearer 1",
        "Cookie: session=x",
        "ALTER ROLE jo WITH PASSWORD 'x'",
        "postgres://jo:pw@db.example/tides",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "ghp_abcdefghijklmnop",
        "sk-abcdefgh",
        "AKIAIOSFODNN7EXAMPLE",
        "0123456789abcdef0123456789abcdef",
        "jo:$2y$05$abc",
        "host:5432:db:jo:pw",
    ] {
        let text = format!("{secret}\nplain words\n");
        assert_eq!(
            named("text", &text).as_deref(),
            Some("plain words"),
            "{secret}"
        );
        assert_eq!(named("text", secret), None, "{secret}");
        let json = format!("{{\"name\": {secret:?}}}");
        assert_eq!(
            named("json", &json).as_deref(),
            Some("JSON object, 1 key"),
            "{secret}"
        );
    }
    let key = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\nwords\n";
    assert_eq!(named("text", key), None);
}

#[test]
fn what_has_no_words_has_no_name_and_odd_text_gives_a_plain_one() {
    for text in [
        "",
        "\n \n",
        "---\n***\n",
        "\u{1b}",
        "\u{1b}[31m",
        "\u{200b}\u{202e}\n",
    ] {
        for language in ["text", "markdown", "rust", "ansi", "diff"] {
            assert_eq!(named(language, text), None, "{language} {text:?}");
        }
    }
    assert_eq!(
        named("text", "a\u{202e}b\0 \t c\n").as_deref(),
        Some("ab c")
    );
    let long = format!("{{\"name\": \"{}\"}}", "é".repeat(4096));
    assert_eq!(named("json", &long).as_deref(), Some("JSON object"));
}

proptest! {
    #[test]
    fn any_text_in_any_language_has_a_clean_name_or_none(
        text in "([a-z:#+\u{1b}\u{202e}é\"{}\\[\\]0-9/()=, \n\r\t-]|Subject: |--- a/|\\+\\+\\+ |12:00:01|May 4 |fn |class |\u{1b}\\[1m|\u{1b}\\]0;){0,60}",
        number in 0..239_usize,
    ) {
        let language = Language::all().nth(number).unwrap();
        if let Some(Name { text: name, .. }) = name_of(&text, language) {
            prop_assert!(!name.is_empty() && name.trim() == name, "{name:?}");
            prop_assert!(!name.contains(|c: char| c.is_control() || c == '\u{202e}'), "{name:?}");
        }
    }
}
