//! Tests that opened values are those that were sealed.

use proptest::prelude::*;

use super::*;

#[test]
fn a_record_opens_as_it_was_for_every_access() {
    let keys = keys();
    for access in accesses() {
        for deadline in [Deadline::NEVER, Deadline::from_millis(5)] {
            let record = Record {
                deadline,
                ..record(access)
            };
            let sealed = record.seal(&keys, SEQ, nonce());
            assert_eq!(sealed.len(), Record::SEALED);
            assert_eq!(Record::open(&keys, SEQ, &sealed), Ok(record));
        }
    }
}

#[test]
fn a_content_is_compressed_only_if_it_fits_into_no_page_and_becomes_smaller() {
    let keys = keys();
    let overhead = |language: Option<Language>| 41 + 28 + language.map_or(0, |it| it.name().len());
    let random: Vec<u8> = (0..100_000u32)
        .flat_map(|i| i.wrapping_mul(0x9e37_79b1).to_le_bytes())
        .collect();
    let text = "let x = 1;\n".repeat(100_000);
    for (content, access, largest) in [
        (text.as_bytes(), Access::Open, 20_000),
        (&text.as_bytes()[..8192], Access::Open, 400),
        (
            text.as_bytes(),
            Access::Locked(None),
            text.len() + overhead(rust()),
        ),
        (&random[..1000], Access::Open, 1000 + overhead(rust())),
        (b"x", Access::Open, 1 + overhead(rust())),
    ] {
        let paste = paste(content, "", rust(), access);
        let sealed = keys.seal_paste(id(), &paste, nonce());
        assert!(
            sealed.len() <= largest,
            "{} bytes of {}",
            sealed.len(),
            content.len()
        );
        let opened = keys
            .open_paste(id(), &record(access), &sealed)
            .expect("just sealed");
        assert_eq!(parts(&opened), parts(&paste));
    }
    let most = ONE_PAGE - overhead(rust());
    for (bytes, fits) in [(most, true), (most + 1, false)] {
        let paste = paste(&text.as_bytes()[..bytes], "", rust(), Access::Open);
        let sealed = keys.seal_paste(id(), &paste, nonce()).len();
        assert_eq!(
            sealed == bytes + overhead(rust()),
            fits,
            "{sealed} of {bytes}"
        );
    }
}

#[test]
fn a_short_text_is_compressed_where_each_byte_is_charged() {
    let paste = paste(&[b'x'; 1000], "", None, Access::Open);
    let sealed = keys()
        .compressing_short_texts()
        .seal_paste(id(), &paste, nonce());
    assert!(sealed.len() < 200, "{}", sealed.len());
    let opened = keys().open_paste(id(), &record(Access::Open), &sealed);
    assert_eq!(parts(&opened.expect("just sealed")), parts(&paste));
}

#[test]
fn a_content_that_cannot_be_compressed_is_stored_as_it_is_whatever_its_size() {
    let keys = keys();
    let mut state = 1_u64;
    let random: Vec<u8> = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33).to_le_bytes()[0]
    })
    .take(1 << 20)
    .collect();
    for size in [128, 4_062, 65_535, 65_536, 300_000, 1 << 20] {
        let paste = paste(&random[..size], "", None, Access::Open);
        let sealed = keys.seal_paste(id(), &paste, nonce());
        assert_eq!(sealed.len(), size + 41 + 28);
        let opened = keys.open_paste(id(), &record(Access::Open), &sealed);
        assert_eq!(parts(&opened.unwrap()), parts(&paste));
    }
}

#[test]
fn every_language_is_stored_by_its_name() {
    let keys = keys();
    for language in Language::all().map(Some).chain([None]) {
        let paste = paste(b"text", "", language, Access::Open);
        let sealed = keys.seal_paste(id(), &paste, nonce());
        let opened = keys.open_paste(id(), &record(Access::Open), &sealed);
        assert_eq!(opened.map(|paste| paste.language).ok(), Some(language));
    }
}

#[test]
fn an_unknown_language_is_read_as_plain_text_and_no_name_as_none_named() {
    let keys = keys();
    for (language, length, read) in [("klingon", 7, Some(Language::PLAIN)), ("", 0, None)] {
        let fields = [
            &[1][..],
            &[0; 24],
            &[length],
            language.as_bytes(),
            &[0, 0],
            b"text",
        ];
        let format = Format(b"tidebin content\0");
        let record = record(Access::Open);
        let numbers = [record.key.0, record.revision.bits()];
        let sealed = format.seal(&keys.of_content(id()), numbers, nonce(), 0, |part| {
            part.extend(fields.concat());
        });
        let opened = keys
            .open_paste(id(), &record, &sealed)
            .expect("well formed");
        assert_eq!((opened.language, &*opened.bytes), (read, &b"text"[..]));
    }
}

proptest! {
    #[test]
    fn a_paste_opens_as_it_was(
        content in prop::collection::vec(any::<u8>(), 1..600),
        repeated in 1usize..40,
        title in ".{0,300}",
        access in prop::sample::select(accesses()),
    ) {
        let keys = keys();
        let paste = paste(&content.repeat(repeated), &title, rust(), access);
        let sealed = keys.seal_paste(id(), &paste, nonce());
        let opened = keys.open_paste(id(), &record(access), &sealed).expect("just sealed");
        prop_assert_eq!(parts(&opened), parts(&paste));
    }

    #[test]
    fn counts_open_as_they_were(
        pauses in prop::collection::vec(0u64..3000, 0..80),
        total: u32,
        later in 0u64..100_000,
    ) {
        let keys = keys();
        let minutes = pauses.iter().scan(0, |now, pause| { *now += pause; Some(*now) });
        let reads = reads(minutes);
        let key = RowKey(7);
        let sealed = keys.seal_counts(key, total, &reads, nonce());
        let (opened_total, mut opened) = keys.open_counts(key, &sealed).expect("just sealed");
        prop_assert_eq!((opened_total, opened.counts()), (total, reads.counts()));
        // And counting goes on as without the restart.
        let now = Timestamp::from_millis((pauses.iter().sum::<u64>() + later) * 60_000);
        let mut reads = reads;
        reads.count(now);
        opened.count(now);
        prop_assert_eq!(opened.counts(), reads.counts());
    }
}
