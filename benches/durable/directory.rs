//! A directory for the files of a measurement, removed at its end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) struct Directory(PathBuf);

impl Directory {
    /// Makes an empty directory in the target directory.
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("durable-{}-{name}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the kind of the file system, such as `ext4`.
    pub(crate) fn file_system(&self) -> String {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        let mounts = mounts.lines().filter_map(|line| {
            let mut fields = line.split(' ').skip(1);
            fields.next().zip(fields.next())
        });
        // Later mounts hide earlier ones of the same path.
        let innermost = mounts
            .filter(|(path, _)| self.0.starts_with(path))
            .max_by_key(|(path, _)| path.len());
        innermost.map_or("unknown", |(_, kind)| kind).to_owned()
    }

    /// Returns the bytes of all files.
    pub(crate) fn bytes(&self) -> u64 {
        let files = fs::read_dir(&self.0).unwrap();
        files
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum()
    }

    /// Asks the system to drop the files from its page cache. `dd` has an option for this. The host of a virtual
    /// machine may still have it.
    pub(crate) fn leave_page_cache(&self) {
        for file in fs::read_dir(&self.0).unwrap() {
            let path = file.unwrap().path();
            fs::File::open(&path).unwrap().sync_all().unwrap();
            let input = format!("if={}", path.display());
            let dd = Command::new("dd")
                .args([&input, "iflag=nocache", "count=0", "status=none"])
                .status();
            assert!(dd.unwrap().success());
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
