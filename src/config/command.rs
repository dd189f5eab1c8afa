//! The command line, generated from the table of settings.
//!
//! Invariants: each setting has one flag of the same name. Flags accept any value, so that a bad value is reported the
//! same way from every source. Every line of the help fits 80 columns; clap itself would wrap lines only with a feature
//! that reads the terminal's width.

use clap::builder::{OsStringValueParser, PathBufValueParser};
use clap::{Arg, ArgAction, Command};

use super::setting::{Setting, TABLE};

const ABOUT: &str = "\
A pastebin server for the open internet. It keeps pastes in memory, or with
TIDEBIN_DATA on disk too, within exact budgets.";

const HEALTHCHECK: &str = "Check that the server at TIDEBIN_ADDR responds, and exit with 0 or 1.";

const BACKUP: &str = "\
Copy the database in TIDEBIN_DATA into a new file. A server may use it
meanwhile.";

const BACKUP_FILE: &str = "\
File to write, which must not exist. To restore it, put it as
tidebin.db into an empty directory, with its secret.";

const CHECK: &str = "\
Check the database in TIDEBIN_DATA, print what is found, and exit
with 0 or 1. No server may use it meanwhile.";

const SHRINK: &str = "\
Remove pastes until the rest fits into TIDEBIN_MAX_DISK, and give
free space back: expired ones first, then those that a full server
would evict.";

const KEY: &str = "\
Make, list and revoke the keys in the file TIDEBIN_KEYS. Then send the
server SIGHUP, so that it reads the file again.";

const KEY_NEW: &str = "\
Make a key and print it once: the file has only its hash. The file is
made if it does not exist.";

const KEY_LIST: &str = "Print the name, the rights, the limit and the end of each key.";

const KEY_REVOKE: &str = "Remove a key from the file.";

const FOOTER: &str = "\
Each setting is read from its flag, its variable, the file .env in the working
directory, or its default, in this order. Empty values count as unset, and
unknown TIDEBIN_ variables are an error.";

/// The argument of `tidebin backup`.
pub(super) const FILE: &str = "file";

/// The arguments of `tidebin key`.
pub(super) const NAME: &str = "name";
pub(super) const RIGHTS: &str = "rights";
pub(super) const LIMIT: &str = "limit";
pub(super) const UNTIL: &str = "until";

/// The switch of `tidebin check`.
pub(super) const SHRINK_FLAG: &str = "shrink";

/// A setting that `tidebin check` reads and does not list.
const UNLISTED: &str = "MAX_PASTE_SIZE";

/// Builds the command with its flags and its subcommands.
pub(super) fn command() -> Command {
    Command::new("tidebin")
        .bin_name("tidebin")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(FOOTER)
        .override_usage(
            "tidebin [OPTIONS]\n       tidebin backup [OPTIONS] <FILE>\n       tidebin check [OPTIONS] [--shrink]\n       \
             tidebin healthcheck [--addr <IP:PORT>]\n       tidebin key <COMMAND> [--keys <FILE>]",
        )
        .next_line_help(true)
        .disable_help_subcommand(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .args(TABLE.iter().map(flag))
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
        .subcommands([backup(), check(), healthcheck(), key()])
}

/// Returns the settings that a subcommand reads, or those of the server.
pub(super) fn settings_of(subcommand: Option<&str>) -> Vec<&'static Setting> {
    let names: &[&str] = match subcommand {
        None => return TABLE.iter().collect(),
        Some("healthcheck") => &["ADDR"],
        Some("backup") => &["DATA", "SECRET"],
        Some("check") => &["DATA", "SECRET", "MAX_DISK", "MAX_STORE_SIZE", UNLISTED],
        Some("new" | "list" | "revoke") => &["KEYS"],
        Some(_) => &[],
    };
    let settings = names.iter().filter_map(|name| Setting::named(name));
    settings.collect()
}

/// Builds a subcommand with these arguments and the flags of its settings.
fn subcommand(
    name: &'static str,
    about: &'static str,
    args: impl IntoIterator<Item = Arg>,
) -> Command {
    let settings = settings_of(Some(name));
    Command::new(name)
        .about(about)
        .next_line_help(true)
        .args(args)
        .args(settings.into_iter().map(flag))
}

fn healthcheck() -> Command {
    subcommand("healthcheck", HEALTHCHECK, [])
        .override_usage("tidebin healthcheck [--addr <IP:PORT>]")
}

fn backup() -> Command {
    let file = Arg::new(FILE)
        .value_name("FILE")
        .value_parser(PathBufValueParser::new())
        .required(true)
        .help(BACKUP_FILE);
    subcommand("backup", BACKUP, [file]).override_usage("tidebin backup [OPTIONS] <FILE>")
}

fn check() -> Command {
    let shrink = Arg::new(SHRINK_FLAG)
        .long("shrink")
        .action(ArgAction::SetTrue)
        .help(SHRINK);
    subcommand("check", CHECK, [shrink])
        .override_usage("tidebin check [OPTIONS] [--shrink]")
        .mut_arg(UNLISTED, |flag| flag.hide(true))
}

fn key() -> Command {
    let name = Arg::new(NAME)
        .value_name("NAME")
        .required(true)
        .help("Name of the holder: 1 to 64 of A-Z, a-z, 0-9, dot, _, @ and -.");
    let option = |id: &'static str, form: &'static str, default: &'static str, help: &str| {
        Arg::new(id)
            .long(id)
            .value_name(form)
            .default_value(default)
            .hide_default_value(true)
            .help(format!("{help}\n[default: {default}]"))
    };
    let rights = "What the holder may do: one or more of save, read and operate.";
    let limit = "Factor from x1 to x100 for the limits of the holder.";
    let until = "Last day of the key in UTC, such as 2027-01-31.";
    let new = subcommand("new", KEY_NEW, [name.clone()]).args([
        option(RIGHTS, "RIGHTS", "save,read", rights),
        option(LIMIT, "xN", "x1", limit),
        option(UNTIL, "DATE", "never", until),
    ]);
    subcommand("key", KEY, [])
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .subcommands([
            new,
            subcommand("list", KEY_LIST, []),
            subcommand("revoke", KEY_REVOKE, [name]),
        ])
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
    Arg::new(setting.name)
        .long(setting.flag())
        .value_name(setting.placeholder)
        .value_parser(OsStringValueParser::new())
        .help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_well_formed_and_its_help_fits_80_columns() {
        command().debug_assert();
        for mut command in [command(), backup(), check(), healthcheck(), key()] {
            for line in command.render_help().to_string().lines() {
                assert!(line.chars().count() <= 80, "{line:?}");
            }
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
