//! The command line, generated from the table of settings.
//!
//! Invariants: each setting has one flag of the same name. Flags accept any value, so that a bad value is reported the
//! same way from every source. Every line of the help fits 80 columns; clap itself would wrap lines only with a feature
//! that reads the terminal's width.

use std::str::FromStr;

use clap::builder::{OsStringValueParser, PathBufValueParser};
use clap::{Arg, ArgAction, Command};

use super::setting::{Setting, TABLE};
use crate::account::{KeyEnd, KeyName, Rights};
use crate::limit::Multiplier;

const ABOUT: &str = "\
A pastebin server for the open internet. It keeps pastes in memory, or with
TIDEBIN_DATA on disk too, within exact budgets.";

const HEALTHCHECK: &str = "Check that the server at TIDEBIN_ADDR responds, and exit with 0 or 1.";

const BACKUP: &str = "\
Copy the database in TIDEBIN_DATA into a new file. A server may use it
meanwhile.";

const BACKUP_FILE: &str = "File to write, which must not exist.";

const RESTORE: &str = "\
Put a backup in the place of the database in TIDEBIN_DATA, which stays
beside it. Stop the server first.";

const RESTORE_FILE: &str = "File that tidebin backup wrote.";

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

const TAKE_OVER_HELP: &str = "Give the pastes of a revoked key of this name to the new one.";

const WITH_PASTES_HELP: &str = "\
Remove all its pastes too, also those of a key that was revoked. This
asks the running server, with TIDEBIN_ADMIN_TOKEN.";

const PASTES: &str = "\
Print who holds how much, or what one holds, and remove all of that.
This asks the running server, with TIDEBIN_ADMIN_TOKEN.";

const FOOTER: &str = "\
Each setting is read from its flag, its variable, the file .env in the working
directory, or its default, in this order. Empty values count as unset, and
unknown TIDEBIN_ variables are an error.";

/// The argument of `tidebin backup` and of `tidebin restore`.
pub(super) const FILE: &str = "FILE";

/// The arguments of `tidebin key`.
pub(super) const NAME: &str = "NAME";
pub(super) const RIGHTS: &str = "rights";
pub(super) const LIMIT: &str = "limit";
pub(super) const UNTIL: &str = "until";

/// The switches of `tidebin key`.
pub(super) const TAKE_OVER: &str = "take-over";
pub(super) const WITH_PASTES: &str = "with-pastes";

/// The arguments of `tidebin pastes`.
pub(super) const OF: &str = "OF";
pub(super) const REMOVE: &str = "remove";
const YES: &str = "yes";

/// The switch of `tidebin check`.
pub(super) const SHRINK_FLAG: &str = "shrink";

/// Builds the command with its flags and its subcommands.
pub(super) fn command() -> Command {
    subcommand("", ABOUT, [])
        .name("tidebin")
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(FOOTER)
        .disable_help_subcommand(true)
        .subcommands([
            subcommand("backup", BACKUP, [file(BACKUP_FILE)]),
            subcommand("check", CHECK, [switch(SHRINK_FLAG, SHRINK)]),
            subcommand("healthcheck", HEALTHCHECK, []),
            key(),
            pastes(),
            subcommand("restore", RESTORE, [file(RESTORE_FILE)]),
        ])
}

/// Returns the settings that a subcommand reads, or those of the server.
pub(super) fn settings_of(subcommand: &str) -> Vec<&'static Setting> {
    let names: &[&str] = match subcommand {
        "" => return TABLE.iter().collect(),
        "healthcheck" => &["ADDR"],
        "backup" | "restore" => &["DATA", "SECRET"],
        "check" => &[
            "DATA",
            "SECRET",
            "MAX_DISK",
            "MAX_STORE_SIZE",
            "MAX_PASTE_SIZE",
        ],
        "new" | "list" => &["KEYS"],
        "revoke" => &["KEYS", "ADDR", "BASE_URL", "ADMIN_TOKEN"],
        "pastes" => &["ADDR", "BASE_URL", "ADMIN_TOKEN"],
        _ => &[],
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
    let settings = settings_of(name);
    Command::new(name)
        .about(about)
        .next_line_help(true)
        .args(args)
        .args(settings.into_iter().map(flag))
}

fn file(help: &'static str) -> Arg {
    let file = Arg::new(FILE).required(true).help(help);
    file.value_parser(PathBufValueParser::new())
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    let switch = Arg::new(name).long(name).help(help);
    switch.action(ArgAction::SetTrue)
}

fn pastes() -> Command {
    let of = "Who: key:NAME, user:NAME, or network: and a printed hash.";
    let remove = Arg::new(REMOVE).long(REMOVE).value_name("REASON");
    let remove = remove.help("Remove all of its pastes. The log tells the reason.");
    let yes = switch(YES, "Confirm that.").requires(REMOVE);
    let of = Arg::new(OF).help(of);
    subcommand("pastes", PASTES, [of, remove.requires_all([OF, YES]), yes])
}

fn key() -> Command {
    let name = Arg::new(NAME)
        .required(true)
        .value_parser(KeyName::from_str)
        .help("Name of the holder: 1 to 64 of A-Z, a-z, 0-9, dot, _, @ and -.");
    let option = |id: &'static str, form: &'static str, default: &'static str| {
        let option = Arg::new(id).long(id).value_name(form);
        option.default_value(default)
    };
    let rights = "One or more of save, read, operate and metrics.";
    let limit = "Factor from x1 to x100 for the limits of the holder.";
    let until = "Last day of the key in UTC, such as 2027-01-31.";
    let new = subcommand("new", KEY_NEW, [name.clone()]).args([
        (option(RIGHTS, "RIGHTS", "save,read").help(rights)).value_parser(Rights::from_str),
        (option(LIMIT, "xN", "x1").help(limit)).value_parser(Multiplier::from_str),
        (option(UNTIL, "DATE", "never").help(until)).value_parser(KeyEnd::from_str),
        switch(TAKE_OVER, TAKE_OVER_HELP),
    ]);
    let with_pastes = switch(WITH_PASTES, WITH_PASTES_HELP);
    let revoke = subcommand("revoke", KEY_REVOKE, [name, with_pastes]);
    subcommand("key", KEY, [])
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .subcommands([new, subcommand("list", KEY_LIST, []), revoke])
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
        let (all, of_keys) = (command(), key());
        let subcommands = all.get_subcommands().chain(of_keys.get_subcommands());
        for mut command in subcommands.chain([&all]).cloned() {
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
