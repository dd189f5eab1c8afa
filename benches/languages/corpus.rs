//! Texts whose language is known: `DIR/LANGUAGE/SOURCE/FILE`, as the programs `collect` and `packages` sort them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::dice::Dice;
use crate::random::random;

/// Languages that contain others. Most of their long texts are the starts of files.
const CONTAINERS: [&str; 5] = ["html", "markdown", "rst", "svelte", "vue"];

/// Most lines of a text.
const LINES: usize = 60;

/// Lines of a part as a page shows it, and of a file that has no such part.
const SCREEN: usize = 20;
const FEW: usize = 14;

/// Most lines of a short text, and how many signs of code it has at least.
const SHORT: usize = 12;
const LEAST: usize = 20;

/// The authors whose texts are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Authors {
    All,
    /// About one of five, chosen by the hash of the name. Numbers that are not learned from texts are set with theirs.
    HeldOut,
    Others,
}

impl Authors {
    fn include(self, author: &str) -> bool {
        let hash = author
            .bytes()
            .fold(0, |hash, byte| random(hash ^ u64::from(byte)));
        match self {
            Self::All => true,
            Self::HeldOut => hash % 5 == 0,
            Self::Others => hash % 5 != 0,
        }
    }
}

/// A text of 1 to 60 lines.
pub(crate) struct Sample {
    pub(crate) language: String,
    /// Number of the author.
    pub(crate) author: usize,
    pub(crate) file: PathBuf,
    pub(crate) text: String,
}

/// Reads all files of these authors, and takes the start, `parts` long parts and `shorts` short ones of each.
pub(crate) fn load(folder: &Path, parts: usize, shorts: usize, included: Authors) -> Vec<Sample> {
    let mut dice = Dice::default();
    let mut samples = Vec::new();
    let mut authors = Vec::new();
    for language in entries(folder) {
        for source in entries(&language) {
            let name = name(&source);
            let author = author(&name);
            if !included.include(author) {
                continue;
            }
            let author = author.to_owned();
            let author = authors
                .iter()
                .position(|known| *known == author)
                .unwrap_or_else(|| {
                    authors.push(author);
                    authors.len() - 1
                });
            for file in entries(&source) {
                let text = fs::read_to_string(&file).unwrap_or_default();
                let mut add = |text| {
                    let language = self::name(&language);
                    samples.push(Sample {
                        language,
                        author,
                        file: file.clone(),
                        text,
                    });
                };
                let lines: Vec<&str> = text.lines().collect();
                if lines.is_empty() {
                    continue;
                }
                let is_container = CONTAINERS.contains(&self::name(&language).as_str());
                if is_container {
                    for _ in 0..2 {
                        let length = length(&lines, &mut dice);
                        add(part(&lines[..length], &mut dice));
                    }
                } else {
                    add(part(&lines[..lines.len().min(LINES)], &mut dice));
                }
                if lines.len() > FEW {
                    for _ in 0..parts {
                        let length = match dice.below(2) {
                            0 => SCREEN.min(lines.len()),
                            _ => length(&lines, &mut dice),
                        };
                        let start = dice.below(lines.len() - length + 1);
                        add(part(&lines[start..start + length], &mut dice));
                    }
                }
                // A block of a document is short, and gives fewer texts.
                let is_block = ["block-", "prose-"]
                    .iter()
                    .any(|start| self::name(&file).starts_with(start));
                for text in short(&lines, if is_block { 2 } else { shorts }, &mut dice) {
                    add(text);
                }
            }
        }
    }
    samples
}

/// Returns a number of lines between 10 and [`LINES`], if the text has as many.
fn length(lines: &[&str], dice: &mut Dice) -> usize {
    (10 + dice.below(LINES - 9)).min(lines.len())
}

/// Joins these lines. Half of the texts lose the indentation that all lines share.
fn part(lines: &[&str], dice: &mut Dice) -> String {
    let shared = lines.iter().filter(|line| !line.trim().is_empty());
    let shared = shared
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let cut = shared * dice.below(2);
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| line.get(cut..).unwrap_or(""))
        .collect();
    lines.join("\n") + "\n"
}

/// Returns the author of a source: the owner of a repository, or a package without its version. Texts in no language
/// also name their kind before it.
fn author(source: &str) -> &str {
    let version = |(_, version): &(&str, &str)| version.starts_with(|c: char| c.is_ascii_digit());
    let owner = match source.split_once('+') {
        Some(("cargo" | "deb" | "npm" | "pip", _)) => {
            let versioned = source.rsplit_once('-').filter(version);
            versioned.map_or(source, |(package, _)| package)
        }
        Some((owner, _)) => owner,
        None => source,
    };
    let kinds = [
        "base64-",
        "dump-",
        "files-",
        "log-",
        "messages-",
        "names-",
        "prose-",
    ];
    kinds
        .iter()
        .find_map(|kind| owner.strip_prefix(kind))
        .unwrap_or(owner)
}

/// Returns up to `most` short texts. Pastes are often short, start where a paragraph does, and are not comments alone.
fn short(lines: &[&str], most: usize, dice: &mut Dice) -> Vec<String> {
    let starts: Vec<usize> = (0..lines.len())
        .filter(|&at| !lines[at].trim().is_empty())
        .filter(|&at| at == 0 || lines[at - 1].trim().is_empty())
        .collect();
    let mut texts = Vec::new();
    for _ in 0..most * 3 {
        if starts.is_empty() || texts.len() == most {
            break;
        }
        let start = starts[dice.below(starts.len())];
        let end = (start + 1 + dice.below(SHORT)).min(lines.len());
        let code = lines[start..end].iter().filter(|line| !is_comment(line));
        let signs = code.flat_map(|line| line.chars().filter(|sign| !sign.is_whitespace()));
        if signs.count() >= LEAST {
            texts.push(part(&lines[start..end], dice));
        }
    }
    texts
}

fn is_comment(line: &str) -> bool {
    const SIGNS: [&str; 10] = ["//", "/*", "*", "--", ";", "%", "\"", "'", "<!--", ".. "];
    const CODE: [&str; 5] = ["#include", "#define", "#if", "#[", "#!"];
    let line = line.trim_start();
    let starts = |signs: &[&str]| signs.iter().any(|sign| line.starts_with(sign));
    line.is_empty() || starts(&SIGNS) || line.starts_with('#') && !starts(&CODE)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    entries
}
