//! Tests of sealing: which seals open, which do not, and what sealed bytes reveal.

mod fixtures;
mod roundtrips;

use super::*;
use crate::fairness::ClientKey;
use crate::paste::{
    Access, Charset, Content, Deadline, Draft, Expiry, Language, PasteData, Reads, ReadsLeft,
    Revision, StoredPaste, Timestamp, Title, Token, TokenHash,
};

const SEQ: u64 = 7;

fn keys() -> Keys {
    Keys::new(&[1; 32])
}

fn nonce() -> Nonce {
    Nonce(Hidden([2; NONCE]))
}

fn id() -> PasteId {
    PasteId::from_random(*b"paste id")
}

fn accesses() -> Vec<Access> {
    let left = |reads| ReadsLeft::new(reads).expect("1 to 100");
    vec![
        Access::Open,
        Access::Link,
        Access::Burn(left(1)),
        Access::Burn(left(100)),
        Access::Locked(None),
        Access::Locked(Some(left(3))),
    ]
}

/// The record of a paste that [`paste`] makes.
fn record(access: Access) -> Record {
    Record {
        key: keys().row_key(id()),
        client: ClientKey {
            network: u64::from_le_bytes(*b"network!"),
            client: u64::from_le_bytes(*b"a client"),
        },
        revision: Revision::from_random(*b"revision"),
        deadline: Deadline::from_millis(1_800_000_604_800_000),
        access,
        saved: Timestamp::from_millis(1_800_000_000_000),
    }
}

fn paste(content: &[u8], title: &str, language: Option<Language>, access: Access) -> PasteData {
    let bytes = match access {
        Access::Locked(_) => Content::encrypted(content),
        Access::Open | Access::Link | Access::Burn(_) => {
            let content = Content::new(content, usize::MAX).expect("not empty");
            content.with_charset(|| Charset::named("koi8-r"))
        }
    };
    let draft = Draft {
        slug: None,
        content: bytes,
        title: Title::new(title),
        language,
        expiry: Expiry::Never,
    };
    let record = record(access);
    let saved = Timestamp::from_millis(1_800_000_000_000);
    let paste = StoredPaste::new(draft, access, record.revision, saved, token());
    let mut paste = paste.into_data();
    paste.deadline = record.deadline;
    paste
}

fn token() -> TokenHash {
    Token::from_random(*b"a token, sixteen").hash()
}

fn rust() -> Option<Language> {
    Language::from_name("rust")
}

/// Everything of a paste that can be compared.
fn parts(paste: &PasteData) -> impl PartialEq + fmt::Debug + use<> {
    let numbers = [
        paste.saved().as_millis(),
        paste.deadline.as_millis(),
        paste.revision.bits(),
    ];
    let language = paste.language.map_or("", Language::name);
    let (title, token) = (paste.title.clone(), *paste.token.bytes());
    (
        paste.bytes.clone(),
        paste.encoding,
        title,
        language,
        token,
        numbers,
        paste.access,
    )
}

fn reads(minutes: impl IntoIterator<Item = u64>) -> Reads {
    let mut reads = Reads::default();
    for minute in minutes {
        reads.count(Timestamp::from_millis(minute * 60_000));
    }
    reads
}

/// Asserts that no sealed bytes with one flipped bit open.
#[track_caller]
fn every_flipped_bit_is_damage<T>(sealed: &[u8], open: impl Fn(&[u8]) -> Result<T, UnsealError>) {
    assert!(open(sealed).is_ok());
    for bit in 0..sealed.len() * 8 {
        let mut flipped = sealed.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(
            open(&flipped).err(),
            Some(UnsealError::Damaged),
            "bit {bit}"
        );
    }
    for length in 0..sealed.len() {
        assert_eq!(
            open(&sealed[..length]).err(),
            Some(UnsealError::Damaged),
            "{length} bytes"
        );
    }
}

/// Asserts that these bytes are nowhere in a sealed part.
#[track_caller]
fn hides(sealed: &[u8], secret: &[u8]) {
    assert!(
        !sealed.windows(secret.len()).any(|window| window == secret),
        "{secret:?}"
    );
}

#[test]
fn changed_bytes_are_damage_and_never_another_value() {
    let keys = keys();
    let record = record(Access::Open);
    let paste = paste(&[b'x'; 5000], "title", rust(), Access::Open);
    let content = keys.seal_paste(id(), &paste, nonce());
    let counts = keys.seal_counts(record.key, 3, &reads([1, 70]), nonce());
    every_flipped_bit_is_damage(&record.seal(&keys, SEQ, nonce()), |sealed| {
        Record::open(&keys, SEQ, sealed)
    });
    every_flipped_bit_is_damage(&content, |sealed| keys.open_paste(id(), &record, sealed));
    every_flipped_bit_is_damage(&counts, |sealed| keys.open_counts(record.key, sealed));
}

#[test]
fn bytes_do_not_open_in_another_place_or_under_another_secret() {
    let (keys, other_keys) = (keys(), Keys::new(&[3; 32]));
    let record = record(Access::Open);
    let sealed = record.seal(&keys, SEQ, nonce());
    assert_eq!(
        Record::open(&keys, SEQ + 1, &sealed),
        Err(UnsealError::Damaged)
    );
    assert_eq!(
        Record::open(&other_keys, SEQ, &sealed),
        Err(UnsealError::Damaged)
    );

    let content = keys.seal_paste(id(), &paste(b"text", "", rust(), Access::Open), nonce());
    let other_id = PasteId::from_random(*b"other id");
    let other_revision = Record {
        revision: Revision::default(),
        ..record
    };
    for (opened, what) in [
        (keys.open_paste(other_id, &record, &content), "another id"),
        (
            keys.open_paste(id(), &other_revision, &content),
            "another revision",
        ),
        (
            other_keys.open_paste(id(), &record, &content),
            "another secret",
        ),
        (keys.open_paste(id(), &record, &sealed), "a record"),
    ] {
        assert_eq!(opened.err(), Some(UnsealError::Damaged), "{what}");
    }
    let counts = keys.seal_counts(record.key, 3, &reads([1]), nonce());
    for opened in [
        keys.open_counts(RowKey(0), &counts),
        other_keys.open_counts(record.key, &counts),
        keys.open_counts(record.key, &sealed),
    ] {
        assert_eq!(opened.err(), Some(UnsealError::Damaged));
    }
}

#[test]
fn sealed_bytes_show_neither_text_nor_title_nor_token_nor_language_nor_client() {
    let keys = keys();
    for content in [&b"a needle in the text"[..], &[b'n'; 4096]] {
        let paste = paste(content, "a needle in the title", rust(), Access::Open);
        let sealed = keys.seal_paste(id(), &paste, nonce());
        for secret in [
            &content[..20],
            b"a needle in the title",
            b"rust",
            token().bytes(),
            b"paste id",
        ] {
            hides(&sealed, secret);
        }
    }
    let sealed = record(Access::Open).seal(&keys, SEQ, nonce());
    let row_key = keys.row_key(id()).0.to_le_bytes();
    for secret in [&b"network!"[..], b"a client", b"noisiver", &row_key] {
        hides(&sealed, secret);
    }
    assert_eq!(
        format!("{keys:?} {:?}", nonce()),
        "Keys(secret) Nonce(secret)"
    );
}

#[test]
fn a_newer_version_is_refused_as_newer_and_not_as_damage() {
    let keys = keys();
    let format = Format(b"tidebin record\0\0");
    let sealed = format.seal(&keys.records, [SEQ, 0], nonce(), 99, |part| {
        part[NONCE] = 2;
        part.extend_from_slice(&[0; 99]);
    });
    let error = Record::open(&keys, SEQ, &sealed).expect_err("version 2");
    assert_eq!(error, UnsealError::Newer(2));
    assert_eq!(
        error.to_string(),
        "a newer version of tidebin wrote it (format 2): start that version"
    );
}

#[test]
fn a_length_that_the_compressed_bytes_cannot_have_is_not_allocated() {
    let keys = keys();
    let (record, format) = (record(Access::Open), Format(b"tidebin content\0"));
    let empty_block = [3, 0];
    for length in [0u32, 1, 2065, 1 << 30, u32::MAX] {
        let fields = [
            &[3][..],
            &[0; 24],
            &[0, 0, 0],
            &length.to_le_bytes(),
            &empty_block,
        ];
        let numbers = [record.key.0, record.revision.bits()];
        let sealed = format.seal(&keys.of_content(id()), numbers, nonce(), 0, |part| {
            part.extend(fields.concat());
        });
        let opened = keys.open_paste(id(), &record, &sealed);
        assert_eq!(opened.err(), Some(UnsealError::Damaged), "{length}");
    }
}

#[test]
fn row_keys_and_fingerprints_depend_on_the_secret() {
    let (keys, other) = (keys(), Keys::new(&[3; 32]));
    assert_eq!(keys.row_key(id()), self::keys().row_key(id()));
    assert_ne!(keys.row_key(id()), other.row_key(id()));
    assert_ne!(
        keys.row_key(id()),
        keys.row_key(PasteId::from_random(*b"other id"))
    );
    assert_ne!(keys.fingerprint(), other.fingerprint());
}

#[test]
fn two_nonces_are_not_equal() {
    let random = || Nonce::random().expect("random bytes");
    assert_ne!(random().0, random().0);
}
