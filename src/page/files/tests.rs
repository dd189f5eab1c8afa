//! Specification of the files of an archive on a page.

use std::borrow::Cow;

use super::*;
use crate::paste::{Access, Content, Draft, Expiry, Revision, StoredPaste, Timestamp, TokenHash};

/// Returns a paste of these files.
fn paste(files: &[(&str, Cow<'_, [u8]>)]) -> Paste {
    let mut archive = Archive::default();
    for (name, content) in files {
        let added = archive.add((*name).into(), content.clone());
        assert_eq!(added, Ok(()), "{name}");
    }
    let draft = Draft {
        slug: None,
        content: Content::new(&archive.to_bytes(), usize::MAX).expect("not empty"),
        title: None,
        language: None,
        expiry: Expiry::Never,
    };
    let (revision, token) = (Revision::default(), TokenHash::of(""));
    StoredPaste::new(draft, Access::Open, revision, Timestamp::default(), token).into_paste()
}

fn shown(paste: &Paste, is_out_of_time: bool) -> (Rendered, Vec<String>) {
    let is_over = || is_out_of_time;
    let budget = TimeBudget::until(&is_over);
    let rendered = render(paste, RenderKey::new(None, false), Some(budget), &|_| None);
    let Body::Files(files) = &rendered.fragment.body else {
        panic!("an archive");
    };
    let kind = |file: &ShownFile| file.fragment.as_ref().map_or("a link", |it| it.kind);
    let kinds = files.iter().map(kind).map(str::to_owned).collect();
    (rendered, kinds)
}

fn html(rendered: Rendered) -> String {
    let Body::Files(files) = rendered.fragment.body else {
        panic!("an archive");
    };
    let fragments = files.into_iter().filter_map(|file| file.fragment);
    let html = fragments.map(|mut it| it.body.html_mut().cloned().unwrap_or_default());
    html.collect()
}

#[test]
fn each_file_is_shown_as_it_would_be_alone() {
    let paste = paste(&[
        ("main.rs", b"fn main() {}\n"[..].into()),
        ("README.md", b"# Tide\n"[..].into()),
        ("t.csv", b"a,b\n1,2\n"[..].into()),
        ("pixel", b"\x89PNG\r\n\x1a\n\0"[..].into()),
        ("empty", b""[..].into()),
        ("nested.tar", Archive::default().to_bytes().into()),
    ]);
    let (rendered, kinds) = shown(&paste, false);
    assert_eq!(kinds[..3], ["Rust", "Markdown", "CSV"]);
    assert!(rendered.fragment.note.is_none() && !rendered.may_improve());
    let name = rendered.name.map(|name| name.text);
    assert_eq!(name.as_deref(), Some("main.rs and 5 more"));
    assert!(
        rendered
            .description
            .starts_with("main.rs, README.md, t.csv")
    );
}

#[test]
fn no_two_files_share_an_id_and_links_lead_to_other_files() {
    let text = "# A\n[up](../b%20c.rs) [here](#a) [none](../no.md) [over](../../b) ![i](x.png) [/](/d/x.png#L1)\n";
    let paste = paste(&[
        ("d/a.md", text.as_bytes().into()),
        ("b c.rs", b"a\n\" id=\"L1\n"[..].into()),
        ("d/x.png", b"c"[..].into()),
    ]);
    let html = html(shown(&paste, false).0);
    for (part, count) in [
        ("id=\"f1-h-a\"", 1),
        ("href=\"#f1-h-a\"", 2),
        ("id=\"f2-L1\"", 1),
        ("id=\"f2-L2\"", 1),
        ("id=\"f3-L1\"", 1),
        ("href=\"#file-b%20c.rs\"", 1),
        ("href=\"#file-d/x.png\"", 1),
        (" id=\"L1", 0),
    ] {
        assert_eq!(html.matches(part).count(), count, "{part} in {html}");
    }
    assert!(!html.contains("no.md") && !html.contains("../"), "{html}");
}

#[test]
fn files_that_do_not_fit_or_come_too_late_are_links() {
    let lines = |count| "x\n".repeat(count).into_bytes().into();
    let many = paste(&[
        ("a", lines(12_000)),
        ("b", lines(12_000)),
        ("c", lines(10)),
        ("d", vec![b'x'; 5 << 20].into()),
    ]);
    let (rendered, kinds) = shown(&many, false);
    assert_eq!(kinds, ["Plain text", "a link", "Plain text", "a link"]);
    let note = rendered.fragment.note.unwrap_or_default();
    assert!(note.starts_with("Not all files are shown"), "{note}");
    // Without time, all of them are, and the next attempt may be better.
    let (rendered, kinds) = shown(&many, true);
    assert_eq!(kinds, ["a link"; 4]);
    assert!(rendered.may_improve());
    // Without a turn, too
    let plain = render(&many, RenderKey::new(None, false), None, &|_| None);
    assert!(plain.may_improve() && plain.fragment.note.is_some());
}

#[test]
fn an_archive_with_a_link_is_shown_as_bytes_and_says_why() {
    let mut bytes = paste(&[("a", b"x"[..].into())]).bytes().to_vec();
    bytes[156] = b'2';
    bytes[148..156].fill(b' ');
    let sum: usize = bytes[..512].iter().map(|byte| usize::from(*byte)).sum();
    bytes[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let whole = paste(&[("x", bytes.into())]);
    let archive = whole.archive().and_then(Result::ok).unwrap_or_default();
    let linked = whole.file(&archive.files()[0]);
    let budget = TimeBudget::until(&|| false);
    let rendered = render(&linked, RenderKey::new(None, false), Some(budget), &|_| {
        None
    });
    let note = rendered.fragment.note.unwrap_or_default();
    let why = "This archive is not shown as files: it has a link or another special file.";
    assert!(note.starts_with(why), "{note}");
}
