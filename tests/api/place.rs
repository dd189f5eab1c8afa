//! Where a server of a test stores its pastes: in memory, in a directory, or in an engine.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use tidebin::config::{Config, Invocation};

use crate::engine::Engine;
use crate::folder::Folder;

/// Where one server stores its pastes.
#[derive(Debug)]
pub enum Place {
    Memory,
    Directory(Folder),
    Engine(Arc<Engine>),
    /// The address of a Cluster.
    Cluster(String),
}

/// Where the servers of this run store their pastes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    Memory,
    Disk,
    Engine,
}

impl Tier {
    /// The tier that the environment names.
    pub fn chosen() -> Self {
        match std::env::var("TIDEBIN_TEST_TIER").as_deref() {
            Err(_) | Ok("memory") => Self::Memory,
            Ok("disk") => Self::Disk,
            Ok("engine") => Self::Engine,
            Ok(other) => panic!("TIDEBIN_TEST_TIER is memory, disk or engine, not {other}"),
        }
    }

    /// Makes an empty data directory or starts an engine, if this tier needs one.
    pub fn place(self) -> Place {
        match self {
            Self::Memory => Place::Memory,
            Self::Disk => Place::Directory(Folder::new("data")),
            Self::Engine => Place::Engine(Arc::new(Engine::start())),
        }
    }
}

/// The disk space of a server whose flags do not set it.
const DISK: &str = "64MiB";

/// The secret of a server that needs one and whose flags do not set it.
const SECRET: &str = "the secret of all servers of the tests";

/// The configuration with these flags, with a port that the system chooses, and with this place for the pastes.
pub fn config(flags: &[String], place: &Place) -> Config {
    let mut args: Vec<OsString> = ["tidebin", "--addr", "127.0.0.1:0"].map(Into::into).into();
    let has = |name: &str| flags.iter().any(|flag| flag == name);
    match place {
        Place::Memory => {}
        Place::Directory(data) => {
            args.extend(["--data".into(), data.path().into()]);
            if !has("--max-disk") {
                args.extend(["--max-disk", DISK].map(Into::into));
            }
        }
        Place::Engine(engine) => args.extend(["--valkey".into(), engine.url().into()]),
        Place::Cluster(url) => args.extend(["--valkey".into(), url.into()]),
    }
    let needs_secret = matches!(place, Place::Engine(_) | Place::Cluster(_));
    if needs_secret && !has("--secret") {
        args.extend(["--secret", SECRET].map(Into::into));
    }
    args.extend(flags.iter().map(Into::into));
    match Invocation::from_parts(args, [], || Ok(Vec::new())) {
        Ok(Invocation::Serve(config)) => Config {
            // A busy machine fails no test.
            engine_deadline: Some(Duration::from_secs(20)),
            ..*config
        },
        other => panic!("no configuration: {other:?}"),
    }
}
