//! Tests of the settings that decide who may use the server, and of `tidebin key`.

use super::Given;

/// Returns the path of a file of keys that has none.
pub(super) fn file_without_keys() -> String {
    let file = std::env::temp_dir().join(format!("tidebin-no-keys-{}", std::process::id()));
    std::fs::write(&file, "# no keys\n").expect("a writable directory");
    file.to_str().expect("a plain path").to_owned()
}

#[test]
fn a_server_that_no_client_could_use_does_not_start() {
    for access in ["private", "save-by-key"] {
        let refusal = Given {
            args: &["--access", access],
            ..Given::default()
        }
        .refusal();
        let expected = "--access needs TIDEBIN_KEYS or TIDEBIN_AUTH_HEADER, ";
        assert!(refusal.starts_with(expected), "{refusal}");
    }
}

#[test]
fn users_are_not_believed_without_a_trusted_proxy() {
    let refusal = Given {
        args: &["--auth-header", "Remote-User"],
        ..Given::default()
    }
    .refusal();
    let expected = "--auth-header needs TIDEBIN_TRUSTED_PROXIES, ";
    assert!(refusal.starts_with(expected), "{refusal}");
}

#[test]
fn a_proxy_header_is_refused_if_no_proxy_is_trusted_to_send_it() {
    let read = |args: &[&str]| {
        Given {
            args,
            environment: &[("TIDEBIN_PROXY_HEADER", "CF-Connecting-IP")],
            ..Given::default()
        }
        .read()
    };
    assert_eq!(
        read(&[]).unwrap_err().to_string(),
        "TIDEBIN_PROXY_HEADER (from the environment) needs TIDEBIN_TRUSTED_PROXIES, because that header of any other client is ignored. \
         Set it to the address of your proxy."
    );
    assert!(read(&["--trusted-proxies=10.0.0.1"]).is_ok());
    // The value is the default.
    assert!(read(&["--proxy-header=X-Forwarded-For"]).is_ok());
    // Peers on a Unix socket are trusted.
    assert!(read(&["--addr=unix:/run/s"]).is_ok());
    assert!(read(&["--addr=unix:/run/s", "--auth-header=User"]).is_ok());
    // A subcommand does not read the header.
    assert!(read(&["healthcheck"]).is_ok());
}

#[test]
fn a_port_that_takes_no_keys_is_refused_if_saving_needs_one() {
    let refusal = Given {
        args: &["--tcp-addr=127.0.0.1:0", "--base-url=http://a.example"],
        environment: &[("TIDEBIN_ACCESS", "save-by-key")],
        ..Given::default()
    }
    .refusal();
    let expected = "--tcp-addr needs TIDEBIN_ACCESS (from the environment) to be `open`, ";
    assert!(refusal.starts_with(expected), "{refusal}");
}

#[test]
fn an_argument_of_a_key_that_has_the_wrong_form_is_refused() {
    for (args, expected) in [
        (
            ["new", "--keys=k", "a/b"].as_slice(),
            "invalid value 'a/b' for '<NAME>': is not a name",
        ),
        (
            &["new", "--keys=k", "a", "--rights", "all"],
            "invalid value 'all' for '--rights <RIGHTS>': has a right",
        ),
        (
            &["new", "--keys=k", "a", "--limit", "10"],
            "invalid value '10' for '--limit <xN>': is not a factor",
        ),
        (
            &["new", "--keys=k", "a", "--until", "soon"],
            "invalid value 'soon' for '--until <DATE>': is not a date",
        ),
        (
            &["revoke", "--keys=k", ""],
            "invalid value '' for '<NAME>': is not a name",
        ),
    ] {
        let args = [&["key"], args].concat();
        let refusal = Given {
            args: &args,
            ..Given::default()
        }
        .refusal();
        assert!(refusal.starts_with(expected), "{refusal}");
    }
    let unset = Given {
        args: &["key", "list"],
        ..Given::default()
    };
    assert!(unset.refusal().starts_with("TIDEBIN_KEYS is not set. "));
}
