//! Signs that are right only for a text in which the classifier found no language: statements of SQL, rules of a
//! makefile, and sections of an INI file or a systemd unit. Their dialects differ too much for a table of features.
//!
//! Invariants: prose has none of these signs, nor has a document that quotes a few such lines.
//! Cost: a few passes over the lines for each language.

/// Objects that a statement creates, alters or drops, and words that may precede them.
const OBJECTS: [&str; 24] = [
    "table",
    "view",
    "index",
    "unique",
    "or",
    "function",
    "procedure",
    "trigger",
    "database",
    "schema",
    "type",
    "temporary",
    "temp",
    "materialized",
    "sequence",
    "extension",
    "role",
    "user",
    "policy",
    "domain",
    "aggregate",
    "operator",
    "global",
    "clustered",
];

/// Words with which a line of a statement begins.
const CLAUSES: [&str; 22] = [
    "from", "where", "values", "join", "left", "right", "inner", "outer", "on", "and", "or", "set",
    "order", "group", "having", "limit", "union", "begin", "end", "commit", "go", "with",
];

/// Returns the name of the language, or `None` if there is no sign of one. If the text was cut, its last line is not
/// inspected.
pub(super) fn weak_sign(text: &str, is_whole: bool) -> Option<&'static str> {
    // A document quotes code.
    if text.contains("```") {
        return None;
    }
    let mut lines: Vec<&str> = text.lines().collect();
    if !is_whole {
        lines.pop();
    }
    if is_sql(&lines) {
        Some("sql")
    } else if is_makefile(&lines) {
        Some("makefile")
    } else if is_ini(&lines) {
        let is_unit = lines.iter().any(|line| line.trim() == "[Unit]");
        Some(if is_unit { "systemd" } else { "ini" })
    } else {
        None
    }
}

/// Returns true if the text begins with a statement, or has several, one of which ends a line with a semicolon. Most
/// other lines are parts of statements, too. In a mail or a session they are not.
fn is_sql(lines: &[&str]) -> bool {
    let is_code = |line: &&str| {
        let line = line.trim_start();
        !line.is_empty()
            && !["--", "/*", "*", "#"]
                .iter()
                .any(|start| line.starts_with(start))
    };
    let code = || lines.iter().copied().filter(is_code);
    let is_part = |line: &str| {
        let first = line.split_ascii_whitespace().next().unwrap_or_default();
        let is_clause = || CLAUSES.contains(&first.to_ascii_lowercase().as_str());
        let is_end = line.trim_end().ends_with([';', ',', '(', ')']);
        line.starts_with([' ', '\t', '(', ')']) || is_end || is_clause() || is_statement(line)
    };
    let begins = code().next().is_some_and(is_statement);
    let statements = code().filter(|line| is_statement(line)).take(2).count();
    (begins || statements == 2)
        && code().any(|line| line.trim_end().ends_with(';'))
        && code().filter(|line| is_part(line)).count() * 10 >= code().count() * 9
}

/// Returns true if a statement begins with this line. Its first word is in capitals, or in small letters.
fn is_statement(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let (Some(first), second) = (words.next(), words.next().unwrap_or_default()) else {
        return false;
    };
    let is_small = first.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_small && !first.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return false;
    }
    let second = second.to_ascii_lowercase();
    // `psql` prints the first two words of what it did.
    let has_more = words.clone().next().is_some();
    let has = |word| {
        words
            .clone()
            .any(|other| word == other.to_ascii_lowercase())
    };
    match first.to_ascii_lowercase().as_str() {
        "create" | "alter" | "drop" => has_more && OBJECTS.contains(&second.as_str()),
        "insert" | "replace" => second == "into",
        "delete" => second == "from",
        "truncate" => second == "table",
        "comment" => second == "on",
        "update" => has("set"),
        "grant" | "revoke" => has("on") || has("to"),
        "select" => has_more && second != "case" && (!is_small || has("from")),
        _ => false,
    }
}

/// Returns true if the text has rules of `make` with variables, or several assignments of which one uses a variable.
fn is_makefile(lines: &[&str]) -> bool {
    let is_used = |line: &&str| {
        line.starts_with(".PHONY")
            || line.match_indices("$(").any(|(at, _)| {
                let name = &line[at + 2..];
                let end = name.find(|sign: char| !sign.is_ascii_uppercase() && sign != '_');
                end.is_some_and(|end| end > 0 && name[end..].starts_with([')', ':']))
            })
    };
    let is_automatic = |line: &&str| {
        line.starts_with('\t') && ["$@", "$<", "$^"].iter().any(|sign| line.contains(sign))
    };
    let rules = lines
        .windows(2)
        .filter(|pair| is_rule(pair[0]) && pair[1].starts_with('\t'))
        .count();
    let assignments = lines.iter().filter(|line| is_assignment(line)).count();
    let uses = lines.iter().any(is_used);
    rules > 0 && (uses || lines.iter().any(is_automatic)) || assignments >= 2 && uses
}

/// Returns true if the line names targets of `make` and what they depend on. A single word, or names of files, are
/// targets. Several words are a sentence.
fn is_rule(line: &str) -> bool {
    let is_target = |sign: char| sign.is_ascii_alphanumeric() || "_./%$() -".contains(sign);
    line.split_once(':').is_some_and(|(targets, rest)| {
        targets.starts_with(|sign: char| !sign.is_whitespace() && sign != '(')
            && targets.chars().all(is_target)
            && (!targets.trim_end().contains(' ') || targets.contains(['.', '%', '$']))
            && !rest.starts_with(['=', ':'])
    })
}

/// Returns true if the line assigns a variable of `make` in a way that a shell does not have.
fn is_assignment(line: &str) -> bool {
    let rest =
        line.trim_start_matches(|sign: char| sign.is_ascii_alphanumeric() || "_.-".contains(sign));
    let sign = rest.trim_start();
    rest.len() < line.len()
        && [":=", "?=", "+= "]
            .iter()
            .any(|start| sign.starts_with(start))
}

/// Returns true if each line is a section, a comment, or a key with a value. Programs print keys and values, too, but
/// without sections.
fn is_ini(lines: &[&str]) -> bool {
    let (mut sections, mut keys) = (0, 0);
    for line in lines.iter().map(|line| line.trim()) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(section) = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'))
        {
            // Programs print lists of numbers.
            if section
                .bytes()
                .all(|byte| b"0123456789.,+- ".contains(&byte))
            {
                return false;
            }
            sections += 1;
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            return false;
        };
        let is_name = |sign: char| sign.is_alphanumeric() || "_-.:/* \\".contains(sign);
        if key.is_empty()
            || !key.chars().all(is_name)
            || line.ends_with(['{', ';'])
            // TOML quotes its texts.
            || value.trim_start().starts_with(['"', '\'', '[', '{'])
        {
            return false;
        }
        keys += 1;
    }
    sections > 0 && keys >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_a_sign_of_sql() {
        for text in [
            "-- people\nCREATE TABLE people (\n  id int\n);\n",
            "select a, b from c;\n",
            "  id int\n);\nINSERT INTO a VALUES (1);\nINSERT INTO a VALUES (2);\n",
            "GRANT SELECT ON a TO b;\n",
        ] {
            assert_eq!(weak_sign(text, true), Some("sql"), "{text}");
        }
        for text in [
            "Select a plan from the list;\nthen go on.\n",
            "select a plan, then go on;\n",
            "create a table and a view;\n",
            "```\nDROP TABLE a;\n```\n",
            "update the set\n",
            "The import failed.\n\nUPDATE a SET b = 0;\nDELETE FROM c WHERE d = 3;\n\nHave a look.\nAnn\n",
            "db=# create table a (b int);\nCREATE TABLE\ndb=# create index on a (b);\nCREATE INDEX\n",
            "SELECT * FROM a;\nERROR at line 1:\nORA-00942\n",
        ] {
            assert_eq!(weak_sign(text, true), None, "{text}");
        }
    }

    #[test]
    fn rules_with_variables_are_a_sign_of_a_makefile() {
        for text in [
            "all: $(OBJ)\n\tcc -o $@ $^\n",
            ".PHONY: test\ntest:\n\tgo test ./...\n",
            "CC ?= gcc\nCFLAGS += -O2\nifdef DEBUG\nLIBS := $(LIBS) -lm\nendif\n",
        ] {
            assert_eq!(weak_sign(text, true), Some("makefile"), "{text}");
        }
        for text in [
            "else:\n\treturn x\n",
            "default:\n\t$(this).hide();\n",
            "a := 1\nb := 2\n",
            "(main): Use $(XML).\n\t* b.\n",
            "Exception: failed: Main$@5e2d\n\tat a.B$.c(D)\nCaused by: Error\n\tat e.F\n",
            "Special variables:\n\t$@\tall arguments\n",
            "for d in ${A:-b c}; do\n\tcp \"$@\" $d\ndone\n",
            "Foo::Bar->new(\n\ta => $@,\n);\n",
            "note: $(CC) is a variable\nand no recipe\n",
        ] {
            assert_eq!(weak_sign(text, true), None, "{text}");
        }
    }

    #[test]
    fn sections_with_keys_are_a_sign_of_an_ini_file() {
        let ini = "[core]\n; a note\neditor = vim\nname = A B\n\n[user]\nmail=a@example.org\nx=\n";
        assert_eq!(weak_sign(ini, true), Some("ini"));
        let unit = "[Unit]\nDescription=A\nAfter=b\n[Service]\nExecStart=/c\nUser=d\n";
        assert_eq!(weak_sign(unit, true), Some("systemd"));
        for text in [
            "[a]\nb = \"c\"\nd = 1\ne = 2\nf = 3\n",
            "a=1\nb=2\nc=3\nd=4\n",
            "[a]\nb=1\nand a sentence\nc=2\nd=3\ne=4\n",
            "[a]\n",
            "a = 1\nb = 2\n[0.1, 0.2]\nc = 3\nd = 4\n",
        ] {
            assert_eq!(weak_sign(text, true), None, "{text}");
        }
    }
}
