//! Signs that are right however short the text is: forms that prose does not have, such as a prompt of a shell.
//!
//! Invariants: the form of the first line decides, or all lines have the form.
//! Cost: a few passes over the lines.

/// Starts of a first line, and the language. A text may be this line alone.
const STARTS: [(&str, &str); 14] = [
    ("fn main() {", "rust"),
    ("Console.Write", "csharp"),
    ("System.out.print", "java"),
    ("console.log(", "javascript"),
    ("document.", "javascript"),
    ("puts \"", "ruby"),
    ("print(\"", "python"),
    ("print(f\"", "python"),
    ("docker run ", "bash"),
    ("curl -", "bash"),
    ("sudo apt", "bash"),
    ("git clone ", "bash"),
    ("SELECT ", "sql"),
    ("INSERT INTO ", "sql"),
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
    } else if text
        .lines()
        .zip(text.lines().skip(1))
        .any(|(line, next)| is_change(line, next))
    {
        Some("diff")
    } else if is_dotenv(lines()) {
        Some("dotenv")
    } else {
        is_ssh_config(lines()).then_some("ssh-config")
    }
}

/// Returns true if the text begins with a heading of Markdown and has another mark of it, or has a table.
pub(super) fn is_markdown(text: &str) -> bool {
    const MARKS: [&str; 7] = ["- ", "* ", "1. ", "> ", "```", "## ", "!["];
    let is_marked = |line: &str| MARKS.iter().any(|mark| line.starts_with(mark));
    let is_rule = |line: &str| {
        line.starts_with("|")
            && line.contains("--")
            && line.trim_matches(['|', '-', ':', ' ']).is_empty()
    };
    // In code, a comment begins so.
    let is_code = |line: &str| line.ends_with([';', '{', '}', '(', '\\']) || line.starts_with("# ");
    let mut rest = text.lines().skip(1);
    let has_heading = text.starts_with("# ")
        && text[2..].starts_with(char::is_alphanumeric)
        && rest.clone().any(is_marked)
        && (text.contains("```") || !rest.any(is_code));
    has_heading || text.lines().take(8).any(is_rule)
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

/// Returns true if the first line is a command after a prompt: `$ ls`, `ann@web1:~$ ls`, `[ann@web1 ~]$ ls`,
/// `PS C:\Users> ls`.
pub(super) fn is_session(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let starts_command =
        |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase() || "./~".contains(c));
    if let Some(command) = line.strip_prefix("$ ") {
        return starts_command(command);
    }
    let is_host = |prompt: &str| {
        let is_bracketed = prompt.starts_with('[') && prompt.ends_with(']');
        let (host, folder) = prompt.trim_end().split_once([' ', ':']).unwrap_or_default();
        let is_folder = !folder.contains(' ') && !folder.starts_with(|c: char| c.is_ascii_digit());
        is_bracketed && prompt.contains('@') || host.contains('@') && is_folder
    };
    let is_of_windows = || {
        let path = line.strip_prefix("PS ").unwrap_or(line);
        let (path, command) = path.split_once('>').unwrap_or_default();
        path.get(1..).is_some_and(|rest| rest.starts_with(":\\")) && !command.trim().is_empty()
    };
    is_of_windows()
        || ["$ ", "# ", "% "].iter().any(|end| {
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
    let (mut keys, mut bare) = (0, 0);
    for line in lines.filter(|line| !line.starts_with('#')) {
        // If all are exported, it is a script.
        let setting = line.strip_prefix("export ").unwrap_or(line);
        bare += usize::from(setting == line);
        let Some((key, value)) = setting.split_once('=') else {
            return false;
        };
        let is_key = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        let is_value = value.starts_with(['"', '\'']) || !value.contains([' ', '(', ';']);
        if key.len() < 2 || !key.bytes().all(is_key) || !is_value {
            return false;
        }
        keys += 1;
    }
    keys >= 2 && bare > 0
}

/// Returns true if the text has settings of an SSH client or server, and starts with one or with a host.
fn is_ssh_config<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    const SETTINGS: &str = "Host Match Include HostName User IdentityFile Port ProxyJump ProxyCommand AddKeysToAgent \
        ServerAliveInterval ForwardAgent PermitRootLogin PasswordAuthentication UsePAM AcceptEnv Subsystem";
    let mut words = lines
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_whitespace().next().unwrap_or_default());
    let is_setting = |word: &str| SETTINGS.split(' ').any(|setting| setting == word);
    words.next().is_some_and(is_setting) && words.filter(|word| is_setting(word)).count() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_prose_does_not_have_are_signs_in_one_line_or_in_all() {
        for (text, expected) in [
            ("GET /a HTTP/1.1\nHost: b\n", Some("http")),
            ("GET well soon\n", None),
            ("3c3\n< a\n---\n> b\n", Some("diff")),
            ("A_B=1\n# c\nDE=\"e f\"\n", Some("dotenv")),
            ("A=1, so we go\nB=2\n", None),
            ("Host a\n  User b\n", Some("ssh-config")),
            ("Host of the evening\nis Ann.\n", None),
            ("# a\nPort 22\nPermitRootLogin no\n", Some("ssh-config")),
            ("# a\nA_B=1\nexport CD=d\n", Some("dotenv")),
            ("export A_B=1\nexport CD=d\n", None),
        ] {
            assert_eq!(clear_sign(text), expected, "{text}");
        }
    }

    #[test]
    fn a_session_begins_with_a_prompt_and_a_command() {
        for line in [
            "$ ls",
            "ann@web1:~$ ls",
            "[ann@web1 ~]$ ls",
            "ann@mac tides % ls",
            "PS C:\\Users\\ann> dir",
            "C:\\>dir",
        ] {
            assert!(is_session(line), "{line}");
        }
        for line in [
            "$ 5 is the price",
            "PS: call me",
            "C:\\>",
            "# ls",
            "ann@web1.example.org 5 % off",
        ] {
            assert!(!is_session(line), "{line}");
        }
    }

    #[test]
    fn a_heading_with_a_list_or_a_table_is_markdown_and_a_comment_is_none() {
        for text in [
            "# Tides\n\n- one\n- two\n",
            "# Tides\n1. one\n",
            "# Tides\n\n```sh\nset -e;\n```\n",
            "| a | b |\n|---|--:|\n| 1 | 2 |\n",
        ] {
            assert!(is_markdown(text), "{text}");
        }
        for text in [
            "# a comment\n# - one\n",
            "# a comment\n\n- name: a\n  b: {\n",
            "# a comment\nwords\n",
            "# ### ###\n## a comment\n",
            "+---+\n| a |\n+---+\n",
        ] {
            assert!(!is_markdown(text), "{text}");
        }
    }
}
