//! Texts that an operator or a user reads in a terminal: errors of the configuration, `--help`, and `GET /help`.

use std::ffi::OsString;

use crate::config::{ConfigError, Invocation, parse_dotenv};
use crate::page::{HelpPage, Page};

/// One bad value of every setting, and more where a setting has several errors.
const BAD_VALUES: [(&str, &str); 52] = [
    ("ADDR", "8088"),
    ("BASE_URL", "paste.example.org"),
    ("BASE_URL", "https://u:p@a.example"),
    ("BASE_URL", "https://a.example/b?c"),
    ("BASE_URL", "https://a..b"),
    ("BASE_URL", "https://a:0"),
    ("TCP_ADDR", "9999"),
    ("VALKEY", "localhost:6379"),
    ("VALKEY", "https://localhost"),
    ("VALKEY", "redis://a,unix:///b"),
    ("MAX_PASTE_SIZE", "12 parsecs"),
    ("MAX_STORE_SIZE", "0"),
    ("MAX_PAGE_CACHE", "65GiB"),
    ("MAX_IN_FLIGHT", "99999999999GiB"),
    ("DEFAULT_EXPIRY", "1x"),
    ("DEFAULT_EXPIRY", "soon"),
    ("MAX_EXPIRY", "99999999999999999999"),
    ("REDIRECT", "302"),
    ("IMAGES", "yes"),
    ("ENCRYPTION", "yes"),
    ("LIMIT_SAVE", "limit 3"),
    ("LIMIT_SAVE", "rate 1/s burst 1, off"),
    ("LIMIT_SAVE", "rate 1 burst 3"),
    ("LIMIT_SAVE", "rate 1/s brust 30"),
    ("LIMIT_READ", "rate 1/s burst ten"),
    ("LIMIT_READ", "rate 1/5 burst 3"),
    ("LIMIT_READ", "rate 1/s burst 3 4"),
    ("LIMIT_READ", "rate 0/s burst 3"),
    ("LIMIT_READ", "rate 99999999999999999999/s burst 1"),
    ("LIMIT_READ", "rate 1/1d burst 134"),
    ("LIMIT_READ", "quota 1MiB/1d"),
    ("LIMIT_MISS", "rate 1/s burst 1 wait 2s"),
    ("LIMIT_PASSWORD", "none"),
    ("TRUSTED_PROXIES", "127.0.0.1, proxy.example"),
    ("TRUSTED_PROXIES", "10.0.0.1/8"),
    ("TRUSTED_PROXIES", "0.0.0.0/0"),
    ("TRUSTED_PROXIES", "10.0.0.0/33"),
    ("PROXY_HEADER", "X Real IP"),
    ("NETWORKS", "10.0.0.0/8"),
    ("NETWORKS", "10.0.0.0/8 limit 10"),
    ("NETWORKS", "@src"),
    ("ADMIN_TOKEN", "fifteen-letters"),
    ("CORS", "app.example"),
    ("CONTACT", "me"),
    ("MAX_DISK", "63MiB"),
    ("ACCESS", "public"),
    ("KEYS", "src"),
    ("AUTH_HEADER", "Remote User"),
    ("SITE_NAME", "a\nb"),
    ("LINKS", "Imprint"),
    ("LOG", "tidebin=loud"),
    ("LOG_FORMAT", "JSON"),
];

fn read(args: &[&str], environment: &[(&str, &str)]) -> Result<Invocation, ConfigError> {
    let variable = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
    Invocation::from_parts(
        ["tidebin"].iter().chain(args).map(OsString::from),
        environment.iter().map(variable),
        || Ok(Vec::new()),
    )
}

/// The messages of bad settings.
pub(super) fn config_errors() -> Vec<String> {
    let refusal = |environment: &[(&str, &str)]| read(&[], environment).unwrap_err().to_string();
    let of_values = BAD_VALUES.map(|(suffix, value)| {
        let name = format!("TIDEBIN_{suffix}");
        refusal(&[(&name, value)])
    });
    let others = [
        refusal(&[("TIDEBIN_SECRET", &"a".repeat(1025))]),
        refusal(&[("TIDEBIN_PROT", "1")]),
        refusal(&[("TIDEBIN_TCP_ADDR", "127.0.0.1:9999")]),
        refusal(&[("TIDEBIN_ADRR", "1")]),
        refusal(&[
            ("TIDEBIN_DEFAULT_EXPIRY", "8d"),
            ("TIDEBIN_MAX_EXPIRY", "1h"),
        ]),
        refusal(&[("TIDEBIN_DATA", "src"), ("TIDEBIN_SECRET", "short")]),
        refusal(&[("TIDEBIN_VALKEY", "redis://localhost")]),
        refusal(&[
            ("TIDEBIN_VALKEY", "redis://localhost"),
            ("TIDEBIN_DATA", "src"),
        ]),
        refusal(&[("TIDEBIN_PROXY_HEADER", "X-Real-IP")]),
        refusal(&[("TIDEBIN_ACCESS", "private")]),
        refusal(&[("TIDEBIN_AUTH_HEADER", "Remote-User")]),
        refusal(&[
            ("TIDEBIN_ACCESS", "save-by-key"),
            ("TIDEBIN_AUTH_HEADER", "Remote-User"),
            ("TIDEBIN_TRUSTED_PROXIES", "127.0.0.1"),
            ("TIDEBIN_TCP_ADDR", "127.0.0.1:9999"),
            ("TIDEBIN_BASE_URL", "http://a.example"),
        ]),
        data_dir_error(),
    ];
    let of_dotenv =
        [&b"hunter2"[..], b"TIDEBIN_LOG=a$b", b"\xff"].map(|text| parse_dotenv(text).unwrap_err());
    let of_dotenv = of_dotenv.map(|error| error.to_string());
    let errors: Vec<String> = of_values
        .into_iter()
        .chain(others)
        .chain(of_dotenv)
        .collect();
    for variable in documented_variables() {
        let is_listed = errors.iter().any(|error| error.starts_with(variable));
        assert!(is_listed, "no bad value of {variable}");
    }
    errors
}

/// The message of a data directory that is a file.
fn data_dir_error() -> String {
    match read(&[], &[("TIDEBIN_DATA", "Cargo.toml")]) {
        Ok(Invocation::Serve(config)) => config.data.unwrap().create().unwrap_err().to_string(),
        other => panic!("not a configuration: {other:?}"),
    }
}

/// The variables in `.env.example`, which a test holds equal to the settings.
fn documented_variables() -> impl Iterator<Item = &'static str> {
    let example = include_str!("../../../.env.example");
    let assignments = example.lines().filter_map(|line| line.strip_prefix('#'));
    assignments
        .filter_map(|assignment| assignment.split_once('='))
        .map(|(variable, _)| variable)
        .filter(|variable| variable.starts_with("TIDEBIN_"))
}

/// The texts of `tidebin --help`. Lines that name a flag, a form or a default are not texts.
pub(super) fn command_help() -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for args in [
        &["--help"][..],
        &["backup", "--help"],
        &["check", "--help"],
        &["restore", "--help"],
        &["pastes", "--help"],
        &["healthcheck", "--help"],
        &["key", "--help"],
        &["key", "new", "--help"],
        &["key", "list", "--help"],
        &["key", "revoke", "--help"],
    ] {
        let Ok(Invocation::Print(help)) = read(args, &[]) else {
            panic!("{args:?} prints a help");
        };
        let mut last_indent = None;
        for line in help.lines() {
            let text = line.trim_start();
            let text = text.split(" [default:").next().unwrap_or_default();
            let indent = (!is_syntax(text)).then(|| line.len() - line.trim_start().len());
            match texts.last_mut() {
                Some(last) if indent.is_some() && indent == last_indent => {
                    *last += " ";
                    *last += text;
                }
                _ if indent.is_some() => texts.push(text.to_owned()),
                _ => {}
            }
            last_indent = indent;
        }
    }
    texts
}

fn is_syntax(line: &str) -> bool {
    const COMMANDS: [&str; 9] = [
        "backup",
        "check",
        "healthcheck",
        "key",
        "list",
        "new",
        "pastes",
        "restore",
        "revoke",
    ];
    const STARTS: [&str; 13] = [
        "-",
        "[",
        "default:",
        "Form:",
        // The parser of flags writes these.
        "Print help",
        "Print version",
        "Usage:",
        "Arguments:",
        "<FILE>",
        "<NAME>",
        "Options:",
        "Commands:",
        "tidebin ",
    ];
    line.is_empty()
        || COMMANDS.contains(&line)
        || STARTS.iter().any(|start| line.starts_with(start))
}

/// The help of a server in a terminal. It is a card of commands, so only its words are held to the rules.
pub(super) fn help_card() -> String {
    HelpPage {
        site: crate::page::site(""),
        base_url: "https://bin.example",
        limits: crate::page::limits("7d", "30d"),
        needs_key: true,
        slugs: true,
    }
    .text()
}
