//! Tests of settings that contradict each other, and of several faults at once.

use super::*;

#[test]
fn a_default_lifetime_beyond_the_longest_is_refused_and_both_are_named() {
    let given = Given {
        args: &["--max-expiry=1h"],
        dotenv: &[("TIDEBIN_DEFAULT_EXPIRY", "never")],
        ..Given::default()
    };
    assert_eq!(
        given.refusal(),
        "TIDEBIN_DEFAULT_EXPIRY (from .env) is never, but --max-expiry is only 1h. \
         Lower the first or raise the second."
    );
}

#[test]
fn a_secret_of_fewer_than_32_characters_is_refused_with_a_data_directory() {
    let secret = |secret: &str| {
        Given {
            args: &["--data=/var/lib/tidebin"],
            dotenv: &[("TIDEBIN_SECRET", secret)],
            ..Given::default()
        }
        .read()
    };
    assert_eq!(
        secret("correct horse battery staple 31")
            .unwrap_err()
            .to_string(),
        "TIDEBIN_SECRET (from .env) has fewer than 32 characters, and --data needs a longer one. \
         Use the output of `openssl rand -hex 32`, or with TIDEBIN_DATA unset it: then the directory keeps a random one."
    );
    assert!(secret("correct horse battery staple, 32").is_ok());
    assert!(secret("").is_ok());
}

#[test]
fn an_unset_default_lifetime_is_lowered_to_the_longest_one() {
    let Invocation::Serve(config) = with_variable("TIDEBIN_MAX_EXPIRY", "1d").expect("accepted")
    else {
        panic!("not to serve");
    };
    let policy = config.pastes.expiry_policy;
    assert_eq!(policy.default, policy.longest);
    assert_eq!(policy.longest.to_string(), "1d");
}

#[test]
fn all_faults_are_told_at_once() {
    let given = Given {
        args: &[
            "--log",
            "loud",
            "--log-format=xml",
            "--auth-header=Remote-User",
        ],
        environment: &[
            ("TIDEBIN_ADRR", "x"),
            ("TIDEBIN_MAX_DISK", "1"),
            ("TIDEBIN_ACCESS", "private"),
            ("TIDEBIN_VALKEY", "redis://localhost"),
            ("TIDEBIN_SECRET", "hunter2"),
        ],
        dotenv: &[
            ("TIDEBIN_IMAGES", "yes"),
            ("TIDEBIN_IMAGES", "no"),
            ("TIDEBIN_TCP_ADDR", "127.0.0.1:9999"),
        ],
    };
    let refusal = given.refusal();
    let faults: Vec<&str> = refusal.split("\ntidebin: ").collect();
    let starts = [
        "TIDEBIN_IMAGES (from .env) is set twice.",
        "TIDEBIN_ADRR (from the environment) is not a setting",
        "TIDEBIN_MAX_DISK (from the environment): \"1\" is less",
        "TIDEBIN_IMAGES (from .env): \"yes\" is",
        "--log: \"loud\" is",
        "--log-format: \"xml\" is",
        "TIDEBIN_SECRET (from the environment) has fewer than 32 characters",
        "TIDEBIN_TCP_ADDR (from .env) needs TIDEBIN_BASE_URL.",
        "TIDEBIN_TCP_ADDR (from .env) needs TIDEBIN_ACCESS (from the environment) to be `open`",
        "--auth-header needs TIDEBIN_TRUSTED_PROXIES",
    ];
    assert_eq!(faults.len(), starts.len(), "{refusal}");
    for (fault, start) in faults.iter().zip(starts) {
        assert!(fault.starts_with(start), "{fault}");
    }
}

#[test]
fn a_malformed_command_line_does_not_hide_other_faults() {
    for (args, expected) in [
        (&["--log=a", "--log=b"][..], "cannot be used multiple times"),
        (&["--max-past-size=1"], "--max-paste-size"),
    ] {
        let refusal = Given {
            args,
            environment: &[("TIDEBIN_ADRR", "x")],
            dotenv: &[("TIDEBIN_IMAGES", "yes")],
        }
        .refusal();
        for part in [expected, "TIDEBIN_ADRR", "TIDEBIN_IMAGES"] {
            assert!(refusal.contains(part), "no {part} in {refusal}");
        }
    }
}

#[test]
fn no_contradiction_is_told_that_a_bad_value_may_have_caused() {
    for (environment, bad) in [
        (
            [
                ("TIDEBIN_TCP_ADDR", "127.0.0.1:0"),
                ("TIDEBIN_BASE_URL", "x"),
            ],
            "TIDEBIN_BASE_URL",
        ),
        (
            [
                ("TIDEBIN_MAX_EXPIRY", "1h"),
                ("TIDEBIN_DEFAULT_EXPIRY", "soon"),
            ],
            "TIDEBIN_DEFAULT_EXPIRY",
        ),
        (
            [
                ("TIDEBIN_AUTH_HEADER", "User"),
                ("TIDEBIN_TRUSTED_PROXIES", "x"),
            ],
            "TIDEBIN_TRUSTED_PROXIES",
        ),
    ] {
        let refusal = Given {
            environment: &environment,
            ..Given::default()
        }
        .refusal();
        assert!(refusal.starts_with(bad), "{refusal}");
        assert_eq!(refusal.lines().count(), 1, "{refusal}");
    }
}
