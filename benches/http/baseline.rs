//! A baseline: the figures of an earlier run, which a later run prints beside its own.
//!
//! It is a file in the target directory. Each line has the name of a figure, a tab and the figure.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Figures by their names.
#[derive(Debug, Default)]
pub(crate) struct Baseline(BTreeMap<String, f64>);

impl Baseline {
    /// Reads the baseline with this name. Returns `None` if there is none.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let text = fs::read_to_string(path(name)).ok()?;
        let line = |line: &str| {
            let (name, figure) = line.split_once('\t')?;
            Some((name.to_owned(), figure.parse().ok()?))
        };
        Some(Self(text.lines().filter_map(line).collect()))
    }

    /// Returns the name of the baseline that was saved last.
    pub(crate) fn last() -> Option<String> {
        let files = fs::read_dir(path("").parent()?).ok()?;
        let saved = files.filter_map(|file| {
            let file = file.ok()?;
            let name = file.file_name().into_string().ok()?;
            let name = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.to_owned();
            Some((file.metadata().ok()?.modified().ok()?, name))
        });
        Some(saved.max()?.1)
    }

    pub(crate) fn save(&self, name: &str) -> PathBuf {
        let lines = self.0.iter();
        let text: String = lines
            .map(|(name, figure)| format!("{name}\t{figure}\n"))
            .collect();
        fs::write(path(name), text).unwrap();
        path(name)
    }

    pub(crate) fn add(&mut self, name: &str, figure: f64) {
        self.0.insert(name.to_owned(), figure);
    }

    pub(crate) fn figure(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }
}

const PREFIX: &str = "http-baseline-";
const SUFFIX: &str = ".tsv";

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{PREFIX}{name}{SUFFIX}"))
}
