//! The rules of forms, without their encodings.

use super::*;
use crate::paste::ArchiveError;

fn build<'a>(fields: &[(&str, &'a [u8])]) -> Result<SaveForm<'a>, RequestError> {
    let mut builder = Builder::default();
    for (name, value) in fields {
        builder.add(name, Field::named(name), Cow::Borrowed(value), None)?;
    }
    builder.finish(Origin::Terminal)?.single()
}

#[test]
fn a_form_needs_exactly_one_non_empty_content() {
    for (fields, refused, why) in [
        (&[][..], RequestError::NoContent, "nothing at all"),
        (
            &[("lang", &b"c"[..])][..],
            RequestError::NoContent,
            "only an option",
        ),
        (
            &[("file", b""), ("text", b"")],
            RequestError::NoContent,
            "only empty ones",
        ),
        (
            &[("file", b"a"), ("file", b"b")],
            RequestError::SeveralContents,
            "the same name twice",
        ),
        (
            &[("file", b"a"), ("text", b"b")],
            RequestError::SeveralContents,
            "two names",
        ),
        (
            &[("file", b"a"), ("f:1", b"b")],
            RequestError::SeveralContents,
            "with a number and without",
        ),
        (
            &[("f:1", b"a"), ("f:2", b"b")],
            RequestError::SeveralContents,
            "two numbers",
        ),
    ] {
        assert_eq!(build(fields).err(), Some(refused), "{why}");
    }
    for fields in [
        &[("file", &b""[..]), ("text", &b"a"[..])],
        &[("text", &b"a"[..]), ("file", &b""[..])],
    ] {
        assert_eq!(build(fields).unwrap().content, &b"a"[..]);
    }
}

#[test]
fn an_empty_option_is_absent_and_a_second_value_is_rejected() {
    let form = build(&[
        ("title", b""),
        ("file", b"a"),
        ("name", b"b"),
        ("title", b""),
    ]);
    let form = form.unwrap();
    assert_eq!(
        (form.options.get("title"), form.is_untitled),
        (Some(&b"b"[..]), false)
    );
    let untitled = build(&[("title", b""), ("file", b"a")]).unwrap();
    assert!(untitled.options.get("title").is_none() && untitled.is_untitled);
    assert!(!build(&[("file", b"a")]).unwrap().is_untitled);
    for (fields, name) in [
        (
            [("expires", &b"1d"[..]), ("expires", &b"1d"[..])],
            "expires",
        ),
        ([("lang", b"c"), ("syntax", b"d")], "lang"),
        ([("title", b"c"), ("name", b"d")], "title"),
    ] {
        assert_eq!(build(&fields).err(), Some(field::repeated(name)));
    }
}

#[test]
fn an_option_is_accepted_up_to_its_maximum_size() {
    let long = vec![b'x'; (64 << 10) + 1];
    for (name, longest, asked) in [
        ("name", 64 << 10, "title"),
        ("ext", 1 << 10, "lang"),
        ("expires", 1 << 10, "expires"),
    ] {
        assert!(
            build(&[("file", b"a"), (name, &long[..longest])]).is_ok(),
            "{name}"
        );
        let error = build(&[("file", b"a"), (name, &long[..=longest])]).err();
        let is_told = matches!(error, Some(RequestError::FieldTooLong(name, _)) if name == asked);
        assert!(is_told, "{name}");
    }
}

#[test]
fn ignored_fields_are_skipped_and_unknown_ones_rejected_even_if_empty() {
    let form = build(&[
        ("poster", b"me"),
        ("poster", b"me"),
        ("file", b"a"),
        ("submit", b"Paste!"),
    ]);
    assert_eq!(form.unwrap().content, &b"a"[..]);
    assert_eq!(
        build(&[("file", b"a"), ("burm", b"")]).err(),
        Some(field::unknown("burm"))
    );
}

#[test]
fn a_link_target_counts_as_content_and_marks_the_form_as_a_link() {
    for name in ["url", "shorten"] {
        let form = build(&[(name, b"https://a.example/")]).unwrap();
        assert!(form.is_link && !form.is_file);
        let both = build(&[(name, b"https://a.example/"), ("file", b"a")]);
        assert_eq!(both.err(), Some(RequestError::SeveralContents));
    }
    assert!(
        !build(&[("file", b"https://a.example/"), ("url", b"")])
            .unwrap()
            .is_link
    );
}

#[test]
fn an_empty_password_or_burn_count_is_stored_and_an_empty_line_is_no_password() {
    let form = build(&[("file", b"a"), ("password", b""), ("burn", b"")]).unwrap();
    for name in ["password", "burn"] {
        assert_eq!(form.options.get(name), Some(&b""[..]), "{name}");
    }
    let empty_line = build(&[("file", b"a"), ("password", b"\r\n")]).err();
    assert!(matches!(
        empty_line,
        Some(RequestError::FieldEmpty("password", _))
    ));
    let twice = build(&[("file", b"a"), ("password", b"a"), ("password", b"")]);
    assert_eq!(twice.err(), Some(field::repeated("password")));
}

fn form<'a>(fields: &[(&str, &'a str)]) -> Result<Form<'a>, RequestError> {
    let mut builder = Builder::default();
    for (name, value) in fields {
        builder.add(
            name,
            Field::named(name),
            Cow::Borrowed(value.as_bytes()),
            None,
        )?;
    }
    builder.finish(Origin::Terminal)
}

#[test]
fn the_numbered_names_of_ix_are_names_of_the_one_content() {
    let fields = [
        ("read:1", &b"3"[..]),
        ("f:1", b"a"),
        ("ext:1", b"rs"),
        ("name:1", b"b"),
    ];
    let form = build(&fields).unwrap();
    let options = ["burn", "lang", "title"].map(|name| form.options.get(name));
    assert_eq!(options, [Some(&b"3"[..]), Some(b"rs"), Some(b"b")]);
    assert_eq!(&*form.content, b"a");
    let unknown = build(&[("f:1", b"a"), ("ext:1", b"klingon")]).unwrap();
    assert_eq!(unknown.options.get("lang"), Some(&b""[..]));
}

#[test]
fn a_form_acts_on_one_existing_paste_and_does_nothing_else() {
    let named = |paste: ExistingPaste| (paste.id, paste.token);
    match form(&[("rm", "ID"), ("token", "T")]) {
        Ok(Form::Remove(paste)) => assert_eq!(named(paste), ("ID".into(), Some("T".into()))),
        other => panic!("{other:?}"),
    }
    match form(&[("f:1", "a"), ("id:1", "ID")]) {
        Ok(Form::Replace(paste, form)) => {
            assert_eq!(named(paste), ("ID".into(), None));
            assert_eq!(form.content, &b"a"[..]);
        }
        other => panic!("{other:?}"),
    }
    for fields in [
        &[("rm", "ID"), ("file", "a")][..],
        &[("rm", "ID"), ("f:1", "a")],
    ] {
        assert_eq!(form(fields).err(), Some(RequestError::SeveralContents));
    }
    let stray = form(&[("file", "a"), ("token", "T")]).err();
    assert_eq!(stray, Some(field::unknown("token")));
}

#[test]
fn an_expiry_is_read_in_the_notation_of_its_field() {
    for (name, value, expected) in [
        ("expires", "24", "24"),
        ("expire", "3600", "3600s"),
        ("expire", "-1", "never"),
        ("expire", "1h", "1h"),
        ("expiration", "week", "7d"),
        ("expiration", "soon", "soon"),
    ] {
        let form = build(&[("file", b"a"), (name, value.as_bytes())]).unwrap();
        assert_eq!(
            form.options.get("expires"),
            Some(expected.as_bytes()),
            "{name}={value}"
        );
    }
}

/// Returns the form of these files, and its archive.
fn files(files: &[(&str, &[u8])]) -> Result<(SaveForm<'static>, Vec<String>), RequestError> {
    let mut builder = Builder::default();
    for (name, value) in files {
        let file = Field::named("file");
        builder.add(
            "file",
            file,
            value.to_vec().into(),
            Some((*name).to_owned()),
        )?;
    }
    let form = builder.finish(Origin::Terminal)?.single()?;
    let archive = Archive::of(&form.content)
        .and_then(Result::ok)
        .unwrap_or_default();
    let names = archive
        .files()
        .iter()
        .map(|file| file.name.to_string())
        .collect();
    Ok((form, names))
}

#[test]
fn several_files_become_one_archive_and_one_file_stays_as_it_is() {
    let (form, names) = files(&[("a.c", b"x"), ("", b"")]).unwrap();
    assert_eq!((&*form.content, names.len()), (&b"x"[..], 0));
    assert!(form.is_file && form.options.get("filename") == Some(b"a.c"));
    let (form, names) = files(&[("a.c", b"x"), ("d/b.log", b""), ("-", b"y"), ("", b"z")]).unwrap();
    assert_eq!(names, ["a.c", "d/b.log", "3.txt", "4.txt"]);
    assert!(form.is_file && form.options.get("filename").is_none());
    // A name that no file of an archive can have
    let (_, names) = files(&[
        ("C:\\tmp\\a\nb.txt", b"x"),
        ("/etc/c", b"y"),
        ("../d", b"z"),
    ])
    .unwrap();
    assert_eq!(names, ["a b.txt", "c", "d"]);
}

#[test]
fn files_that_cannot_be_one_paste_are_refused() {
    let long = "n".repeat(101);
    let many: Vec<_> = (0..65).map(|n| n.to_string()).collect();
    let many: Vec<_> = many.iter().map(|name| (&**name, &b"x"[..])).collect();
    for (sent, error) in [
        (
            &[("a", &b"x"[..]), ("d/../a", b"y")][..],
            ArchiveError::Conflict,
        ),
        (&[("a", b"x"), ("a/b", b"y")], ArchiveError::Conflict),
        (&[("a", b"x"), (&long, b"y")], ArchiveError::Name),
        (&many, ArchiveError::TooMany),
    ] {
        assert_eq!(files(sent).err(), Some(RequestError::Files(error)));
    }
    assert_eq!(files(&[("a", b"")]).err(), Some(RequestError::NoContent));
    // A text beside a file is refused, unless the file is empty
    let both = |file: &'static [u8]| {
        let mut builder = Builder::default();
        let name = Some("a".to_owned());
        builder.add("file", Field::named("file"), file.into(), name)?;
        builder.add("content", Field::named("content"), b"b"[..].into(), None)?;
        builder
            .finish(Origin::Terminal)?
            .single()
            .map(|form| form.content)
    };
    assert_eq!(both(b"a"), Err(RequestError::SeveralContents));
    assert_eq!(both(b"").as_deref(), Ok(&b"b"[..]));
}
