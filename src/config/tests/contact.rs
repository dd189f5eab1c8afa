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
        assert_eq!(config.site.contact.as_deref(), Some(uri));
    }
}

#[test]
fn any_other_address_is_refused_with_its_reason() {
    let neither = "is neither an e-mail address nor a URL with https";
    let host = "has no valid host";
    for (given, problem) in [
        (&*"x".repeat(321), "is longer than 320 bytes"),
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

#[test]
fn links_have_a_text_and_a_url_or_an_address() {
    let links = |text: &str| super::super::values::links(text);
    let [imprint, mail] = ["Imprint", "Write to us"].map(str::to_owned);
    assert_eq!(
        links("Imprint=https://a.example/?b=c, Write to us = me@a.example"),
        Ok(vec![
            (imprint, "https://a.example/?b=c".to_owned()),
            (mail, "mailto:me@a.example".to_owned())
        ])
    );
    for (text, problem) in [
        ("Imprint", "has a link without `=`"),
        ("Imprint=javascript:alert(1)", "has a link without a URL"),
        ("=https://a.example", "has no text"),
        ("A\nB=https://a.example", "has a control character"),
        (
            &["a=https://a.example"; 9].join(","),
            "has more than 8 links",
        ),
    ] {
        assert_eq!(links(text), Err(problem), "{text}");
    }
}
