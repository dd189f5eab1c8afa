//! Tests of the operator's address for reports.

use super::*;

#[test]
fn an_address_is_an_e_mail_address_or_a_url_with_https() {
    for (given, uri) in [
        ("abuse@bin.example", "mailto:abuse@bin.example"),
        ("mailto:a+b@bin.example", "mailto:a+b@bin.example"),
        (
            "https://bin.example/abuse?a=b",
            "https://bin.example/abuse?a=b",
        ),
        ("https://bin.example:8443", "https://bin.example:8443"),
    ] {
        let config = Given {
            environment: &[("TIDEBIN_CONTACT", given)],
            ..Given::default()
        }
        .config();
        assert_eq!(config.contact.as_deref(), Some(uri));
    }
}

#[test]
fn any_other_address_is_refused_with_its_reason() {
    let neither = "is neither an e-mail address nor a URL with https";
    let host = "has no valid host";
    for (given, problem) in [
        (&*"x".repeat(321), "is too long"),
        ("me at example.org", "has a character that no address has"),
        ("\"me\"@bin.example", "has a character that no address has"),
        ("https://", host),
        ("https://user@bin.example/", host),
        ("http://bin.example/", neither),
        ("bin.example", neither),
        ("@bin.example", neither),
        ("me@", neither),
        ("me@bin.example:25", neither),
        ("me@bin.example?subject=x", neither),
    ] {
        let error = with_variable("TIDEBIN_CONTACT", given).expect_err(given);
        let form = "an e-mail address, or a URL that starts with `https://`";
        let expected = format!(" {problem}. Use {form}.");
        assert!(error.to_string().ends_with(&expected), "{error}");
    }
}
