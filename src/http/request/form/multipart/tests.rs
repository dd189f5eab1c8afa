//! Tests with bodies as real clients send them, with malformed bodies and with random ones.

use std::borrow::Cow;

use proptest::prelude::*;

use super::*;
use crate::http::request::form::{SaveForm, parse_multipart};

const TYPE: &str = "multipart/form-data; boundary=B";

fn parse<'a>(content_type: &str, body: &'a [u8]) -> Result<SaveForm<'a>, RequestError> {
    parse_multipart(content_type, body)?.single()
}

fn form(body: &str) -> SaveForm<'_> {
    parse(TYPE, body.as_bytes()).expect(body)
}

/// A body with this line end. Each part consists of its text after `form-data; ` and its content.
fn body(parts: &[(&str, &[u8])], end: &str) -> Vec<u8> {
    let mut body = Vec::new();
    for (names, content) in parts {
        let head =
            format!("--B{end}Content-Disposition: form-data; {names}{end}X-Other: x{end}{end}");
        body.extend([head.as_bytes(), content, end.as_bytes()].concat());
    }
    body.extend(format!("--B--{end}").as_bytes());
    body
}

#[test]
fn curl_sends_a_pipe_as_text() {
    for name in ["sprunge", "f:1", "clbin"] {
        let body = format!(
            "--------------------------9977f00d\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n\
             line1\nline2 & x=y\n\r\n--------------------------9977f00d--\r\n"
        );
        let content_type = "multipart/form-data; boundary=------------------------9977f00d";
        let form = parse(content_type, body.as_bytes()).expect(name);
        assert_eq!(form.content, &b"line1\nline2 & x=y\n"[..]);
        assert!(!form.is_file);
        assert!(matches!(form.content, Cow::Borrowed(_)), "no copy");
    }
}

#[test]
fn wgetpaste_sends_bare_line_feeds() {
    let form = form(
        "--B\nContent-Disposition: form-data; name=\"title\"\n\nnotes\n\
         --B\nContent-Disposition: form-data; name=\"f:1\"\nContent-Type: text/plain\n\na\r\n\r\n--B--\n",
    );
    assert_eq!(form.options.get("title"), Some(&b"notes"[..]));
    assert_eq!(
        form.content,
        &b"a\r\n\r"[..],
        "only the line feed is the delimiter's"
    );
}

#[test]
fn a_browser_sends_an_empty_file_along_with_the_text() {
    for (text, file, expected, is_file) in [
        ("a\r\nb", "", "a\r\nb", false),
        ("", "a\r\nb", "a\r\nb", true),
    ] {
        let body = body(
            &[
                (r#"name="text""#, text.as_bytes()),
                (r#"name="file"; filename="""#, file.as_bytes()),
                (r#"name="title""#, b""),
                (r#"name="lang""#, b""),
                (r#"name="expires""#, b"7d"),
            ],
            "\r\n",
        );
        let form = parse(TYPE, &body).unwrap();
        assert_eq!(form.content, expected.as_bytes());
        assert_eq!((form.is_file, form.options.get("title")), (is_file, None));
    }
}

#[test]
fn lwp_sends_short_boundaries() {
    let form = parse(
        "multipart/form-data; boundary=xYzZY",
        b"--xYzZY\r\nContent-Disposition: form-data; name=\"code\"; filename=\"a.pl\"\r\nContent-Length: 4\r\n\
          Content-Type: text/x-perl\r\n\r\n--xY\r\n--xYzZY\r\nContent-Disposition: form-data; name=\"nick\"\r\n\r\nme\r\n\
          --xYzZY--\r\n",
    )
    .unwrap();
    assert_eq!(form.content, &b"--xY"[..]);
}

#[test]
fn bytes_before_and_after_the_parts_are_skipped() {
    let part = "Content-Disposition: form-data; name=\"c\"\r\n\r\n";
    for (body, why) in [
        (format!("--B\r\n{part}a\r\n--B--"), "no last line end"),
        (
            format!("hello\r\n--Bx\r\n--B\r\n{part}a\r\n--B--\r\n"),
            "a preamble",
        ),
        (
            format!("\r\n--B\r\n{part}a\r\n--B--\r\n--B\r\nbye"),
            "an epilogue",
        ),
        (
            format!("--B \t\r\n{part}a\r\n--B-- \r\n"),
            "white space behind delimiters",
        ),
        (
            format!("--B\r\n{part}a\n--B--\r\n"),
            "a bare line feed at one place",
        ),
    ] {
        assert_eq!(form(&body).content, &b"a"[..], "{why}");
    }
}

#[test]
fn a_part_whose_delimiter_follows_the_empty_line_is_empty() {
    let head = "--B\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n";
    let body =
        format!("{head}--B\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\na\r\n--B--\r\n");
    assert_eq!(form(&body).content, &b"a"[..]);
}

#[test]
fn a_malformed_or_truncated_form_is_rejected() {
    let head = "--B\r\nContent-Disposition: form-data; name=\"file\"\r\n";
    let many = "X-A: b\r\n".repeat(MAX_HEADERS);
    for (body, why) in [
        (String::new(), "its boundary does not occur in it"),
        ("hello\r\n".to_owned(), "its boundary does not occur in it"),
        (
            "--C\r\n--C--\r\n".to_owned(),
            "its boundary does not occur in it",
        ),
        ("--B".to_owned(), "its boundary does not occur in it"),
        ("--B\r\n".to_owned(), "its end is missing"),
        (format!("{head}\r\nabc"), "its end is missing"),
        (format!("{head}\r\nabc\r\n--B"), "its end is missing"),
        (format!("{head}\r\nabc\r\n--B-"), "its end is missing"),
        (format!("{head}\r\nabc\r\n--BB--\r\n"), "its end is missing"),
        (format!("{head}\r\nabc--B--\r\n"), "its end is missing"),
        (
            format!("{head}\r\nabc\r\n--B\r\n--B--\r\n"),
            "the headers of a part do not end",
        ),
        (
            format!("{head}--B--\r\n"),
            "the headers of a part do not end",
        ),
        (
            format!("{head}: x\r\n\r\nabc\r\n--B--\r\n"),
            HEADERS_INVALID,
        ),
        (format!("{head}{many}\r\nabc\r\n--B--\r\n"), HEADERS_INVALID),
        (
            "--B\r\n\r\nabc\r\n--B--\r\n".to_owned(),
            "a part has no name",
        ),
        (
            "--B\r\nContent-Type: a/b\r\n\r\nabc\r\n--B--\r\n".to_owned(),
            "a part has no name",
        ),
    ] {
        let error = parse(TYPE, body.as_bytes()).expect_err(&body);
        assert_eq!(error, RequestError::Malformed(why), "{body:?}");
    }
    let empty = parse(TYPE, b"--B--\r\n").expect_err("no part");
    assert_eq!(empty, RequestError::NoContent);
}

#[test]
fn the_iterator_ends_after_an_error() {
    let mut parts = Parts::of(TYPE, b"--B\n\nx\n--B\n\ny\n--B--\n").unwrap();
    assert!(parts.next().is_some_and(|part| part.is_err()));
    assert!(parts.next().is_none());
}

/// Random content that is mostly made of bytes with a meaning to the parser.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec![&b"\r"[..], b"\n", b"\r\n", b"-", b"--", b"B", b"--B", b"\n--B", b" ", b"x"])
            .prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// Returns whether a client could send this content with the boundary `B`. A client avoids a boundary that is equal to
/// a line of the content. Lines that start with the closing delimiter are excluded, too: truncation could make them
/// equal.
fn can_be_sent(content: &[u8]) -> bool {
    content.split(|byte| *byte == b'\n').all(|line| {
        let is_delimiter = |rest: &[u8]| rest.trim_ascii().is_empty();
        match line.strip_prefix(b"--B") {
            Some(rest) => !rest.starts_with(b"--") && !is_delimiter(rest),
            None => true,
        }
    })
}

proptest! {
    #[test]
    fn content_round_trips_exactly(content in content(), lf: bool) {
        prop_assume!(!content.is_empty() && can_be_sent(&content));
        let end = if lf { "\n" } else { "\r\n" };
        let body = body(&[(r#"name="lang""#, b"c"), (r#"name="file"; filename="f""#, &content), (r#"name="user""#, b"")], end);
        let form = parse(TYPE, &body).unwrap();
        prop_assert_eq!(form.content, content);
        prop_assert_eq!(form.options.get("lang"), Some(&b"c"[..]));
    }

    #[test]
    fn a_truncated_body_is_rejected_unless_only_its_last_line_end_is_missing(content in content(), lf: bool) {
        prop_assume!(!content.is_empty() && can_be_sent(&content));
        let end = if lf { "\n" } else { "\r\n" };
        let body = body(&[(r#"name="file""#, &content), (r#"name="expires""#, b"1d")], end);
        let whole = body.len() - end.len();
        for cut in 0..=body.len() {
            let parsed = parse(TYPE, &body[..cut]);
            prop_assert_eq!(parsed.is_ok(), cut >= whole, "cut at {} of {}", cut, body.len());
            if let Ok(form) = parsed {
                prop_assert_eq!(&form.content, &content);
                prop_assert_eq!(form.options.get("expires"), Some(&b"1d"[..]));
            }
        }
    }

    #[test]
    fn no_bytes_make_the_parser_panic(content_type in "(multipart/form-data)?(;|=|\"|\\\\| |boundary|B|é){0,12}", body in content()) {
        let _ = parse(&content_type, &body);
        let _ = parse(TYPE, &body);
        let head = b"--B\nContent-Disposition: form-data; ";
        let _ = parse(TYPE, &[head, body.as_slice(), b"\n--B--"].concat());
    }
}

/// The test is not timed, because it would fail on a busy machine. A quadratic scan would take minutes.
#[test]
fn a_mebibyte_of_near_delimiters_is_parsed_in_linear_time() {
    let boundary = "-".repeat(200);
    let content_type = format!("multipart/form-data; boundary={boundary}");
    for piece in [
        "\n--",
        "\n",
        "-",
        "\r",
        "\n--------",
        "\n\n--B ",
        "a: b\n",
        "--B\n",
    ] {
        let body = piece.repeat((1 << 20) / piece.len());
        assert!(parse(&content_type, body.as_bytes()).is_err());
        assert!(parse(TYPE, body.as_bytes()).is_err());
    }
}

#[test]
fn quoted_and_unquoted_boundaries_are_parsed() {
    for (content_type, expected) in [
        ("multipart/form-data; boundary=xYzZY", "xYzZY"),
        (
            "multipart/form-data;boundary=------------------------9977",
            "------------------------9977",
        ),
        ("multipart/form-data; BounDary=a", "a"),
        (
            "multipart/form-data; charset=utf-8; boundary=a; x=\"boundary=b\"",
            "a",
        ),
        (
            "multipart/form-data; x=\"; boundary=b\"; boundary=\"a\"; y=1",
            "a",
        ),
        ("multipart/form-data; boundary=\"a b c\"", "a b c"),
        ("multipart/form-data; boundary=\"a;b\"", "a;b"),
        (r#"multipart/form-data; boundary="a\"=b""#, r#"a"=b"#),
        (
            "multipart/form-data; boundary====a'b(c)+d:e/f,g?h_i.j",
            "===a'b(c)+d:e/f,g?h_i.j",
        ),
        ("multipart/form-data; boundary = a ", "a"),
    ] {
        let boundary = boundary(content_type).expect(content_type);
        assert_eq!(
            boundary.needle(),
            format!("--{expected}").as_bytes(),
            "{content_type}"
        );
    }
}

#[test]
fn an_invalid_boundary_is_rejected() {
    let long = format!(
        "multipart/form-data; boundary={}",
        "x".repeat(MAX_BOUNDARY + 1)
    );
    for (content_type, why) in [
        ("", "its Content-Type has no boundary"),
        ("multipart/form-data", "its Content-Type has no boundary"),
        (
            "multipart/form-data; charset=boundary",
            "its Content-Type has no boundary",
        ),
        ("multipart/form-data; boundary", "its boundary is empty"),
        ("multipart/form-data; boundary=", "its boundary is empty"),
        (
            "multipart/form-data; boundary=\"\"",
            "its boundary is empty",
        ),
        (
            "multipart/form-data; boundary=\"a\nb\"",
            "its boundary has control characters",
        ),
        (&long, "its boundary is too long"),
    ] {
        let error = boundary(content_type).err();
        assert_eq!(error, Some(why), "{content_type}");
    }
    assert!(boundary(&long[..long.len() - 1]).is_ok());
}

#[test]
fn a_delimiter_is_a_whole_line_except_for_white_space() {
    // Whether more follows, and whether the line end is bare.
    let (crlf, lf, closing) = (
        Some((true, false)),
        Some((true, true)),
        Some((false, false)),
    );
    let boundary = boundary("a/b; boundary=B").unwrap();
    let parts = Parts {
        boundary,
        ends_bare: false,
        rest: None,
    };
    for (line, expected, why) in [
        ("--B\r\n", crlf, "as the standard has it"),
        ("--B\n", lf, "as a shell script writes it"),
        ("--B \t\r\n", crlf, "white space behind"),
        ("--B", None, "cut off"),
        ("--B ", None, "cut off"),
        ("--B\r", None, "cut off"),
        ("--B--\r\n", closing, "as the standard has it"),
        ("--B--", closing, "the last line end may be missing"),
        ("--B-- \n", closing, "white space behind"),
        ("--B--\r", closing, "half of the last line end"),
        ("--B-", None, "cut off"),
        ("--B-\n", None, "one dash"),
        ("--B--x\n", None, "content that begins alike"),
        ("--BX\r\n", None, "a longer boundary"),
        ("--B x\r\n", None, "content that begins alike"),
        ("-B\r\n", None, "one dash"),
        (" --B\r\n", None, "not at the start"),
        ("--B\r\r\n", None, "a CR is no white space"),
    ] {
        let found = parts.delimiter_in(line.as_bytes()).map(|it| {
            let opens = it.behind.is_some();
            (opens, opens && !it.line.ends_with(b"\r\n"))
        });
        assert_eq!(found, expected, "{line:?}: {why}");
    }
}
