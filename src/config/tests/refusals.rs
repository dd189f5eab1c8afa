//! Tests of refused settings and of the messages of the refusals.

use super::*;

/// Asserts that the value is refused with this problem and the allowed form.
#[track_caller]
fn refuses(suffix: &str, value: &str, problem: &str) {
    let row = setting::Setting::named(suffix);
    let row = row.unwrap_or_else(|| panic!("{suffix} is not in the table"));
    let error = with_variable(&row.variable(), value)
        .expect_err(value)
        .to_string();
    let start = format!("{} (from the environment): ", row.variable());
    assert!(error.starts_with(&start), "{error}");
    assert!(
        error.ends_with(&format!(" {problem}. Use {}.", row.form)),
        "{error}"
    );
}

#[test]
fn every_bad_value_is_refused_with_its_reason_and_the_allowed_form() {
    let too_long = "x".repeat(1025);
    for (suffix, value, problem) in [
        ("ADDR", "8088", "is not an IP address with a port"),
        ("ADDR", "localhost:8088", "is not an IP address with a port"),
        (
            "ADDR",
            "unix:tidebin.sock",
            "is not an absolute path of a file",
        ),
        ("ADDR", "unix://", "is not an absolute path of a file"),
        (
            "ADDR",
            "127.0.0.1:65536",
            "is not an IP address with a port",
        ),
        (
            "BASE_URL",
            "paste.example.org",
            "does not start with http:// or https://",
        ),
        (
            "BASE_URL",
            "https://a.example/b?c",
            "has a query, or a path other than names of letters, digits and -._~",
        ),
        (
            "BASE_URL",
            "https://u:p@a.example",
            "has a user name or password",
        ),
        (
            "BASE_URL",
            &format!("http://a.example/{}", "x".repeat(4096)),
            "is longer than 4096 bytes",
        ),
        ("SECRET", &too_long, "is too long"),
        ("MAX_DISK", "1TB", "is not a size"),
        ("MAX_DISK", "67108863", "is less than 64 MiB"),
        ("MAX_PASTE_SIZE", "12 parsecs", "is not a size"),
        ("MAX_PASTE_SIZE", "1M", "is not a size"),
        ("MAX_PASTE_SIZE", "0KiB", "is zero"),
        ("MAX_PASTE_SIZE", "1073741825", "is more than 1 GiB"),
        ("MAX_STORE_SIZE", "0", "is zero"),
        ("MAX_STORE_SIZE", "-1", "is not a size"),
        ("MAX_STORE_SIZE", "99999999999GiB", "is more than 64 GiB"),
        ("MAX_DISK", "99999999999GiB", "is more than 2048 GiB"),
        ("MAX_DISK", "2049GiB", "is more than 2048 GiB"),
        ("DEFAULT_EXPIRY", "soon", "is not a duration"),
        ("DEFAULT_EXPIRY", "7 d", "is not a duration"),
        ("DEFAULT_EXPIRY", "1x", "has the unknown unit `x`"),
        ("DEFAULT_EXPIRY", "0", "is zero"),
        ("MAX_EXPIRY", "0d", "is zero"),
        ("MAX_EXPIRY", "99999999999999999999", "is too long"),
        ("MAX_EXPIRY", "99999999999999999999w", "is too long"),
        ("IMAGES", "yes", "is not a choice"),
        ("ENCRYPTION", "On", "is not a choice"),
        ("REDIRECT", "Direct", "is not a choice"),
        (
            "TRUSTED_PROXIES",
            "127.0.0.1, proxy.example",
            "is invalid at character 12: expected an IP address or a network",
        ),
        ("PROXY_HEADER", "X Real IP", "is not a header name"),
        ("PROXY_HEADER", "X-Real-IP:", "is not a header name"),
        ("AUTH_HEADER", "Cookie", "is a header with another meaning"),
        (
            "AUTH_HEADER",
            "X-Forwarded-For",
            "is a header with another meaning",
        ),
        (
            "NETWORKS",
            "10.0.0.0/8 allow, 203.0.113.0/24",
            "is invalid at character 33: expected `allow`, `deny` or `limit x10` after the network",
        ),
        ("NETWORKS", "@src", "is not a file"),
        ("NETWORKS", "@src/no-such-file", "does not exist"),
        ("ADMIN_TOKEN", "fifteen-letters", "is too short"),
        (
            "ADMIN_TOKEN",
            "correct horse battery",
            "has a space or a character that is not printable ASCII",
        ),
        (
            "ADMIN_TOKEN",
            "pa\u{df}wort-pa\u{df}wort",
            "has a space or a character that is not printable ASCII",
        ),
        ("ADMIN_TOKEN", &too_long, "is too long"),
        ("LOG", "tidebin=loud", "is not a log filter"),
        ("LOG", "[", "is not a log filter"),
        ("LOG_FORMAT", "JSON", "is not a choice"),
    ] {
        refuses(suffix, value, problem);
    }
}

#[test]
fn a_refusal_names_the_source_that_the_value_came_from() {
    let dotenv = Given {
        dotenv: &[("TIDEBIN_MAX_PASTE_SIZE", "12 parsecs")],
        ..Given::default()
    };
    assert_eq!(
        dotenv.refusal(),
        "TIDEBIN_MAX_PASTE_SIZE (from .env): \"12 parsecs\" is not a size. \
         Use `64KiB`, `1MiB`, `10MB` or a number of bytes."
    );
    let flag = Given {
        args: &["--log-format", "xml"],
        ..Given::default()
    };
    assert_eq!(
        flag.refusal(),
        "--log-format: \"xml\" is not a choice. Use `text` or `json`."
    );
}

#[test]
fn a_long_value_is_cut_and_a_line_break_in_it_stays_in_its_line() {
    let value = format!("a\n{}", "é".repeat(500));
    let error = with_variable("TIDEBIN_LOG_FORMAT", &value)
        .expect_err("refused")
        .to_string();
    assert!(
        error.contains("\"a\\né") && error.contains("é\"… is not"),
        "{error}"
    );
    assert!(error.chars().count() < 200, "{error}");
}

#[test]
fn an_unknown_variable_is_refused_with_a_similar_one_even_if_it_is_empty() {
    for (name, similar) in [
        (
            "TIDEBIN_MAX_PAST_SIZE",
            ": did you mean TIDEBIN_MAX_PASTE_SIZE?",
        ),
        ("TIDEBIN_LOGFORMAT", ": did you mean TIDEBIN_LOG_FORMAT?"),
        ("TIDEBIN_ADRR", ": did you mean TIDEBIN_ADDR?"),
        ("TIDEBIN_PORT", ": did you mean TIDEBIN_ADDR?"),
        ("TIDEBIN_HOST", ": did you mean TIDEBIN_ADDR?"),
        ("TIDEBIN_addr", ": did you mean TIDEBIN_ADDR?"),
        ("TIDEBIN_", "."),
        ("TIDEBIN_PROT", "."),
    ] {
        let error = with_variable(name, "").expect_err(name).to_string();
        let expected = format!(
            "{name} (from the environment) is not a setting{similar} Run `tidebin --help` to see all settings."
        );
        assert_eq!(error, expected);
    }
    let dotenv = Given {
        dotenv: &[("TIDEBIN_BASEURL", "x")],
        ..Given::default()
    };
    assert_eq!(
        dotenv.refusal(),
        "TIDEBIN_BASEURL (from .env) is not a setting: did you mean TIDEBIN_BASE_URL? Run `tidebin --help` to see all settings."
    );
}

#[test]
fn a_variable_set_twice_in_dotenv_is_refused() {
    let given = Given {
        dotenv: &[("TIDEBIN_LOG", "warn"), ("TIDEBIN_LOG", "info")],
        ..Given::default()
    };
    assert_eq!(
        given.refusal(),
        "TIDEBIN_LOG (from .env) is set twice. Remove one of the lines."
    );
}

#[test]
fn names_and_values_that_are_not_utf8_are_refused() {
    use std::os::unix::ffi::OsStringExt;

    let odd = || OsString::from_vec(b"a\xff".to_vec());
    let read = |args: Vec<OsString>, environment: Vec<(OsString, OsString)>| {
        Invocation::from_parts(args, environment, || Ok(Vec::new()))
            .map_err(|error| error.to_string())
    };
    let program = || OsString::from("tidebin");
    let mut name = OsString::from("TIDEBIN_LOG");
    name.push(odd());
    for (args, environment, expected) in [
        (
            vec![program()],
            vec![("TIDEBIN_LOG".into(), odd())],
            "is not UTF-8",
        ),
        (
            vec![program()],
            vec![("TIDEBIN_SECRET".into(), odd())],
            "the value is not UTF-8",
        ),
        (
            vec![program(), "--log".into(), odd()],
            vec![],
            "is not UTF-8",
        ),
        (
            vec![program()],
            vec![(name, "x".into())],
            "is not a setting",
        ),
    ] {
        let error = read(args, environment).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
    assert!(read(vec![program()], vec![("LS_COLORS".into(), odd())]).is_ok());
}

#[test]
fn no_message_and_no_debug_print_contains_a_secret() {
    let secret = "hunter2".repeat(200);
    let flag = format!("--secret={secret}");
    let misspelt = format!("--secrets={secret}");
    for args in [
        &[flag.as_str()][..],
        &["--secret", secret.as_str()],
        &[flag.as_str(), flag.as_str()],
        &[misspelt.as_str()],
    ] {
        let error = Given {
            args,
            ..Given::default()
        }
        .read()
        .expect_err("refused");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    }
    let too_long = with_variable("TIDEBIN_SECRET", &secret).expect_err("refused");
    assert!(
        !format!("{too_long} {too_long:?}").contains("hunter2"),
        "{too_long}"
    );
    let password = with_variable("TIDEBIN_BASE_URL", "https://me:hunter2@a.example");
    assert!(!format!("{password:?}").contains("hunter2"), "{password:?}");
    for token in [
        "hunter2",
        "hunter2 hunter2 hunter2",
        "hunter2-hunter2-hunter2",
    ] {
        let admin = with_variable("TIDEBIN_ADMIN_TOKEN", token);
        assert!(!format!("{admin:?}").contains("hunter2"), "{admin:?}");
    }
    let accepted = with_variable("TIDEBIN_SECRET", "hunter2").expect("accepted");
    assert!(!format!("{accepted:?}").contains("hunter2"), "{accepted:?}");
}

#[test]
fn a_malformed_dotenv_is_refused_with_the_number_of_its_line_and_no_content() {
    let read = |text: &str| sources::parse_dotenv(text.as_bytes());
    for (text, line) in [
        ("TIDEBIN_SECRET=hunter 2", 1),
        ("hunter2\n", 1),
        (
            "\u{feff}# a\r\nTIDEBIN_LOG=info\r\n\r\nhunter2\r\nB=c\r\n",
            4,
        ),
        ("A=b\n\n# a\nTIDEBIN_SECRET='hunter2\n# b\nB=c\n", 4),
        (
            "A='b\nc'\nB=\"d\n# e\"\nTIDEBIN_SECRET=\\hunter2\nC='d\ne'",
            5,
        ),
        ("A='b\nhunter' 2\nB=c\n", 1),
    ] {
        let error = read(text).expect_err(text);
        let message = error.to_string();
        let expected = format!(".env: line {line} is malformed. Use NAME=value, ");
        assert!(message.starts_with(&expected), "{message}");
        assert!(!format!("{error:?}").contains("hunter"), "{error:?}");
    }
    let not_text = sources::parse_dotenv(b"A=\xff\n");
    let message = not_text.expect_err("not UTF-8").to_string();
    assert!(message.starts_with(".env in "), "{message}");
}

#[test]
fn a_dollar_sign_that_names_no_variable_would_shorten_a_value_and_is_refused() {
    let read = |text: &str| sources::parse_dotenv(text.as_bytes());
    for (text, line) in [
        ("TIDEBIN_ADMIN_TOKEN=hunter2$tail", 1),
        ("\nTIDEBIN_ADMIN_TOKEN=\"hunter2${TAIL_1}\" # a\n", 2),
        ("A=b\nTIDEBIN_SECRET=hunter2$5\n", 2),
        ("TIDEBIN_SECRET=hunter2$$", 1),
        ("TIDEBIN_SECRET='$a'hunter2$", 1),
        ("TIDEBIN_SECRET=hunter2\\$a$-", 1),
        ("# $a\nTIDEBIN_LINKS=\"a\nhunter2$b\"\nb=c", 3),
        ("TIDEBIN_LOG=hunter2$log\nlog=info", 1),
        ("TIDEBIN_LOG=hunter2${TIDEBIN_LOG}", 1),
        // What another variable loses is missing here too.
        ("OTHER=hunter2$a\nTIDEBIN_SECRET=$OTHER", 1),
    ] {
        let error = read(text).expect_err(text);
        let expected = format!(
            ".env: line {line} has a `$` that names no variable. \
             Put the value in single quotes: NAME='pa$$ word'."
        );
        assert_eq!(error.to_string(), expected, "{text}");
    }
    let path = std::env::var("PATH").expect("it is always set");
    for (text, value) in [
        ("tail=x\nTIDEBIN_LOG=a$tail", "ax"),
        ("tail=\nTIDEBIN_LOG=a${tail}b", "ab"),
        ("TIDEBIN_LOG=a/$PATH/b", &format!("a/{path}/b")),
        ("TIDEBIN_LOG='a$tail' # $5", "a$tail"),
        ("TIDEBIN_LOG=a\\$tail", "a$tail"),
        ("TIDEBIN_LOG=\"a\\$tail\"", "a$tail"),
        // Another program reads this one.
        ("OTHER=a$tail\nTIDEBIN_LOG=a", "a"),
    ] {
        let read = read(text).map(|mut read| read.pop());
        let expected = ("TIDEBIN_LOG".to_owned(), value.to_owned());
        assert_eq!(read, Ok(Some(expected)), "{text}");
    }
}

#[test]
fn a_malformed_command_line_is_refused_with_the_name_of_the_flag() {
    for (args, expected) in [
        (&["--max-past-size=1"][..], "--max-paste-size"),
        (&["serve"], "serve"),
        (&["--log"], "a value is required"),
        (&["--log=a", "--log=b"], "cannot be used multiple times"),
        (&["healthcheck", "--log=info"], "--log"),
        (&["backup"], "<FILE>"),
        (&["backup", "a", "b"], "unexpected argument"),
        (&["backup", "a"], "TIDEBIN_DATA is not set"),
        (&["check", "--log=info"], "--log"),
    ] {
        let refusal = Given {
            args,
            ..Given::default()
        }
        .refusal();
        assert!(refusal.contains(expected), "{refusal}");
        assert!(
            !refusal.starts_with("error") && !refusal.contains('\u{1b}'),
            "{refusal:?}"
        );
    }
}

#[test]
fn a_missing_dotenv_is_ignored_and_an_unreadable_one_is_refused_with_its_folder() {
    assert_eq!(sources::read_dotenv("src/no-such-file"), Ok(Vec::new()));
    let directory = sources::read_dotenv("src").expect_err("a directory is no file");
    let here = env!("CARGO_MANIFEST_DIR");
    let expected = format!(".env in {here} cannot be read (");
    let message = directory.to_string();
    assert!(message.starts_with(&expected), "{message}");
}
