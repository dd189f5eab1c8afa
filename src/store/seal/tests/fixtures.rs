//! Sealed bytes of every version that was released. They must open for ever.

use super::*;
use crate::paste::OwnerId;
use crate::paste::{Outline, Summary};

/// Version 1, under the root key `[1; 32]`.
const RECORD_1: &str = "02020202020202020202020202020202020202020202020224d02d380ea27f879a3c3a90ca1ba9bbe5fa84ab\
    72b13e5a286b3e2a6c2f3b6d9bae08acad68859a6b7f7d05293019f66296c0f314a6847c87d513";
const CONTENT_1: &str = "0202020202020202020202020202020202020202020202021be9ab96ae0c3116c0fb90ebdf136cdd68b39249\
    5a0264296728229ae4d154c96e8bea2c39378512b75c9ccabe2130575eddb31e49020648a27b0d456a57fcbdf157893a";
const COMPRESSED_1: &str = "0202020202020202020202020202020202020202020202021bebab96ae0c3116c0fb90ebdf136cdd68b39\
    2495a0264296728229ae4d154ce6e2e8b4557b2ef47d1322f8aa273d70f9c622165b65f9dba354a";
const COUNTS_1: &str = "0202020202020202020202020202020202020202020202023661adf473386bb14087639406f4c99f577b67ed\
    e0389e90346cfab86571c9905a8e46c0c5ffc2bb5ba9a2386ce0a21c";

const OWNER_1: &str = "bed111f6feceb79ab4d055f392c55ba7";
const OWNED_ID_1: &str = "020202020202020202020202020202020202020202020202f31d77962f86f1cece1c398c9867bfdbd7c4\
    47f14c8e2a64d8";
const SUMMARY_1: &str = "0202020202020202020202020202020202020202020202028650c10a9acfbd81223c8ced9b3a43e2e4df\
    ec2abadc65df7d4a683ec3f872d7de2fc756f567d6e18f8a34941bf4770b";
const OUTLINED_1: &str = "0202020202020202020202020202020202020202020202028650c10a9acfbd81223c9aed9b3a43e2e4df\
    e858cfab63ad0e530e57cbb820d06b0cb3c823c79d6fafb807e7e4d5ac951a2d454643362a746f2d6ab4\
    ad5f19f9926f";
const OWNED_1: &str = "0202020202020202020202020202020202020202020202021bedab96ae0c3116c0fb90ebdf136cdd68b3\
    92495a026429672868af282109ec795cd673f173c3aa1914b8d5aa3b2a787790a90ad47bd1ace1ef1fee\
    87835097ae9dcc02cd9154e8c60a4ef5f743bbe7f3ae6e71";

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |digit: u8| {
        char::from(digit)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    hex.as_bytes()
        .chunks(2)
        .map(|pair| digit(pair[0]).unwrap() << 4 | digit(pair[1]).unwrap())
        .collect()
}

#[test]
fn version_1_of_the_row_key_and_the_fingerprint_never_changes() {
    let keys = keys();
    assert_eq!(keys.row_key(id()), RowKey(0xa8e8_608b_f636_f782));
    assert_eq!(
        keys.fingerprint().to_vec(),
        bytes("adf96781652f034fff89f0a47e7100c4")
    );
}

#[test]
fn version_1_of_a_record_opens() {
    let left = ReadsLeft::new(3).expect("1 to 100");
    let opened = Record::open(&keys(), SEQ, &bytes(RECORD_1));
    // It had no time yet.
    let saved = Timestamp::default();
    let expected = Record {
        saved,
        ..record(Access::Locked(Some(left)))
    };
    assert_eq!(opened, Ok(expected));
}

#[test]
fn version_1_of_a_content_opens() {
    for (sealed, content, title) in [
        (CONTENT_1, &b"fn main() {}"[..], "main.rs"),
        (COMPRESSED_1, &[b'x'; 200], ""),
    ] {
        let opened = keys()
            .open_paste(id(), &record(Access::Open), &bytes(sealed))
            .unwrap();
        assert_eq!(
            parts(&opened),
            parts(&paste(content, title, rust(), Access::Open))
        );
    }
}

#[test]
fn version_1_of_an_owned_id_and_a_summary_opens() {
    let (keys, owner) = (keys(), OwnerId::of_secret("tbo_0123456789abcdefABCDEF"));
    assert_eq!(keys.owner_tag(&owner).to_vec(), bytes(OWNER_1));
    let opened = keys.open_owned_id(&owner, keys.row_key(id()), &bytes(OWNED_ID_1));
    assert_eq!(opened, Ok(id()));
    let revision = record(Access::Open).revision;
    let opened = keys.open_summary(id(), revision, &bytes(SUMMARY_1));
    let paste = paste(b"fn main() {}", "main.rs", rust(), Access::Open);
    assert_eq!(opened, Ok(Summary::of(&paste)));
}

#[test]
fn the_content_of_a_paste_with_an_owner_opens() {
    let opened = keys().open_paste(id(), &record(Access::Open), &bytes(OWNED_1));
    let opened = opened.unwrap();
    let owner = OwnerId::of_secret("tbo_0123456789abcdefABCDEF").hash();
    assert!(opened.owned.as_ref().is_some_and(|owned| owned.by == owner));
    let paste = paste(b"fn main() {}", "main.rs", rust(), Access::Open);
    assert_eq!(parts(&opened), parts(&paste));
}

#[test]
fn version_1_of_counts_opens() {
    let (total, opened) = keys()
        .open_counts(keys().row_key(id()), &bytes(COUNTS_1))
        .unwrap();
    assert_eq!(
        (total, opened.counts()),
        (4, reads([1, 2, 70, 3000]).counts())
    );
}

#[test]
fn version_1_of_a_summary_with_an_outline_opens() {
    let revision = record(Access::Open).revision;
    let opened = keys().open_summary(id(), revision, &bytes(OUTLINED_1));
    let outline = Outline {
        language: rust(),
        name: Title::new("fn tide"),
        line: Title::new("use std::fs;"),
    };
    let content = b"use std::fs;\n\nfn tide() {}";
    let summary = Summary {
        outline: Some(outline),
        ..Summary::of(&paste(content, "", None, Access::Open))
    };
    assert_eq!(opened, Ok(summary));
}
