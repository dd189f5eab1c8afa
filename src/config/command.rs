//! The command line, generated from the table of settings.
//!
//! Invariants: each setting has one flag of the same name. Flags accept any value, so that a bad value is reported the
//! same way from every source. Every line of the help fits 80 columns; clap itself would wrap lines only with a feature
//! that reads the terminal's width.

use clap::builder::OsStringValueParser;
use clap::{Arg, ArgAction, Command};

use super::setting::{ADDR, Setting, TABLE};

const ABOUT: &str = "\
A pastebin server for the open internet. It keeps pastes in memory, within an
exact budget, and needs no database.";

const HEALTHCHECK: &str = "Check that the server at TIDEBIN_ADDR responds, and exit with 0 or 1.";

const FOOTER: &str = "\
Each setting is read from its flag, its variable, the file .env in the working
directory, or its default, in this order. Empty values count as unset, and
unknown TIDEBIN_ variables are an error.";

/// Builds the command with its flags and its only subcommand.
pub(super) fn command() -> Command {
    Command::new("tidebin")
        .bin_name("tidebin")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(FOOTER)
        .override_usage("tidebin [OPTIONS]\n       tidebin healthcheck [--addr <IP:PORT>]")
        .next_line_help(true)
        .disable_help_subcommand(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(TABLE.iter().map(|setting| flag(setting)))
        .arg(
            Arg::new("help")
                .long("help")
                .short('h')
                .global(true)
                .action(ArgAction::Help)
                .help("Print this help."),
        )
        .arg(
            Arg::new("version")
                .long("version")
                .short('V')
                .action(ArgAction::Version)
                .help("Print the version."),
        )
        .subcommand(healthcheck())
}

fn healthcheck() -> Command {
    Command::new("healthcheck")
        .about(HEALTHCHECK)
        .override_usage("tidebin healthcheck [--addr <IP:PORT>]")
        .next_line_help(true)
}

fn flag(setting: &'static Setting) -> Arg {
    let (variable, default) = (setting.variable(), setting.default_in_words());
    // A long default gets its own line, so that the help fits a terminal.
    let blank = if default.len() > 40 { "\n " } else { " " };
    let help = format!(
        "{}\nForm: {}\n[{variable},{blank}default: {default}]",
        setting.help.replace('`', ""),
        setting.form.replace('`', ""),
    );
    Arg::new(setting.suffix)
        .long(setting.flag())
        .value_name(setting.placeholder)
        .value_parser(OsStringValueParser::new())
        // The subcommand takes this flag too: `tidebin healthcheck --addr 127.0.0.1:9000`.
        .global(*setting == ADDR)
        .help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_well_formed_and_its_help_fits_80_columns() {
        command().debug_assert();
        let help = command().render_help().to_string();
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line:?}");
        }
    }

    #[test]
    fn the_help_has_every_flag_with_its_variable_and_default() {
        let help = command().render_help().to_string();
        let words: Vec<&str> = help.split_whitespace().collect();
        let help = words.join(" ");
        for setting in TABLE {
            let flag = format!("--{} <{}>", setting.flag(), setting.placeholder);
            let rest = format!(
                "[{}, default: {}]",
                setting.variable(),
                setting.default_in_words()
            );
            assert!(help.contains(&flag), "{flag}");
            assert!(help.contains(&rest), "{rest}");
        }
    }
}
