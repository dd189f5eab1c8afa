//! A full disk: some operations still work, and saves work again once there is space.

use std::fs::File;
use std::io::Write;
use std::process::Command;

use super::*;

/// A file system of this many MiB, which is mounted on a directory until the test ends.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(directory: &Directory, mib: usize) -> Self {
        let path = directory.path().to_owned();
        let size = format!("size={mib}m");
        let mut mount = Command::new("mount");
        let mount = mount
            .args(["-t", "tmpfs", "-o", &size, "tidebin"])
            .arg(&path);
        assert!(mount.status().unwrap().success());
        Self(path)
    }

    /// Writes a file until nothing more fits.
    fn fill(&self) {
        let mut options = File::options();
        let options = options.append(true).create(true);
        let mut file = options.open(self.0.join("filler")).unwrap();
        for size in [1 << 20, 4096, 1] {
            let block = vec![1; size];
            while file.write_all(&block).is_ok() {}
        }
    }

    fn free(&self) {
        std::fs::remove_file(self.0.join("filler")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Saves pastes of 64 KiB until one is refused. Returns the number of the refused one.
fn save_until_full(driven: &Driven) -> u64 {
    let refused = (100..1000_u64).find(|number: &u64| {
        let content: Vec<u8> = (0..8192_u64)
            .flat_map(|at| {
                (at + 1)
                    .wrapping_mul(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
                    .to_le_bytes()
            })
            .collect();
        let saved = driven.save(id(*number), paste(&content, Access::Open, 0, driven.now()));
        assert!(
            matches!(saved, Ok(()) | Err(StoreError::DiskFull)),
            "{saved:?}"
        );
        saved.is_err()
    });
    refused.expect("the disk is full at some time")
}

#[test]
#[ignore = "needs root: it mounts a small file system"]
fn on_a_disk_that_pastes_have_filled_every_paste_can_be_burned_or_deleted() {
    // Given a disk that is smaller than the budget, and that large pastes have filled
    let directory = Directory::new();
    let _disk = SmallDisk::mount(&directory, 24);
    let driven = Driven::on(directory, 256 << 20);
    let now = driven.now();
    let content = || {
        let mut content = vec![0; 320_000];
        getrandom::fill(&mut content).unwrap();
        content
    };
    let saved = |number: &u64| {
        let access = match number % 2 {
            0 => burn(1),
            _ => Access::Open,
        };
        let saved = driven.save(id(*number), paste(&content(), access, 0, now));
        assert!(
            matches!(saved, Ok(()) | Err(StoreError::DiskFull)),
            "{saved:?}"
        );
        saved.is_ok()
    };
    let saved: Vec<u64> = (100..1000).take_while(saved).collect();
    assert!(saved.len() > 20, "{}", saved.len());
    // When all of them are burned or deleted, then each of them is
    for number in saved {
        match number % 2 {
            0 => assert_eq!(driven.consume(id(number)), Ok(Some(0)), "{number}"),
            _ => assert_eq!(
                driven.remove(id(number), Reason::Deleted),
                Ok(()),
                "{number}"
            ),
        }
    }
    assert!(!driven.store().has_failed());
}

#[test]
#[ignore = "needs root: it mounts a small file system"]
fn a_backup_to_a_full_disk_leaves_no_file_there() {
    // Given a store of six mebibytes, and a disk that is smaller
    let driven = Driven::new();
    for number in 0..6 {
        let mut content = vec![0; 1 << 20];
        getrandom::fill(&mut content).unwrap();
        let large = paste(&content, Access::Open, 0, driven.now());
        driven.save(id(number), large).unwrap();
    }
    let folder = Directory::new();
    let _disk = SmallDisk::mount(&folder, 4);
    // When a backup is made there
    let refused = backup(
        driven.directory.path(),
        &folder.path().join("copy.db"),
        None,
        &Stop::default(),
    );
    // Then it fails, and neither the copy nor its journal is left
    assert_refused(refused, "Cannot write ");
    let left = std::fs::read_dir(folder.path()).unwrap();
    let left: Vec<_> = left.map(|file| file.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
#[ignore = "needs root: it mounts a small file system"]
fn after_a_clean_stop_a_start_on_a_full_disk_takes_its_space_from_the_ballast() {
    // Given a disk that another program has filled since a clean stop, which left no log and no index of it
    let directory = Directory::new();
    let disk = SmallDisk::mount(&directory, 24);
    let mut driven = Driven::on(directory, DISK);
    for number in [1, 2] {
        let early = paste(b"early", Access::Open, 0, driven.now());
        driven.save(id(number), early).unwrap();
    }
    driven.close();
    disk.fill();
    // When it starts, then pastes are read and deleted
    driven.open();
    assert_eq!(driven.get(id(1)).map(text).unwrap(), "early");
    assert_eq!(driven.remove(id(2), Reason::Deleted), Ok(()));
    // When the other program takes what the deletion has freed, then the refusals ask for space
    driven.close();
    let path = driven.directory.path();
    disk.fill();
    let sentence = "tidebin.db: the disk is full. Free some space and try again.";
    assert_refused(open(path, DISK), sentence);
    let keys = Keys::new(&[7; 32]);
    let limits = Limits::new(DISK, MEMORY).unwrap();
    let checked = check(
        path,
        limits,
        100,
        keys,
        driven.now(),
        false,
        &Stop::default(),
    );
    assert_refused(checked, sentence);
    let elsewhere = Directory::new();
    let file = elsewhere.path().join("copy.db");
    assert_refused(backup(path, &file, None, &Stop::default()), sentence);
    // And so does that of a restore
    disk.free();
    backup(path, &file, None, &Stop::default()).unwrap();
    disk.fill();
    assert_refused(restore(path, &file, None, &Stop::default()), sentence);
}

#[test]
#[ignore = "needs root: it mounts a small file system"]
fn on_a_full_disk_all_but_saves_works_and_saves_work_again_with_space() {
    let directory = Directory::new();
    let disk = SmallDisk::mount(&directory, 24);
    let mut driven = Driven::on(directory, DISK);
    let now = driven.now();
    for (number, access) in [
        (1, Access::Open),
        (2, burn(2)),
        (3, Access::Open),
        (4, burn(1)),
    ] {
        driven
            .save(id(number), paste(b"early", access, 7200, now))
            .unwrap();
    }
    // Given a disk that is full
    disk.fill();
    let refused = save_until_full(&driven);
    // Then pastes are read, burned and deleted, and changes of the content are refused
    assert_eq!(driven.get(id(1)).map(text).unwrap(), "early");
    assert_eq!(driven.consume(id(2)), Ok(Some(1)));
    assert_eq!(driven.consume(id(4)), Ok(Some(0)));
    assert_eq!(driven.remove(id(3), Reason::Deleted), Ok(()));
    let change = Change {
        content: Content::new(b"changed", 7).ok(),
        ..Change::default()
    };
    assert_eq!(driven.update(id(1), &change, 9), Err(StoreError::DiskFull));
    // And the metrics say so
    let is_full = |driven: &Driven| driven.store().stats(driven.now()).disk.unwrap().is_full;
    assert!(is_full(&driven));
    // And the work between transactions does not stop the server
    for _ in 0..20 {
        driven.advance(30);
        driven.runtime.block_on(driven.store().sweep(driven.now()));
        let _ = driven.remove(id(100), Reason::Deleted);
    }
    assert!(!driven.store().has_failed());
    // And a start on the full disk serves
    driven.restart();
    assert_eq!(driven.get(id(1)).map(text).unwrap(), "early");
    assert_eq!(driven.get(id(3)).map(text), gone(Reason::Deleted));
    assert_eq!(driven.get(id(4)).map(text), gone(Reason::Burned));
    assert_eq!(driven.consume(id(2)), Ok(Some(0)));
    // When there is space again
    disk.free();
    let again = (0..1000).find(|_| {
        driven.advance(5);
        let again = paste(b"again", Access::Open, 0, now);
        driven.save(id(refused), again).is_ok()
    });
    // Then pastes are saved again
    assert!(again.is_some());
    driven.runtime.block_on(driven.store().sweep(now));
    assert!(!is_full(&driven));
    assert!(!driven.store().has_failed());
    driven.store().validate();
}
