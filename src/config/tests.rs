//! Tests of accepted settings from every source. The module `refusals` tests the refused ones.

mod access;
mod contact;
mod faults;
mod generated_docs;
mod refusals;
mod values;

use std::ffi::OsString;
use std::path::Path;

use super::*;
use crate::limit::Action;
use crate::page::Redirect;
use crate::paste::Encryption;

/// The input of the process in a test.
#[derive(Default)]
struct Given<'a> {
    args: &'a [&'a str],
    environment: &'a [(&'a str, &'a str)],
    dotenv: &'a [(&'a str, &'a str)],
}

impl Given<'_> {
    fn read(&self) -> Result<Invocation, ConfigError> {
        let args = std::iter::once(&"tidebin").chain(self.args);
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Invocation::from_parts(
            args.map(OsString::from),
            self.environment
                .iter()
                .map(|(name, value)| (OsString::from(name), OsString::from(value))),
            || Ok(self.dotenv.iter().map(owned).collect()),
        )
    }

    fn config(&self) -> Config {
        match self.read() {
            Ok(Invocation::Serve(config)) => *config,
            other => panic!("not a configuration: {other:?}"),
        }
    }

    fn refusal(&self) -> String {
        match self.read() {
            Err(error) => error.to_string(),
            Ok(read) => panic!("not refused: {read:?}"),
        }
    }

    fn printed(&self) -> String {
        match self.read() {
            Ok(Invocation::Print(text)) => text,
            other => panic!("not a text to print: {other:?}"),
        }
    }
}

fn with_variable(name: &str, value: &str) -> Result<Invocation, ConfigError> {
    Given {
        environment: &[(name, value)],
        ..Given::default()
    }
    .read()
}

fn defaults() -> Config {
    Given::default().config()
}

#[test]
fn the_precedence_is_flag_then_environment_then_dotenv_then_default() {
    const NAME: &str = "TIDEBIN_MAX_PASTE_SIZE";
    let flag: &[&str] = &["--max-paste-size", "2"];
    let joined: &[&str] = &["--max-paste-size=2"];
    let empty: &[&str] = &["--max-paste-size="];
    for (args, environment, dotenv, expected, reason) in [
        (flag, Some("3"), Some("4"), 2, "the flag is first"),
        (joined, Some("3"), Some("4"), 2, "the flag in one word"),
        (flag, None, None, 2, "the flag alone"),
        (&[], Some("3"), Some("4"), 3, "the environment is second"),
        (&[], None, Some("4"), 4, "the file is third"),
        (&[], None, None, 1 << 20, "the default is last"),
        (empty, Some("3"), None, 3, "an empty flag is unset"),
        (&[], Some(""), Some("4"), 4, "an empty variable is unset"),
        (&[], Some(""), Some(""), 1 << 20, "all empty is unset"),
    ] {
        let environment: Vec<_> = environment.map(|value| (NAME, value)).into_iter().collect();
        let dotenv: Vec<_> = dotenv.map(|value| (NAME, value)).into_iter().collect();
        let given = Given {
            args,
            environment: &environment,
            dotenv: &dotenv,
        };
        assert_eq!(given.config().pastes.max_paste_size, expected, "{reason}");
    }
}

#[test]
fn every_setting_can_come_from_every_source() {
    let keys = access::file_without_keys();
    let values = values::every_value(&keys);
    assert_eq!(
        values.len(),
        setting::TABLE.len(),
        "add the setting to tests/values.rs"
    );
    let by_environment = Given {
        environment: &values,
        ..Given::default()
    };
    let by_dotenv = Given {
        dotenv: &values,
        ..Given::default()
    };
    let flags: Vec<String> = setting::TABLE
        .iter()
        .zip(&values)
        .map(|(setting, (_, value))| format!("--{}={value}", setting.flag()))
        .collect();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let by_flags = Given {
        args: &flags,
        ..Given::default()
    };
    let [config, config_of_dotenv, config_of_flags] =
        [by_environment, by_dotenv, by_flags].map(|given| {
            let mut config = given.config();
            // It remembers its source, for messages.
            let data = config.data.take().expect("a data directory");
            assert_eq!(data.path(), Path::new("/var/lib/tidebin"));
            assert!(config.keys_file.take().is_some());
            config
        });
    assert_eq!(config, config_of_dotenv);
    assert_eq!(config, config_of_flags);
    assert_eq!(config.addr.to_string(), "[::1]:0");
    assert_eq!(
        config.base_url.as_ref().map(BaseUrl::as_str),
        Some("https://paste.example.org")
    );
    assert_eq!(
        config.secret.as_ref().map(Secret::as_str),
        Some("correct horse battery staple, 32")
    );
    assert_eq!(
        [
            config.pastes.max_paste_size,
            config.max_store_size,
            config.max_in_flight,
            config.max_disk
        ],
        [1 << 30, 2 << 30, 3 << 30, 64 << 20]
    );
    assert_eq!(config.pastes.expiry_policy.default.seconds(), Some(90));
    assert_eq!(config.pastes.expiry_policy.longest.seconds(), None);
    assert_eq!(
        Ok(&config.trusted_proxies),
        "127.0.0.1, 10.0.0.0/8".parse().as_ref()
    );
    let headers = (&*config.proxy_header, config.auth_header.as_deref());
    assert_eq!(headers, ("X-Real-IP", Some("Remote-User")));
    assert_eq!((config.networks.len(), &config.networks_file), (2, &None));
    let admin_token = Some(TokenHash::of("correct-horse-battery"));
    assert_eq!(config.admin_token, admin_token);
    let contact = config.site.contact.as_deref();
    assert_eq!(contact, Some("mailto:abuse@bin.example"));
    assert_eq!(config.site.redirect, Redirect::Preview);
    assert_eq!(config.pastes.encryption, Encryption::Default);
    let limits = Action::ALL.map(|action| config.limits.of(action).to_string());
    assert_eq!(
        limits,
        [
            "rate 2/s burst 10 wait 2s",
            "quota 1000/1h",
            "off",
            "rate 1/m burst 3"
        ]
    );
    assert_eq!(config.log, "warn,tidebin=debug");
    assert_eq!(config.log_format, LogFormat::Json);
}

#[test]
fn variables_of_other_programs_and_of_kubernetes_are_ignored() {
    let given = Given {
        environment: &[
            ("PATH", "/bin"),
            ("MY_TIDEBIN_ADDR", "x"),
            // The service is named `tidebin`.
            ("TIDEBIN_PORT", "tcp://10.0.0.1:8088"),
            ("TIDEBIN_PORT_8088_TCP", "tcp://10.0.0.1:8088"),
            ("TIDEBIN_PORT_8088_TCP_PROTO", "tcp"),
            ("TIDEBIN_PORT_8088_TCP_PORT", "8088"),
            ("TIDEBIN_PORT_8088_TCP_ADDR", "10.0.0.1"),
            ("TIDEBIN_SERVICE_HOST", "10.0.0.1"),
            ("TIDEBIN_SERVICE_PORT", "8088"),
            ("TIDEBIN_SERVICE_PORT_HTTP", "8088"),
            // The service is named `tidebin-web`.
            ("TIDEBIN_WEB_PORT", "udp://10.0.0.2:53"),
            ("TIDEBIN_WEB_PORT_53_UDP", "udp://10.0.0.2:53"),
            ("TIDEBIN_WEB_PORT_53_UDP_ADDR", "10.0.0.2"),
            ("TIDEBIN_WEB_SERVICE_HOST", "10.0.0.2"),
            ("TIDEBIN_WEB_SERVICE_PORT", "53"),
            ("TIDEBIN_WEB_SERVICE_PORT_METRICS_2", "53"),
            // The service is named `tidebin-port-1`.
            ("TIDEBIN_PORT_1_PORT_80_TCP_ADDR", "10.0.0.3"),
        ],
        dotenv: &[("POSTGRES_PASSWORD", "x"), ("POSTGRES_PASSWORD", "y")],
        ..Given::default()
    };
    assert_eq!(given.config(), defaults());
}

#[test]
fn a_variable_that_only_resembles_one_of_kubernetes_is_refused() {
    for (name, value) in [
        ("TIDEBIN_PORT", "8080"),
        ("TIDEBIN_PORT", "http://10.0.0.1:8088"),
        ("TIDEBIN_WEB_PORT", "8080"),
        ("TIDEBIN_PORT_8088", "tcp"),
        ("TIDEBIN_PORT_HTTP_TCP", "x"),
        ("TIDEBIN_PORT_8088_HTTP", "x"),
        ("TIDEBIN_SERVICE", "10.0.0.1"),
    ] {
        let error = with_variable(name, value).expect_err(name).to_string();
        let expected = format!("{name} (from the environment) is not a setting");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn a_byte_order_mark_at_the_start_of_dotenv_is_skipped() {
    let read = sources::parse_dotenv(b"\xef\xbb\xbfTIDEBIN_LOG=warn\n");
    let expected = vec![("TIDEBIN_LOG".to_owned(), "warn".to_owned())];
    assert_eq!(read, Ok(expected));
}

#[cfg(unix)]
#[test]
fn the_example_gives_the_defaults_as_committed_and_with_all_lines_uncommented() {
    let example = generated_docs::env_example();
    let uncommented = example.replace("\n#TIDEBIN_", "\nTIDEBIN_");
    for (text, set) in [(&example, 0), (&uncommented, setting::TABLE.len())] {
        let dotenv = sources::parse_dotenv(text.as_bytes());
        let dotenv = dotenv.expect("the example is well formed");
        assert_eq!(dotenv.len(), set);
        let read = Invocation::from_parts(["tidebin".into()], [], || Ok(dotenv));
        // The data directory has no default, so a budget of disk has no effect yet.
        let expected = Config {
            max_disk_is_unused: set > 0,
            ..defaults()
        };
        assert_eq!(read, Ok(Invocation::Serve(Box::new(expected))));
    }
}

#[test]
fn single_quotes_keep_characters_that_dotenv_would_replace() {
    let text = "TIDEBIN_SECRET='pa$$ #w\\or\"d'";
    let dotenv = sources::parse_dotenv(text.as_bytes());
    let value = dotenv.map(|mut read| read.pop().map(|(_, value)| value));
    assert_eq!(value, Ok(Some("pa$$ #w\\or\"d".to_owned())));
}

#[test]
fn a_healthcheck_reads_the_address_from_the_same_sources_and_nothing_else() {
    let broken = ("TIDEBIN_LOG_FORMAT", "xml");
    for (args, expected) in [
        (&["healthcheck"][..], "127.0.0.1:2"),
        (&["healthcheck", "--addr", "127.0.0.1:1"], "127.0.0.1:1"),
        (&["--addr=127.0.0.1:1", "healthcheck"], "127.0.0.1:1"),
    ] {
        let given = Given {
            args,
            environment: &[("TIDEBIN_ADDR", "127.0.0.1:2"), broken],
            dotenv: &[("TIDEBIN_ADDR", "127.0.0.1:3")],
        };
        let Ok(Invocation::Healthcheck(address)) = given.read() else {
            panic!("{args:?} is a health check");
        };
        assert_eq!(address.to_string(), expected, "{args:?}");
    }
}

#[test]
fn a_backup_and_a_check_read_their_settings_and_no_shrinking_guesses_a_size() {
    // Given a directory with a database
    let path = std::env::temp_dir().join(format!("tidebin-invocation-{}", std::process::id()));
    std::fs::create_dir(&path).expect("a new directory");
    std::fs::write(path.join("tidebin.db"), "x").expect("it is writable");
    let data = path.to_str().expect("text");
    for args in [
        &["--data", data, "check", "--max-disk=64MiB", "--shrink"][..],
        &["--max-disk=64MiB", "check", "--shrink", "--data", data],
    ] {
        let given = Given {
            args,
            ..Given::default()
        };
        let Ok(Invocation::Check(data, config, shrink)) = given.read() else {
            panic!("{args:?} is a check");
        };
        assert!(shrink);
        assert_eq!(config.max_store_size, 128 << 20);
        assert_eq!(data.path(), path);
        assert_eq!(config.max_disk, 64 << 20);
        assert_eq!(config.secret, None);
    }
    let shrink = Given {
        args: &["check", "--shrink"],
        environment: &[("TIDEBIN_DATA", data)],
        ..Given::default()
    };
    let refused = shrink.read().expect_err("the default may be too small");
    assert!(refused.to_string().contains("TIDEBIN_MAX_DISK"));
    let given = Given {
        args: &["backup", "copy.db"],
        environment: &[("TIDEBIN_DATA", data)],
        ..Given::default()
    };
    let backup = given.read();
    assert!(
        matches!(&backup, Ok(Invocation::Backup(_, _, file)) if file == Path::new("copy.db")),
        "{backup:?}"
    );
    std::fs::remove_dir_all(&path).expect("it is there");
}

#[test]
fn help_and_version_are_printed_even_if_everything_else_is_wrong() {
    for (args, expected) in [
        (&["--help"][..], "--max-paste-size <SIZE>"),
        (&["-h"], "healthcheck"),
        (&["healthcheck", "--help"], "--addr"),
        (&["backup", "--help"], "<FILE>"),
        (&["check", "--help"], "--shrink"),
        (
            &["--version"],
            concat!("tidebin ", env!("CARGO_PKG_VERSION")),
        ),
        (&["-V"], "tidebin "),
    ] {
        let given = Given {
            args,
            environment: &[("TIDEBIN_NONSENSE", "x")],
            ..Given::default()
        };
        let printed = given.printed();
        assert!(printed.contains(expected), "{printed}");
        assert!(!printed.contains('\u{1b}'), "{printed:?}");
    }
}
