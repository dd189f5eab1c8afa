//! Specification of archives: what is one, what is none, and why.

use proptest::prelude::*;

use super::*;

/// Returns the archive of these files.
fn archive<'a>(files: &[(&'a str, &'a [u8])]) -> Archive<'a> {
    let mut archive = Archive::default();
    for (name, content) in files {
        let added = archive.add((*name).into(), (*content).into());
        assert_eq!(added, Ok(()), "{name}");
    }
    archive
}

/// Returns a head with its sum, after `change`.
fn head(name: &str, size: usize, change: impl Fn(&mut [u8; BLOCK])) -> [u8; BLOCK] {
    let mut head = head_of(&ArchivedFile {
        name: Cow::Borrowed("x"),
        content: vec![0; size].into(),
    });
    head[0] = 0;
    head[..name.len()].copy_from_slice(name.as_bytes());
    change(&mut head);
    head[148..156].fill(b' ');
    let sum: usize = head.iter().map(|byte| usize::from(*byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    head
}

/// Returns an entry of this type.
fn entry(kind: u8, name: &str, content: &[u8]) -> Vec<u8> {
    let mut bytes = head(name, content.len(), |head| head[156] = kind).to_vec();
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
    bytes
}

/// Returns these entries with an end.
fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = entries.concat();
    bytes.resize(bytes.len() + 2 * BLOCK, 0);
    bytes
}

/// Returns a record of a pax head, which starts with its own length.
fn record(key: &str, value: &str) -> String {
    let rest = format!(" {key}={value}\n");
    let length = rest.len() + if rest.len() < 8 { 1 } else { 2 };
    format!("{length}{rest}")
}

fn names(bytes: &[u8]) -> Option<Result<Vec<String>, ArchiveError>> {
    let name = |file: &ArchivedFile<'_>| file.name.clone().into_owned();
    let names = |archive: Archive<'_>| archive.files().iter().map(name).collect();
    Archive::of(bytes).map(|archive| archive.map(names))
}

#[test]
fn the_files_of_an_archive_are_those_that_were_added() {
    let long = "n".repeat(100);
    let files: [(&str, &[u8]); 4] = [
        ("main.rs", b"fn main() {}\n"),
        ("./docs/\u{e9}.md", b""),
        (&long, &[7; 512]),
        ("a b\u{202e}", b"\xff\0"),
    ];
    let bytes = archive(&files).to_bytes();
    assert_eq!(bytes.len() % BLOCK, 0);
    let read = Archive::of(&bytes).expect("an archive").expect("of files");
    let read: Vec<(&str, &[u8])> = read
        .files()
        .iter()
        .map(|file| (&*file.name, &*file.content))
        .collect();
    assert_eq!(read[1], ("docs/\u{e9}.md", &b""[..]));
    assert_eq!((read[0], read[2], read[3]), (files[0], files[2], files[3]));
}

#[test]
fn what_tar_does_not_make_is_no_archive() {
    let bytes = archive(&[("a", b"b")]).to_bytes();
    let mut wrong_sum = bytes.clone();
    wrong_sum[0] = b'b';
    let mut no_mark = bytes.clone();
    no_mark[257] = b'U';
    for none in [
        &b""[..],
        b"a text",
        &bytes[..511],
        &wrong_sum,
        &no_mark,
        &[0; 2048],
    ] {
        assert_eq!(Archive::of(none), None);
    }
}

#[test]
fn a_name_is_a_relative_path_of_at_most_100_bytes() {
    for name in [
        "",
        ".",
        "..",
        "/etc/passwd",
        "../a",
        "a/../b",
        "a//b",
        "a/",
        "./",
        "a/./b",
        "a\nb",
        "a\0",
        &"n".repeat(101),
        &"\u{e9}".repeat(51),
    ] {
        let added = Archive::default().add(name.into(), b"x"[..].into());
        assert_eq!(added, Err(Name), "{name:?}");
    }
}

#[test]
fn no_name_occurs_twice_or_is_a_folder_of_another() {
    for (first, second) in [
        ("a", "a"),
        ("a", "./a"),
        ("a", "a/b"),
        ("a/b", "a"),
        ("a/b/c", "a"),
    ] {
        let mut archive = archive(&[(first, b"")]);
        let added = archive.add(second.into(), b""[..].into());
        assert_eq!(added, Err(Conflict), "{first} {second}");
    }
    archive(&[("a", b""), ("ab", b""), ("b/a", b""), ("A", b"")]);
}

#[test]
fn an_archive_has_one_to_64_files() {
    let folders = vec![entry(b'5', "d/", b""); 100];
    assert_eq!(names(&tar(&folders)), Some(Err(Empty)));
    assert_eq!(
        names(&tar(&[entry(b'x', "", record("mtime", "1").as_bytes())])),
        Some(Err(Empty))
    );
    let many = |count| {
        let files = (0..count).map(|n| entry(b'0', &format!("d/{n}"), b"x"));
        tar(&folders.iter().cloned().chain(files).collect::<Vec<_>>())
    };
    assert!(names(&many(64)).is_some_and(|names| names.is_ok_and(|names| names.len() == 64)));
    assert_eq!(names(&many(65)), Some(Err(TooMany)));
}

#[test]
fn links_devices_and_other_special_files_make_it_no_archive() {
    for kind in *b"12346 7SDMVK" {
        let special = tar(&[entry(b'0', "a", b"x"), entry(kind, "b", b"")]);
        assert_eq!(names(&special), Some(Err(Special)), "{}", kind as char);
    }
    let sparse = entry(b'x', "", record("GNU.sparse.major", "1").as_bytes());
    assert_eq!(
        names(&tar(&[sparse, entry(b'0', "a", b"x")])),
        Some(Err(Special))
    );
}

#[test]
fn a_head_of_pax_has_a_name_and_a_size_and_all_else_is_skipped() {
    // Given a file whose own head has a short name and no size
    let path = "d".repeat(50) + "/\u{e9}";
    let pax = [
        record("path", &path),
        record("mtime", "1.5"),
        record("size", "3"),
    ]
    .concat();
    let file = [
        &entry(b'0', "short", b"")[..],
        &entry(0, "", b"abc")[BLOCK..],
    ]
    .concat();
    let global = entry(
        b'g',
        "pax_global_header",
        record("comment", "of git").as_bytes(),
    );
    let pax = entry(b'x', "PaxHeaders/short", pax.as_bytes());
    // Then those of the head before it hold for it, and for no other file
    let bytes = tar(&[global, pax, file, entry(b'0', "b", b"")]);
    assert_eq!(names(&bytes), Some(Ok(vec![path, "b".to_owned()])));
    let archive = Archive::of(&bytes).expect("an archive").expect("of files");
    assert_eq!(&*archive.files()[0].content, b"abc");
    // And a name for all files is refused
    let global = entry(b'g', "", record("path", "a").as_bytes());
    let bytes = tar(&[global, entry(b'0', "b", b"")]);
    assert_eq!(names(&bytes), Some(Err(Name)));
}

#[test]
fn a_record_of_pax_that_does_not_end_where_it_says_is_damaged() {
    let long = "9".repeat(20) + " a=b\n";
    for records in [
        "5 a=b\n", "7 a=b\n", "0 a=b\n", "x a=b\n", "6 a=b\n6", &long, "+6 a=b\n", "6 abc\n",
    ] {
        let bytes = tar(&[entry(b'x', "", records.as_bytes()), entry(b'0', "a", b"")]);
        assert_eq!(names(&bytes), Some(Err(Damaged)), "{records:?}");
    }
}

#[test]
fn a_name_of_posix_may_be_in_two_parts_and_that_of_gnu_is_in_one() {
    let in_parts = |mark: &[u8]| {
        let bytes = head("b", 0, |head| {
            head[257..257 + mark.len()].copy_from_slice(mark);
            head[345..348].copy_from_slice(b"d/a");
        });
        names(&tar(&[bytes.to_vec()]))
    };
    assert_eq!(in_parts(b"ustar\x0000"), Some(Ok(vec!["d/a/b".to_owned()])));
    assert_eq!(in_parts(b"ustar  \0"), Some(Ok(vec!["b".to_owned()])));
    let long = tar(&[
        entry(b'L', "././@LongLink", &[b'n'; 120]),
        entry(b'0', "n", b"x"),
    ]);
    assert_eq!(names(&long), Some(Err(Name)));
}

#[test]
fn a_damaged_or_cut_archive_is_none() {
    let whole = archive(&[("a", &[b'x'; 700]), ("b", b"y")]).to_bytes();
    for (bytes, why) in [
        (whole[..whole.len() - 2 * BLOCK].to_vec(), "no end"),
        (whole[..2 * BLOCK].to_vec(), "a cut content"),
        ([&whole[..], b"x"].concat(), "bytes behind the end"),
        (
            [&whole[..whole.len() - BLOCK], &[1; BLOCK]].concat(),
            "half an end",
        ),
    ] {
        assert_eq!(names(&bytes), Some(Err(Damaged)), "{why}");
    }
    for size in [
        &b"\x80\0\0\0\0\0\0\0\0\0\0\x03"[..],
        b"00000000008\0",
        b"-0000000001\0",
        b"77777777777\0",
        b"            ",
    ] {
        let bytes = head("a", 0, |head| head[124..136].copy_from_slice(size));
        assert_eq!(
            names(&tar(&[bytes.to_vec()])),
            Some(Err(Damaged)),
            "{size:?}"
        );
    }
    let latin_1 = head("a", 0, |head| head[1] = 0xe9);
    assert_eq!(names(&tar(&[latin_1.to_vec()])), Some(Err(Name)));
}

proptest! {
    #[test]
    fn any_files_come_back(files in prop::collection::btree_map("[a-z]{1,9}(/[ -~\u{a0}-\u{17f}]{1,9})?", prop::collection::vec(any::<u8>(), 0..1500), 1..9)) {
        let mut archive = Archive::default();
        for (name, content) in &files {
            let _refused = archive.add(name.into(), content.into());
        }
        let bytes = archive.to_bytes();
        prop_assert_eq!(Archive::of(&bytes), (!archive.files.is_empty()).then_some(Ok(archive)));
    }

    #[test]
    fn no_bytes_panic(changes in prop::collection::vec((0_usize..3000, any::<u8>()), 0..9), cut in 0_usize..5000) {
        let mut bytes = tar(&[entry(b'x', "p", b"9 path=a\n10 size=3\n"), entry(b'0', "a", b"abc")]);
        for (at, byte) in changes {
            let length = bytes.len();
            bytes[at % length] = byte;
            // The sums of both heads stay right.
            for start in [0, 2 * BLOCK] {
                let mut head: [u8; BLOCK] = bytes[start..start + BLOCK].try_into().expect("a head");
                head[148..156].fill(b' ');
                let sum: usize = head.iter().map(|byte| usize::from(*byte)).sum();
                bytes[start + 148..start + 156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
            }
        }
        bytes.truncate(cut);
        let _parsed = Archive::of(&bytes);
    }
}
