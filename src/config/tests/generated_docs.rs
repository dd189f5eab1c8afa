//! Documents generated from the table of settings: `.env.example`, and the table in `docs/configuration.md`. The
//! committed files must be equal to them.
//!
//! Every setting in `.env.example` is commented out. So a copy of the file follows later changes of the defaults, and
//! does not override the address that the container image sets.

use crate::config::setting::{DefaultValue, Setting, TABLE};

const EXAMPLE_HEADER: &str = "\
# Settings of tidebin. Copy this file to `.env` in the directory where you start
# tidebin, and uncomment the settings you change. The environment overrides this
# file. A flag such as `--max-paste-size 2MiB` overrides both.
#
# Put a value with a space, `#`, `$`, `\"` or `\\` in single quotes: 'pa$$ word'.
# Without quotes, `$NAME` is the value of the variable NAME, which must be set.
";

/// Returns the content of `.env.example`.
pub(super) fn env_example() -> String {
    let settings = TABLE.iter().map(example);
    std::iter::once(EXAMPLE_HEADER.to_owned())
        .chain(settings)
        .collect::<Vec<_>>()
        .join("\n")
}

fn example(setting: &Setting) -> String {
    let (remark, value) = match setting.default {
        DefaultValue::Value(value) => (String::new(), quoted(value)),
        DefaultValue::Missing(instead) => (format!("# Unset: {instead}.\n"), String::new()),
    };
    format!(
        "# {}\n# Form: {}.\n{remark}#{}={value}\n",
        setting.help,
        setting.form,
        setting.variable()
    )
}

/// Quotes a value that contains a space, as `.env` requires.
fn quoted(value: &str) -> String {
    match value.contains(' ') {
        true => format!("'{value}'"),
        false => value.to_owned(),
    }
}

/// The table of settings with its header; every line ends in a line break.
fn settings_table() -> String {
    let header = "| variable | default | meaning | form |\n|---|---|---|---|\n".to_owned();
    TABLE.iter().fold(header, |table, setting| {
        let default = match setting.default {
            DefaultValue::Value(value) => format!("`{value}`"),
            DefaultValue::Missing(instead) => instead.to_owned(),
        };
        table
            + &format!(
                "| `{}` | {default} | {} | {} |\n",
                setting.variable(),
                setting.help,
                setting.form
            )
    })
}

#[test]
fn the_committed_example_is_the_rendered_one() {
    let committed = include_str!("../../../.env.example");
    assert!(
        committed == env_example(),
        "write this to .env.example:\n{}",
        env_example()
    );
}

#[test]
fn the_table_in_the_docs_is_the_rendered_one() {
    let docs = include_str!("../../../docs/configuration.md");
    let table = settings_table();
    assert!(
        docs.contains(&table),
        "docs/configuration.md lacks:\n{table}"
    );
}
