//! Tests of urlencoded bodies and of JSON: which are forms and which are content.

use std::borrow::Cow;

use proptest::prelude::*;

use super::*;
use crate::http::request::form::{SaveForm, field};

fn parse(body: &[u8]) -> Result<Option<Form<'_>>, RequestError> {
    super::parse(BodyKind::Urlencoded, "", body)
}

fn parse_json(body: &[u8]) -> Result<Option<Form<'_>>, RequestError> {
    super::parse(BodyKind::Json, "", body)
}

fn form(body: &str) -> SaveForm<'_> {
    let form = parse(body.as_bytes()).expect(body).expect(body);
    form.single().expect(body)
}

fn json_form(body: &str) -> Result<SaveForm<'_>, RequestError> {
    parse_json(body.as_bytes())?.expect(body).single()
}

fn allowed(name: &str) -> &'static str {
    Field::named(name).map_or("", |field| field.allowed)
}

fn text<'f>(form: &'f SaveForm<'_>, name: &str) -> Option<&'f str> {
    form.options
        .get(name)
        .map(|value| std::str::from_utf8(value).unwrap_or("not UTF-8"))
}

#[test]
fn forms_are_read_as_each_client_writes_them() {
    for (body, content, language, title, who) in [
        (
            "sprunge=line1%0Aline2+%26+x%3Dy&lang=text",
            "line1\nline2 & x=y",
            Some("text"),
            None,
            "pastebinit",
        ),
        (
            "poster=me&content=a%0Ab&syntax=python&title=tit",
            "a\nb",
            Some("python"),
            Some("tit"),
            "pastebinit",
        ),
        (
            "submit=Paste%21&language=text&code=a",
            "a",
            Some("text"),
            None,
            "wgetpaste",
        ),
        ("f%3A1=a", "a", None, None, "an encoded colon"),
        (
            "nick=&text=a%0D%0Ab%0D%0A&lang=perl",
            "a\nb\n",
            Some("perl"),
            None,
            "LWP",
        ),
        (
            "title=&lang=&expires=&text=%D8%B3",
            "س",
            None,
            None,
            "a browser, nothing chosen",
        ),
        ("&text=a&&", "a", None, None, "empty pairs"),
        ("text=a=b%2B", "a=b+", None, None, "curl -d"),
        (
            "text=&file=b",
            "b",
            None,
            None,
            "a browser, one of two contents empty",
        ),
        (
            "text=100%",
            "100%",
            None,
            None,
            "curl -d, a lone percent sign",
        ),
        (
            "text=a&title=caf%E9",
            "a",
            None,
            Some("caf\u{fffd}"),
            "a Latin-1 page",
        ),
    ] {
        let form = form(body);
        assert_eq!(form.content, content.as_bytes(), "{who}");
        assert_eq!(text(&form, "lang"), language, "{who}");
        assert_eq!(form.options.text("title").as_deref(), title, "{who}");
        assert!(!form.is_file, "{who}");
    }
    assert_eq!(text(&form("p=a&expires=7d"), "expires"), Some("7d"));
}

#[test]
fn a_body_without_the_content_in_a_field_is_raw_whatever_it_says() {
    for (body, why) in [
        (&b""[..], "nothing"),
        (
            b"access_token=abc&token_type=bearer&expires_in=3600",
            "a response of OAuth",
        ),
        (b"text=a\n", "a raw newline"),
        (b"text=a\0", "a control byte"),
        (b"text=a\x7f", "a control byte"),
        (b"text=a&password=b\nc=d", "several lines"),
        (b"hello", "one word"),
        (b"text", "one word that is a name"),
        (b"text&burn=1", "a name without a value"),
        (b"Text=a&burn=1", "another case"),
        (b"lang=c&title=t", "no content"),
        (b"user=a&password=b", "no content"),
        (b"body=secret&burn=1", "a form of another program"),
        (b"{\"text\":\"a=b\",\"burn\":1}", "JSON"),
    ] {
        assert!(matches!(parse(body), Ok(None)), "{why}");
    }
}

#[test]
fn a_form_that_was_not_encoded_is_a_form() {
    let body = "text=a b+\u{e9}%21&password=c d&submit=Paste it!";
    let form = form(body);
    assert_eq!(form.content.as_ref(), "a b \u{e9}!".as_bytes());
    assert_eq!(text(&form, "password"), Some("c d"));
}

#[test]
fn a_form_with_an_unknown_field_or_an_invalid_value_is_rejected() {
    for (body, expected) in [
        ("text=", RequestError::NoContent),
        ("lang=c&text=", RequestError::NoContent),
        ("text=a&lang=c&syntax=d", field::repeated("lang")),
        ("text=a&code=b", RequestError::SeveralContents),
        ("c=a&burn=1&foo=1", field::unknown("foo")),
        ("foo=1&c=a", field::unknown("foo")),
        (
            "text=hello&burn_after_raed=1",
            field::unknown("burn_after_raed"),
        ),
        ("text=a&b", field::unknown("b")),
        ("=a&text=b", field::unknown("")),
        ("url=https://a.example/?x=1&y=2", field::unknown("y")),
        ("rm=ID&c=a", RequestError::SeveralContents),
        ("f:1=a&f:2=b", RequestError::SeveralContents),
        ("f:1=a&f:2=", RequestError::SeveralContents),
        ("f:1=a&f:10=b", field::unknown("f:10")),
        ("f:1=a&read:2=1", field::unknown("read:2")),
        ("remote=https://a.example/", RequestError::Remote),
        ("oneshot_url=https://a.example/", RequestError::OneshotLink),
    ] {
        assert_eq!(parse(body.as_bytes()).err(), Some(expected), "{body}");
    }
}

#[test]
fn the_names_of_a_form_tell_for_which_pastebin_it_was_written() {
    for (body, origin) in [
        ("content=a&lang=c", Origin::Terminal),
        ("sprunge=a", Origin::Terminal),
        ("poster=&content=a", Origin::Website),
        ("val=a", Origin::Website),
        ("code=a&lexer=c&expiry=1+day", Origin::Website),
        ("code=a&extension=rs", Origin::Wastebin),
    ] {
        assert_eq!(form(body).origin, origin, "{body}");
    }
    for (written, read) in [("1+day", "1day"), ("1month", "30d"), ("1week", "1week")] {
        let body = format!("code=a&expiry={written}");
        let saved = form(&body);
        assert_eq!(text(&saved, "expires"), Some(read));
    }
    let seconds = form("text=a&extension=rs&expires=60");
    assert_eq!(text(&seconds, "expires"), Some("60s"));
}

#[test]
fn content_that_needs_no_decoding_is_not_copied() {
    assert!(matches!(form("text=abc").content, Cow::Borrowed(b"abc")));
}

/// Random bytes in which special characters are frequent.
fn content() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(
        prop_oneof![prop::sample::select(&b"\r\n%+&=2B "[..]), any::<u8>()],
        1..60,
    )
}

proptest! {
    #[test]
    fn encoded_content_round_trips_except_for_line_ends(content in content(), before: bool) {
        let encoded: String = form_urlencoded::byte_serialize(&content).collect();
        let body = if before { format!("lang=c&text={encoded}") } else { format!("text={encoded}&lang=c") };
        let form = form(&body);
        prop_assert_eq!(&form.content, &crlf_to_lf(Cow::Borrowed(&content)));
        prop_assert_eq!(text(&form, "lang"), Some("c"));
    }

    #[test]
    fn no_bytes_make_the_parser_panic(body in content(), graphic in "(text|lang|p|%|=|&|\\+|%4){0,12}") {
        let _ = parse(&body);
        let _ = parse(graphic.as_bytes());
    }
}

#[test]
fn an_object_with_its_content_in_a_string_is_a_form() {
    let body = r#"{"owner":1,"text":"\u0061","extension":"rs","expires":60,"burn_after_reading":true,"title":null}"#;
    let read = json_form(body).unwrap();
    assert_eq!((&*read.content, text(&read, "title")), (&b"a"[..], None));
    assert_eq!(text(&read, "lang"), Some("rs"));
    assert_eq!(text(&read, "expires"), Some("60s"));
    assert_eq!(text(&read, "burn"), Some("1"));
    for (body, expires, burn) in [
        (
            r#"{"content":"a","expires":"2h","burn":3}"#,
            Some("2h"),
            Some("3"),
        ),
        ("\u{feff} {\"code\":\"a\",\"burn\":false}", None, None),
        (r#"{"data":"a","expire":null}"#, None, None),
        (r#"{"oneshot":"a"}"#, None, Some("1")),
    ] {
        let read = json_form(body).unwrap();
        assert_eq!(text(&read, "expires"), expires, "{body}");
        assert_eq!(text(&read, "burn"), burn, "{body}");
    }
}

#[test]
fn a_form_with_an_unknown_repeated_or_wrong_member_is_an_error() {
    for (body, error) in [
        (r#"{"content":"a","pass":"x"}"#, field::unknown("pass")),
        (r#"{"views":1,"text":"a"}"#, field::unknown("views")),
        (
            r#"{"text":"a","self_destruct":null}"#,
            field::unknown("self_destruct"),
        ),
        (
            r#"{"text":"a","title":"b","name":"c"}"#,
            field::repeated("title"),
        ),
        (r#"{"text":"a","text":"b"}"#, RequestError::SeveralContents),
        (r#"{"text":"a","url":"b"}"#, RequestError::SeveralContents),
        (
            r#"{"text":"a","data":{}}"#,
            RequestError::FieldValue("file", allowed("file")),
        ),
        (
            r#"{"text":"a","password":["x"]}"#,
            RequestError::FieldValue("password", allowed("password")),
        ),
        (
            r#"{"text":"a","burn":1.5}"#,
            RequestError::FieldValue("burn", allowed("burn")),
        ),
        (
            r#"{"text":"a","burn":-1}"#,
            RequestError::FieldValue("burn", allowed("burn")),
        ),
        (
            r#"{"text":"\ud800"}"#,
            RequestError::FieldValue("file", allowed("file")),
        ),
        (
            r#"{"text":"a","password":""}"#,
            RequestError::FieldEmpty("password", allowed("password")),
        ),
        (r#"{"text":""}"#, RequestError::NoContent),
    ] {
        assert_eq!(json_form(body).err(), Some(error), "{body}");
    }
}

#[test]
fn any_other_json_is_content() {
    let nested = format!(r#"{{"a":{}{}}}"#, "[".repeat(1 << 20), "]".repeat(1 << 20));
    for body in [
        "",
        "{}",
        "text",
        r#"{"password":"x","burn":1}"#,
        r#"{"access_token":"a","expires_in":60}"#,
        r#"{"data":{"text":"a"},"burn":1}"#,
        r#"{"url":"https://a.example/","id":1}"#,
        r#"{"Text":"a","burn":1}"#,
        r#"[{"text":"a","burn":1}]"#,
        r#"{"text":"a","burn":1"#,
        r#"{"text":"a"} {}"#,
        &nested,
    ] {
        assert!(
            matches!(parse_json(body.as_bytes()), Ok(None)),
            "{body:.60}"
        );
    }
}
