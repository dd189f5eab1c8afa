//! Signs that are right however short the text is: forms that prose does not have, such as a prompt of a shell.
//!
//! Invariants: the form of the first line decides, or all lines have the form.
//! Cost: a few passes over the lines.

/// Starts of a first line, and the language. A text may be this line alone.
const STARTS: [(&str, &str); 24] = [
    ("fn main() {", "rust"),
    ("Console.Write", "csharp"),
    ("System.out.print", "java"),
    ("console.log(", "javascript"),
    ("document.", "javascript"),
    ("fun main(", "kotlin"),
    ("main :: IO", "haskell"),
    ("package main", "go"),
    ("fmt.Print", "go"),
    ("puts \"", "ruby"),
    ("print(\"", "python"),
    ("print(f\"", "python"),
    ("defmodule ", "elixir"),
    ("syntax = \"proto", "proto"),
    ("pragma solidity ", "solidity"),
    ("cmake_minimum_required(", "cmake"),
    ("@echo off", "batch"),
    ("docker run ", "bash"),
    ("curl -", "bash"),
    ("sudo apt", "bash"),
    ("git clone ", "bash"),
    ("export PATH=", "bash"),
    ("\\begin{", "latex"),
    ("Get-ChildItem ", "powershell"),
];

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS"];

/// Returns the name of the language, or `None` if there is no sign of one.
pub(super) fn clear_sign(text: &str) -> Option<&'static str> {
    let first = text.lines().next()?;
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    if let Some((_, name)) = STARTS.iter().find(|(start, _)| first.starts_with(start)) {
        Some(name)
    } else if is_http(first) {
        Some("http")
    } else if is_prompt(first) {
        Some("shellsession")
    } else if text
        .lines()
        .zip(text.lines().skip(1))
        .any(|(line, next)| is_change(line, next))
    {
        Some("diff")
    } else if is_dotenv(lines()) {
        Some("dotenv")
    } else if is_ssh_config(first, lines()) {
        Some("ssh-config")
    } else {
        is_yaml(text).then_some("yaml")
    }
}

/// Returns true if this line starts a request or an answer of HTTP/1.
fn is_http(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let (first, last) = (
        words.next().unwrap_or_default(),
        words.next_back().unwrap_or_default(),
    );
    METHODS.contains(&first) && last.starts_with("HTTP/")
        || first.starts_with("HTTP/")
            && line[first.len()..]
                .trim_start()
                .starts_with(|c: char| c.is_ascii_digit())
}

/// Returns true if this line is a command after a prompt: `$ ls`, `ann@web1:~$ ls`, `[ann@web1 ~]$ ls`.
fn is_prompt(line: &str) -> bool {
    let starts_command =
        |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase() || "./~".contains(c));
    if let Some(command) = line.strip_prefix("$ ") {
        return starts_command(command);
    }
    let is_host = |prompt: &str| {
        let is_bracketed = prompt.starts_with('[') && prompt.ends_with(']');
        prompt.contains('@') && (is_bracketed || prompt.contains(':') && !prompt.contains(' '))
    };
    ["$ ", "# ", "% "].iter().any(|end| {
        line.split_once(end)
            .is_some_and(|(prompt, command)| is_host(prompt) && starts_command(command))
    })
}

/// Returns true if the line is a change of `diff` without `-u`, such as `3,4c3`, and a changed line follows.
fn is_change(line: &str, next: &str) -> bool {
    let is_range =
        |range: &str| !range.is_empty() && range.bytes().all(|b| b.is_ascii_digit() || b == b',');
    let sides = line.split_once(['a', 'c', 'd']);
    sides.is_some_and(|(old, new)| is_range(old) && is_range(new)) && next.starts_with(['<', '>'])
}

/// Returns true if all lines are comments or variables in capitals with a value of one word or in quotes.
fn is_dotenv<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let mut keys = 0;
    for line in lines.filter(|line| !line.starts_with('#')) {
        let Some((key, value)) = line.split_once('=') else {
            return false;
        };
        let is_key = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        let is_value = value.starts_with(['"', '\'']) || !value.contains([' ', '(', ';']);
        if key.len() < 2 || !key.bytes().all(is_key) || !is_value {
            return false;
        }
        keys += 1;
    }
    keys >= 2
}

/// Returns true if the text starts with a host of an SSH client, and has a setting of one.
fn is_ssh_config<'t>(first: &str, mut lines: impl Iterator<Item = &'t str>) -> bool {
    const SETTINGS: [&str; 5] = ["HostName ", "User ", "IdentityFile ", "Port ", "ProxyJump "];
    first.starts_with("Host ")
        && lines.any(|line| {
            SETTINGS
                .iter()
                .any(|name| line.trim_start().starts_with(name))
        })
}

/// Returns true if all lines are keys and items of YAML, and some are in others.
fn is_yaml(text: &str) -> bool {
    let (mut keys, mut nested) = (0, 0);
    let mut is_open = false;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let inner = line.trim();
        if inner.starts_with('#') {
            continue;
        }
        let is_item = inner.starts_with("- ");
        let key = inner
            .trim_start_matches("- ")
            .split_once(": ")
            .map(|(key, _)| key);
        let key = key.or_else(|| inner.strip_suffix(':'));
        let is_key = |key: &str| {
            key.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_-./\"".contains(&b))
        };
        nested += usize::from(is_open && line.starts_with([' ', '-']));
        match key {
            Some(key) if is_key(key) && !inner.ends_with([';', '{', ',']) => keys += 1,
            _ if is_item && nested > 0 && !inner.ends_with([';', '.']) => {}
            _ => return false,
        }
        is_open = inner.ends_with(':');
    }
    nested > 0 && keys >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_prose_does_not_have_are_signs_in_one_line_or_in_all() {
        for (text, expected) in [
            ("GET /a HTTP/1.1\nHost: b\n", Some("http")),
            ("GET well soon\n", None),
            ("$ ls\na  b\n", Some("shellsession")),
            ("ann@web1:~$ ls\n", Some("shellsession")),
            ("$ 5 is the price\n", None),
            ("3c3\n< a\n---\n> b\n", Some("diff")),
            ("A_B=1\n# c\nDE=\"e f\"\n", Some("dotenv")),
            ("A=1, so we go\nB=2\n", None),
            ("Host a\n  User b\n", Some("ssh-config")),
            ("Host of the evening\nis Ann.\n", None),
            ("a:\n  b: 1\n  c:\n    - d\n", Some("yaml")),
            ("to do:\nring: 1\nAnn: 2\n", None),
        ] {
            assert_eq!(clear_sign(text), expected, "{text}");
        }
    }
}
