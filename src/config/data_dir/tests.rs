//! Tests of the data directory on a real file system.

use std::os::unix::fs::symlink;
use std::sync::Barrier;
use std::thread;

use super::*;

/// A directory of one test. It does not exist yet.
struct Scratch(DataDir);

impl Scratch {
    fn new(name: &str) -> Self {
        let name = format!("tidebin-data-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let origin = ValueOrigin {
            name: "TIDEBIN_DATA (from the environment)".to_owned(),
            form: "a directory",
            is_secret: false,
        };
        Self(DataDir { path, origin })
    }

    fn created(name: &str) -> Self {
        let scratch = Self::new(name);
        scratch.0.create().unwrap();
        scratch
    }

    fn secret_file(&self) -> PathBuf {
        self.0.path.join("secret")
    }

    fn names(&self) -> Vec<String> {
        fs::read_dir(&self.0.path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0.path);
        let _ = fs::remove_file(&self.0.path);
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_missing_directory_is_created_for_its_owner_alone() {
    let scratch = Scratch::created("created");
    assert_eq!(mode(scratch.0.path()), 0o700);
    // A second start finds it, and the check leaves no file.
    assert_eq!(scratch.0.create(), Ok(()));
    assert!(scratch.names().is_empty());
}

#[test]
fn a_file_and_a_path_without_parent_are_refused_with_the_way_out() {
    let file = Scratch::new("file");
    fs::write(file.0.path(), "").unwrap();
    let orphan = DataDir {
        path: file.0.path.with_extension("no").join("parent"),
        ..file.0.clone()
    };
    for (data, problem) in [
        (
            &file.0,
            "cannot be written (Not a directory (os error 20)). Name another directory.",
        ),
        (
            &orphan,
            "cannot be created, because its parent directory does not exist. Create that, or correct the path.",
        ),
    ] {
        let message = data.create().unwrap_err().to_string();
        let expected = format!(
            "TIDEBIN_DATA (from the environment): {:?} {problem}",
            data.path
        );
        assert_eq!(message, expected);
    }
}

#[test]
fn every_reason_why_nothing_can_be_written_names_a_way_out() {
    for (kind, way_out) in [
        (ErrorKind::PermissionDenied, "`chown 65532`"),
        (ErrorKind::StorageFull, "Free some space"),
        (ErrorKind::Other, "Name another directory"),
    ] {
        let message = cannot_write(&kind.into());
        assert!(message.contains(way_out), "{message}");
    }
}

#[test]
fn a_secret_is_made_once_and_only_its_owner_can_read_it() {
    let scratch = Scratch::created("made");
    let made = scratch.0.secret().unwrap();
    assert_eq!(made.as_str().len(), 64);
    assert!(made.as_str().bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(mode(&scratch.secret_file()), 0o600);
    assert_eq!(scratch.names(), ["secret"]);
    assert_eq!(scratch.0.secret(), Ok(made));
}

#[test]
fn servers_that_start_at_the_same_time_have_the_same_secret() {
    const SERVERS: usize = 8;
    let scratch = Scratch::created("race");
    let barrier = Barrier::new(SERVERS);
    let secrets: Vec<_> = thread::scope(|scope| {
        let start = || {
            barrier.wait();
            scratch.0.secret().unwrap()
        };
        let servers: Vec<_> = (0..SERVERS).map(|_| scope.spawn(start)).collect();
        let secrets = servers.into_iter().map(|server| server.join().unwrap());
        secrets.collect()
    });
    assert!(secrets.iter().all(|secret| *secret == secrets[0]));
    assert_eq!(scratch.names(), ["secret"]);
}

#[test]
fn an_existing_secret_is_read_without_the_space_around_it() {
    let scratch = Scratch::created("read");
    let secret = "correct horse battery staple, 32";
    fs::write(scratch.secret_file(), format!("{secret}\r\n")).unwrap();
    // Others may read it. That is logged, but not refused.
    assert_eq!(mode(&scratch.secret_file()) & 0o400, 0o400);
    assert_eq!(scratch.0.secret().unwrap().as_str(), secret);
}

#[test]
fn a_file_that_holds_no_secret_is_refused_and_not_shown() {
    let scratch = Scratch::created("refused");
    let path = scratch.secret_file();
    let no_secret = "is not a secret of 32 characters to 1024 bytes";
    for (content, problem) in [
        (&b""[..], no_secret),
        (b"hunter2\n", no_secret),
        (&[b'x'; 1025], no_secret),
        (&[0xff; 64], "is not UTF-8 text"),
        (&[b'x'; 2000], "is larger than 1026 bytes"),
    ] {
        fs::write(&path, content).unwrap();
        assert_eq!(
            scratch.0.secret().unwrap_err().to_string(),
            format!(
                "TIDEBIN_DATA (from the environment): {path:?} {problem}. \
                 Restore it from your backup, or set TIDEBIN_SECRET."
            )
        );
    }
}

#[test]
fn what_is_in_the_place_of_the_secret_is_never_replaced() {
    let scratch = Scratch::created("odd");
    let path = scratch.secret_file();
    fs::create_dir(&path).unwrap();
    let directory = scratch.0.secret().unwrap_err().to_string();
    assert!(directory.contains("is not a file"), "{directory}");
    fs::remove_dir(&path).unwrap();
    symlink("/nowhere/secret", &path).unwrap();
    let dangling = scratch.0.secret().unwrap_err().to_string();
    assert!(dangling.contains("does not exist"), "{dangling}");
    assert!(path.is_symlink());
}
