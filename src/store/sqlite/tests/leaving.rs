//! Removed bytes leave all files: no file ever shows a content as it is, and a sealed content that is no longer served
//! is gone from the database and from the WAL within a minute.

use super::*;

/// How a content ceases to be served.
#[derive(Debug, Clone, Copy)]
enum Way {
    Deleted,
    Burned,
    Expired,
    Changed,
    Evicted,
}

const WAYS: [Way; 5] = [
    Way::Deleted,
    Way::Burned,
    Way::Expired,
    Way::Changed,
    Way::Evicted,
];

/// Contents of these sizes share a page with others, and take a chain of pages.
const SIZES: [usize; 2] = [300, 20_000];

const NEEDLE: &[u8] = b"a needle in the hay";

/// A content that begins and ends with the needle and does not become smaller by compression.
fn content(size: usize, salt: u64) -> Vec<u8> {
    let mut random = salt | 1;
    let mut content = NEEDLE.to_vec();
    content.resize_with(size - NEEDLE.len(), || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random.to_le_bytes()[3]
    });
    [&content, NEEDLE].concat()
}

/// The bytes of all files of a data directory.
struct Files(Vec<u8>);

impl Files {
    fn of(driven: &Driven) -> Self {
        let files = std::fs::read_dir(driven.directory.path()).unwrap();
        let read = |file: std::io::Result<std::fs::DirEntry>| std::fs::read(file.unwrap().path());
        Self(files.flat_map(|file| read(file).unwrap()).collect())
    }

    fn have(&self, needle: &[u8]) -> bool {
        memchr::memmem::find(&self.0, needle).is_some()
    }

    /// Returns true if a piece of a quarter of these bytes is in a file. The quarters of a long content are in
    /// different pages.
    fn have_some_of(&self, sealed: &[u8]) -> bool {
        let mut quarters = sealed.chunks_exact(sealed.len() / 4);
        quarters.any(|quarter| self.have(&quarter[..64]))
    }
}

/// Returns the sealed content of the latest paste, as it is in the file.
fn sealed(driven: &Driven) -> Vec<u8> {
    let select = "SELECT content FROM body ORDER BY seq DESC LIMIT 1";
    let database = driven.database();
    database.query_row(select, [], |row| row.get(0)).unwrap()
}

impl Way {
    fn access(self) -> Access {
        match self {
            Self::Burned => burn(1),
            _ => Access::Open,
        }
    }

    /// Lets the paste with the id 0 go this way.
    fn take(self, driven: &Driven) {
        let now = driven.now();
        match self {
            Self::Deleted => driven.remove(id(0), Reason::Deleted).unwrap(),
            Self::Burned => assert_eq!(driven.consume(id(0)), Ok(Some(0))),
            Self::Expired => driven.advance(3600),
            Self::Changed => {
                let change = Change {
                    content: Content::new(b"other", 5).ok(),
                    ..Change::default()
                };
                driven.update(id(0), &change, 2).unwrap();
            }
            Self::Evicted => {
                let mut fillers = 1..;
                while driven.store().removal_counts().evicted == 0 {
                    let number = fillers.next().unwrap();
                    let filler = content(500_000, number);
                    let filler = paste(&filler, Access::Locked(None), 0, now);
                    driven.save(id(number), filler).unwrap();
                }
                assert_eq!(driven.get(id(0)).map(text), gone(Reason::Evicted));
            }
        }
    }
}

/// A store whose WAL was emptied after its start, with one paste, and the sealed content of that paste.
fn with_paste(way: Way, size: usize) -> (Driven, Vec<u8>) {
    let driven = Driven::on(Directory::new(), 2 << 20);
    pass(&driven, 60);
    let now = driven.now();
    let saved = paste(&content(size, 7), way.access(), 3600, now);
    driven.save(id(0), saved).unwrap();
    let sealed = sealed(&driven);
    (driven, sealed)
}

/// Lets this time pass, while the writer does all due work.
fn pass(driven: &Driven, seconds: u64) {
    for _ in 0..seconds.div_ceil(20) {
        driven.advance(seconds.min(20));
        driven.look_after();
    }
}

#[test]
fn a_content_leaves_every_file_within_a_minute_whichever_way_it_goes() {
    for (way, size) in WAYS.map(|way| SIZES.map(|size| (way, size))).concat() {
        // Given a paste
        let (driven, sealed) = with_paste(way, size);
        let files = Files::of(&driven);
        assert!(files.have_some_of(&sealed), "{way:?} {size}");
        assert!(!files.have(NEEDLE) && !files.have(b"a title"));
        // When its content ceases to be served, and a minute passes
        way.take(&driven);
        pass(&driven, 60);
        // Then not even a piece of its sealed bytes is in a file
        assert!(!Files::of(&driven).have_some_of(&sealed), "{way:?} {size}");
        assert!(!driven.store().has_failed());
    }
}

#[test]
fn a_content_that_a_reader_holds_in_the_wal_leaves_soon_after_that_reader_ends() {
    for (way, size) in WAYS.map(|way| SIZES.map(|size| (way, size))).concat() {
        // Given a paste, and a backup or another reader that has started to read the database
        let (driven, sealed) = with_paste(way, size);
        let reader = driven.database();
        let begin = "BEGIN; SELECT count(*) FROM body";
        reader.execute_batch(begin).unwrap();
        // When the content ceases to be served, and a minute passes
        way.take(&driven);
        pass(&driven, 60);
        // Then its sealed bytes are still there, since the reader may need them
        assert!(Files::of(&driven).have_some_of(&sealed), "{way:?} {size}");
        // And ten seconds after the reader has ended, they are gone. One attempt may meet the checkpointer.
        drop(reader);
        for _ in 0..10 {
            pass(&driven, 1);
        }
        assert!(!Files::of(&driven).have_some_of(&sealed), "{way:?} {size}");
    }
}
