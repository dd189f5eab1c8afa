//! Signs that are right only for a text in which the classifier found no language: statements of SQL, rules of a
//! makefile, and sections of an INI file. Their dialects differ too much for a table of features.
//!
//! Invariants: prose has none of these signs, nor has a document that quotes a few such lines.
//! Cost: one pass over the lines for each language.

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

/// Returns the name of the language, or `None` if there is no sign of one.
pub(super) fn weak_sign(text: &str) -> Option<&'static str> {
    // A document quotes code.
    if text.contains("```") {
        return None;
    }
    if is_sql(text) {
        Some("sql")
    } else if is_makefile(text) {
        Some("makefile")
    } else if is_ini(text) {
        Some(if text.contains("[Unit]") {
            "systemd"
        } else {
            "ini"
        })
    } else {
        None
    }
}

/// Returns true if the text begins with a statement, or has several, one of which ends a line with a semicolon.
fn is_sql(text: &str) -> bool {
    let is_code = |line: &&str| {
        let line = line.trim_start();
        !line.is_empty()
            && !["--", "/*", "*", "#"]
                .iter()
                .any(|start| line.starts_with(start))
    };
    let mut code = text.lines().filter(is_code).peekable();
    let begins = code.peek().is_some_and(|line| is_statement(line));
    let statements = code.filter(|line| is_statement(line)).take(2).count();
    (begins || statements == 2) && text.lines().any(|line| line.trim_end().ends_with(';'))
}

/// Returns true if a statement begins with this line. Its words are all in capitals, or all in small letters.
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
    let has = |word| {
        words
            .clone()
            .any(|other| word == other.to_ascii_lowercase())
    };
    match first.to_ascii_lowercase().as_str() {
        "create" | "alter" | "drop" => OBJECTS.contains(&second.as_str()),
        "insert" | "replace" => second == "into",
        "delete" => second == "from",
        "truncate" => second == "table",
        "comment" => second == "on",
        "update" => has("set"),
        "grant" | "revoke" => has("on") || has("to"),
        "select" => !is_small || has("from"),
        _ => false,
    }
}

/// Returns true if the text uses variables of `make`, and has a rule with a recipe or several assignments.
fn is_makefile(text: &str) -> bool {
    let is_used = [".PHONY", "$@", "$<", "$^", "$(MAKE)"]
        .iter()
        .any(|sign| text.contains(sign))
        || text.match_indices("$(").any(|(at, _)| {
            let name = &text[at + 2..];
            let end = name.find(|sign: char| !sign.is_ascii_uppercase() && sign != '_');
            end.is_some_and(|end| end > 0 && name[end..].starts_with([')', ':']))
        });
    let mut lines = text.lines().peekable();
    let (mut rules, mut assignments) = (0, 0);
    while let Some(line) = lines.next() {
        let has_recipe = lines.peek().is_some_and(|next| next.starts_with('\t'));
        rules += usize::from(has_recipe && is_rule(line));
        assignments += usize::from(is_assignment(line));
    }
    is_used && (rules > 0 || assignments >= 2)
}

/// Returns true if the line names targets of `make` and what they depend on.
fn is_rule(line: &str) -> bool {
    let is_target = |sign: char| sign.is_ascii_alphanumeric() || "_./%$(){} -".contains(sign);
    line.split_once(':').is_some_and(|(targets, rest)| {
        targets.starts_with(|sign: char| !sign.is_whitespace() && sign != '(')
            && targets.chars().all(is_target)
            && !rest.starts_with('=')
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
fn is_ini(text: &str) -> bool {
    let (mut sections, mut keys) = (0, 0);
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with('[') && line.ends_with(']') {
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
    keys >= 4 && sections > 0
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
            assert_eq!(weak_sign(text), Some("sql"), "{text}");
        }
        for text in [
            "Select a plan from the list;\nthen go on.\n",
            "select a plan, then go on;\n",
            "create a table and a view;\n",
            "```\nDROP TABLE a;\n```\n",
            "update the set\n",
        ] {
            assert_eq!(weak_sign(text), None, "{text}");
        }
    }

    #[test]
    fn rules_with_variables_are_a_sign_of_a_makefile() {
        for text in [
            "all: $(OBJ)\n\tcc -o $@ $^\n",
            ".PHONY: test\ntest:\n\tgo test ./...\n",
            "CC ?= gcc\nCFLAGS += -O2\nifdef DEBUG\nLIBS := $(LIBS) -lm\nendif\n",
        ] {
            assert_eq!(weak_sign(text), Some("makefile"), "{text}");
        }
        for text in [
            "else:\n\treturn x\n",
            "default:\n\t$(this).hide();\n",
            "a := 1\nb := 2\n",
            "(main): Use $(XML).\n\t* b.\n",
            "note: $(CC) is a variable\nand no recipe\n",
        ] {
            assert_eq!(weak_sign(text), None, "{text}");
        }
    }

    #[test]
    fn sections_with_keys_are_a_sign_of_an_ini_file() {
        let ini = "[core]\n; a note\neditor = vim\nname = A B\n\n[user]\nmail=a@example.org\nx=\n";
        assert_eq!(weak_sign(ini), Some("ini"));
        let unit = "[Unit]\nDescription=A\nAfter=b\n[Service]\nExecStart=/c\nUser=d\n";
        assert_eq!(weak_sign(unit), Some("systemd"));
        for text in [
            "[a]\nb = \"c\"\nd = 1\ne = 2\nf = 3\n",
            "a=1\nb=2\nc=3\nd=4\n",
            "[a]\nb=1\nand a sentence\nc=2\nd=3\ne=4\n",
            "[a]\n",
        ] {
            assert_eq!(weak_sign(text), None, "{text}");
        }
    }
}
