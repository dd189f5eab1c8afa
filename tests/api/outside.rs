//! Files of the database that another program changes while the server runs, and the restore of a backup.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::process::{Command, Output};

use rustix::process::Signal;

use crate::crash::{Heard, hear};
use crate::folder::Folder;
use crate::process::{Running, tidebin};
use crate::rounds::rounds;
use crate::saved::Saved;

/// A data directory, and a folder for copies of it.
struct Place {
    folder: Folder,
    data: String,
}

impl Place {
    fn new() -> Self {
        let folder = Folder::new("outside");
        let data = folder.path().join("data").display().to_string();
        Self { folder, data }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn flags(&self) -> [&str; 4] {
        ["--data", &self.data, "--max-disk", "64MiB"]
    }

    fn start(&self) -> Running {
        let quiet = ["--log", "info,tidebin::http::log=warn"];
        let limits = ["--limit-save", "off", "--limit-read", "off"];
        Running::start(&[&self.flags()[..], &quiet, &limits].concat())
    }

    fn stop(running: Running) {
        running.send(Signal::TERM);
        assert_eq!(running.wait().0, Some(0));
    }

    fn run(&self, subcommand: &[&str]) -> Output {
        let data = ["--data", &self.data];
        tidebin(&[subcommand, &data].concat())
            .output()
            .expect("it runs")
    }
}

fn lines(output: &Output) -> String {
    let all = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8(all).expect("messages are text")
}

/// Saves a paste on a server that may end at any moment.
fn is_saved(running: &Running, content: &str) -> bool {
    let heard = hear(running.addr(), "POST", "/", content);
    matches!(heard, Heard::Answer(201, _))
}

fn save_all(running: &Running, most: usize) -> Vec<Saved> {
    let save = |number| {
        let content = format!("{number} ").repeat(200);
        Saved::of(&running.request("POST", "/").body(content).send())
    };
    (0..most).map(save).collect()
}

/// Asks a server until it has copied its log into the database. A page that it writes while another program writes the
/// same file would be among those of that program.
fn until_copied(place: &Place, running: &Running) {
    let index = fs::File::open(place.path("data/tidebin.db-shm")).expect("a file");
    let number = |at| {
        let mut bytes = [0; 4];
        index.read_exact_at(&mut bytes, at).expect("a number");
        u32::from_ne_bytes(bytes)
    };
    // The pages of the log, and those that were copied.
    while number(16) != number(96) {
        assert_eq!(running.request("GET", "/healthz").send().status, 200);
    }
}

/// Counts the pastes that a server has.
fn count(running: &Running, pastes: &[Saved]) -> usize {
    let is_there = |saved: &&Saved| running.request("GET", &saved.raw()).send().status == 200;
    pastes.iter().filter(is_there).count()
}

fn copy(flags: &str, from: &str, to: &str) {
    let copied = Command::new("cp").args([flags, from, to]).status();
    assert!(copied.expect("cp runs").success());
}

/// Writes a file over another one, as `rsync --inplace` does.
fn write_over(from: &str, to: &str) {
    let bytes = fs::read(from).expect("a file");
    let file = OpenOptions::new().write(true).open(to).expect("a file");
    for (at, block) in bytes.chunks(700).enumerate() {
        file.write_all_at(block, at as u64 * 700).expect("space");
    }
    file.set_len(bytes.len() as u64).expect("a shorter file");
}

/// A change of files while the server runs, and whether the older state is there afterwards.
type Change = fn(&Place);

const CHANGES: [(&str, Change, bool); 6] = [
    (
        "cp of a backup",
        |it| copy("-f", &it.path("backup"), &it.path("data/tidebin.db")),
        true,
    ),
    (
        "cp -a of a directory",
        |it| copy("-a", &it.path("older/."), &it.data),
        true,
    ),
    (
        "rsync of the database",
        |it| write_over(&it.path("older/tidebin.db"), &it.path("data/tidebin.db")),
        true,
    ),
    (
        "cp of a log",
        |it| {
            copy(
                "-f",
                &it.path("killed/tidebin.db-wal"),
                &it.path("data/tidebin.db-wal"),
            )
        },
        false,
    ),
    (
        "an empty database",
        |it| fs::write(it.path("data/tidebin.db"), "").expect("a file"),
        false,
    ),
    (
        "an empty log",
        |it| fs::write(it.path("data/tidebin.db-wal"), "").expect("a file"),
        false,
    ),
];

#[test]
fn a_server_whose_files_are_changed_stops_and_the_next_start_has_what_was_copied() {
    for round in 0..rounds(6) {
        let (how, change, is_older) = CHANGES[round as usize % CHANGES.len()];
        // Given a backup, a copy of a stopped server's directory, and one of a server's that runs
        let place = Place::new();
        let running = place.start();
        let older = save_all(&running, 10 + round as usize % 17);
        assert!(
            place
                .run(&["backup", &place.path("backup")])
                .status
                .success()
        );
        copy("-a", &place.data, &place.path("killed"));
        Place::stop(running);
        copy("-a", &place.data, &place.path("older"));
        // And a server that has saved more
        let running = place.start();
        let later = save_all(&running, 30);
        until_copied(&place, &running);
        // When files are changed while more is saved
        change(&place);
        let saved = (0..2000).take_while(|_| is_saved(&running, "late"));
        let acknowledged = saved.count();
        // Then it ends, and says what happened
        let (code, log) = running.wait();
        assert_eq!(code, Some(1), "{how}: {log}");
        assert!(
            log.contains("changed, moved, replaced or deleted while the server ran"),
            "{how}: {log}"
        );
        assert!(acknowledged < 50, "{how}: {acknowledged}");
        // And the next start is refused while there is a log that does not belong to the database
        let refused = place.run(&["check"]);
        let log = place.path("data/tidebin.db-wal");
        if lines(&refused).contains("does not belong to tidebin.db")
            || lines(&refused).contains("missing or empty")
        {
            fs::remove_file(log).expect("a log");
        }
        // And then it has what was copied
        if is_older {
            let running = place.start();
            assert_eq!(count(&running, &older), older.len(), "{how}");
            // All of the others, if the log goes on where the copied file ends.
            assert!([0, later.len()].contains(&count(&running, &later)), "{how}");
            Place::stop(running);
            let checked = place.run(&["check"]);
            assert!(checked.status.success(), "{how}: {}", lines(&checked));
        }
    }
}

#[test]
fn owners_links_and_backups_of_the_files_do_not_stop_a_server() {
    let place = Place::new();
    let running = place.start();
    let database = place.path("data/tidebin.db");
    let mut pastes = Vec::new();
    for round in 0..10 {
        pastes.extend(save_all(&running, 20));
        fs::hard_link(&database, place.path(&format!("link-{round}"))).expect("a link");
        let owner = fs::metadata(&database).expect("a file");
        std::os::unix::fs::chown(&database, Some(owner.uid()), Some(owner.gid()))
            .expect("the owner");
        assert!(
            place
                .run(&["backup", &place.path(&format!("backup-{round}"))])
                .status
                .success()
        );
    }
    assert_eq!(count(&running, &pastes), pastes.len());
    Place::stop(running);
}

#[test]
fn a_restore_replaces_the_database_of_a_stopped_server_and_keeps_the_former_one() {
    // Given a backup, and a server that was killed after it had saved more
    let place = Place::new();
    let running = place.start();
    let older = save_all(&running, 20);
    let backup = place.path("backup");
    assert!(place.run(&["backup", &backup]).status.success());
    let later = save_all(&running, 20);
    // When it is restored while the server runs, then it is refused, and the server goes on
    let refused = place.run(&["restore", &backup]);
    assert!(
        lines(&refused).contains("Another process uses the data directory"),
        "{}",
        lines(&refused)
    );
    // Not even without the file that the server has locked
    fs::remove_file(place.path("data/lock")).expect("a lock");
    assert!(!place.run(&["restore", &backup]).status.success());
    assert_eq!(count(&running, &later), 20);
    running.send(Signal::KILL);
    running.wait();
    // And what is no backup is refused, or one of another secret, and nothing is changed
    let files = || {
        let files = fs::read_dir(&place.data).expect("a folder");
        let mut names: Vec<_> = files.map(|it| it.expect("a file").file_name()).collect();
        names.sort();
        names
    };
    fs::write(place.path("data/lock"), "").expect("a file");
    let before = files();
    fs::write(place.path("text"), "no database").expect("a file");
    let wrong = "correct horse battery staple, 32";
    for (args, said) in [
        (
            &[&*place.path("missing")][..],
            "Name a file that `tidebin backup` wrote.",
        ),
        (&[&*place.path("text")], "is not a database of tidebin"),
        (
            &[&*backup, "--secret", wrong],
            "The secret is not that of this database.",
        ),
    ] {
        let refused = place.run(&[&["restore"], args].concat());
        assert!(!refused.status.success());
        assert!(lines(&refused).contains(said), "{}", lines(&refused));
        assert_eq!(files(), before);
    }
    // When it is restored after the server has ended
    let restored = place.run(&["restore", &backup]);
    assert!(restored.status.success(), "{}", lines(&restored));
    let former = place.path("data/tidebin.db.before-restore-1");
    let said = format!("The former database is {former}.");
    assert!(lines(&restored).contains(&said) && lines(&restored).ends_with("Start the server.\n"));
    // Then the server has the pastes of the backup
    let running = place.start();
    assert_eq!((count(&running, &older), count(&running, &later)), (20, 0));
    Place::stop(running);
    // And the former database is whole, and can be restored too
    assert!(Path::new(&format!("{former}-wal")).exists());
    assert!(place.run(&["restore", &former]).status.success());
    let running = place.start();
    assert_eq!((count(&running, &older), count(&running, &later)), (20, 20));
}

#[test]
fn a_restore_into_a_new_directory_names_the_secret_that_it_needs() {
    // Given a backup of one server, and an empty directory
    let mut place = Place::new();
    let running = place.start();
    let saved = save_all(&running, 3);
    let (backup, secret) = (place.path("backup"), place.path("data/secret"));
    assert!(place.run(&["backup", &backup]).status.success());
    Place::stop(running);
    place.data = place.path("new");
    fs::create_dir(&place.data).expect("a folder");
    // When it is restored there
    let restored = place.run(&["restore", &backup]);
    let told = lines(&restored);
    assert!(
        restored.status.success() && !told.contains("former"),
        "{told}"
    );
    assert!(
        told.contains("Put the secret of the backup into "),
        "{told}"
    );
    // Then a server with the secret has its pastes, and only its owner can read the file
    fs::copy(secret, place.path("new/secret")).expect("a file");
    let mode = fs::metadata(place.path("new/tidebin.db"))
        .expect("a file")
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let running = place.start();
    assert_eq!(count(&running, &saved), 3);
}
