//! A terminal: command lines that a shell runs, with the server's address in `$URL`.

use std::process::{Command, Output, Stdio};

use crate::folder::Folder;
use crate::server::TestServer;

/// A shell in a folder of its own. Its curl has no settings and no proxy.
pub struct Terminal<'a> {
    server: &'a TestServer,
    pub folder: Folder,
}

impl<'a> Terminal<'a> {
    pub fn of(server: &'a TestServer) -> Self {
        let folder = Folder::new("terminal");
        // This ends a command that hangs.
        folder.write(
            ".curlrc",
            "silent\nshow-error\nmax-time = 60\nnoproxy = *\n",
        );
        Self { server, folder }
    }

    /// Runs this line.
    pub fn run(&self, line: &str) -> Printed {
        let home = self.folder.path();
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(home)
            .env("HOME", home)
            .env("CURL_HOME", home)
            .env("URL", format!("http://{}", self.server.addr))
            .stdin(Stdio::null())
            .output()
            .expect("there is a shell");
        Printed {
            line: line.to_owned(),
            output,
        }
    }

    /// Runs this line, which saves a paste. Returns the id.
    #[track_caller]
    pub fn save(&self, line: &str) -> String {
        let printed = self.run(line).text();
        let url = printed
            .strip_suffix('\n')
            .unwrap_or_else(|| panic!("{line}: no line, but {printed:?}"));
        let id = url
            .strip_prefix(&format!("http://{}/", self.server.addr))
            .unwrap_or_else(|| panic!("{line}: no address, but {printed:?}"));
        assert_eq!(id.len(), 12, "{line}: {url}");
        id.to_owned()
    }
}

/// The output and the exit code of a line.
#[derive(Debug)]
pub struct Printed {
    line: String,
    output: Output,
}

impl Printed {
    pub fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    /// The standard output; the line must have succeeded without an error message.
    #[track_caller]
    pub fn bytes(self) -> Vec<u8> {
        let complaint = String::from_utf8_lossy(&self.output.stderr);
        assert_eq!((self.code(), &*complaint), (Some(0), ""), "{}", self.line);
        self.output.stdout
    }

    #[track_caller]
    pub fn text(self) -> String {
        String::from_utf8(self.bytes()).expect("it printed text")
    }
}
