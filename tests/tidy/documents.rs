//! The documents: each relative link leads to a file and a heading that exist, and every page is short.
//!
//! Cost: every Markdown file of the repository is parsed once per test.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The folders that hold documents, relative to the root of the repository.
const FOLDERS: [&str; 3] = ["", "docs", "deploy"];
/// The most words that a page may have, code and tables included. A page that is not here may not exist.
const MOST_WORDS: [(&str, usize); 13] = [
    ("README.md", 950),
    ("CHANGELOG.md", 470),
    ("CONTRIBUTING.md", 635),
    ("SECURITY.md", 1105),
    ("docs/api.md", 5145),
    ("docs/architecture.md", 1290),
    ("docs/clients.md", 1740),
    ("docs/cluster.md", 1250),
    ("docs/configuration.md", 980),
    ("docs/limits.md", 1350),
    ("docs/moving.md", 300),
    ("docs/operations.md", 3965),
    ("docs/performance.md", 700),
];

#[derive(Default)]
struct Document {
    /// The anchors of the headings, as GitHub makes them.
    anchors: Vec<String>,
    /// The destinations of links and pictures.
    links: Vec<String>,
}

impl Document {
    fn parse(text: &str) -> Self {
        let mut document = Self::default();
        let mut heading = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    document.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    document
                        .anchors
                        .extend(heading.take().as_deref().map(anchor));
                }
                Event::Text(text) | Event::Code(text) => {
                    heading
                        .iter_mut()
                        .for_each(|heading| heading.push_str(&text));
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    document.links.extend(sources_of_pictures(&html));
                }
                _ => {}
            }
        }
        document
    }
}

/// The anchor that GitHub gives a heading: lower case, dashes for blanks, no other punctuation.
fn anchor(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// The values of `src` and `srcset` in a piece of HTML.
fn sources_of_pictures(html: &str) -> Vec<String> {
    ["src=\"", "srcset=\""]
        .iter()
        .flat_map(|attribute| html.split(attribute).skip(1))
        .filter_map(|rest| rest.split('"').next())
        .map(str::to_owned)
        .collect()
}

/// Every document with its path relative to the root.
fn documents() -> HashMap<PathBuf, Document> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    FOLDERS
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .map(|path| {
            let document = Document::parse(&fs::read_to_string(&path).unwrap());
            (path.strip_prefix(root).unwrap().to_owned(), document)
        })
        .collect()
}

/// The path to which a link in this document leads, relative to the root.
fn resolve(from: &Path, link: &str) -> PathBuf {
    let mut path = from.parent().unwrap().to_owned();
    for component in Path::new(link).components() {
        match component {
            Component::ParentDir => assert!(path.pop(), "{link} leaves the repository"),
            component => path.push(component),
        }
    }
    path
}

/// Describes the mistake in a link, if there is one.
fn mistake(from: &Path, link: &str, documents: &HashMap<PathBuf, Document>) -> Option<String> {
    if link.starts_with("https://") || link.starts_with("http://") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = match file {
        "" => from.to_owned(),
        file => resolve(from, file),
    };
    let exists = Path::new(env!("CARGO_MANIFEST_DIR")).join(&path).exists();
    let heading_exists = anchor.is_empty()
        || documents
            .get(&path)
            .is_some_and(|document| document.anchors.iter().any(|known| known == anchor));
    (!exists || !heading_exists).then(|| format!("{}: {link}", from.display()))
}

#[test]
fn every_link_between_documents_leads_to_a_file_and_heading_that_exist() {
    let documents = documents();
    assert!(documents.contains_key(Path::new("docs/api.md")));
    let links = documents
        .iter()
        .flat_map(|(from, document)| document.links.iter().map(move |link| (from, link)));
    let mistakes: Vec<String> = links
        .filter_map(|(from, link)| mistake(from, link, &documents))
        .collect();
    assert!(mistakes.is_empty(), "{mistakes:#?}");
}

#[test]
fn a_link_to_a_missing_file_or_heading_is_found() {
    let documents = HashMap::from([(
        PathBuf::from("docs/configuration.md"),
        Document::parse("# One `two`, three\n[x](b.md) <img src=\"c.png\">"),
    )]);
    let from = Path::new("docs/configuration.md");
    for (link, wrong) in [
        ("#one-two-three", false),
        ("configuration.md#one-two-three", false),
        ("a.md", true),
        ("../README.md", false),
        ("https://example.org/", false),
        ("#one", true),
        ("b.md", true),
    ] {
        assert_eq!(mistake(from, link, &documents).is_some(), wrong, "{link}");
    }
    assert_eq!(documents[from].links, ["b.md", "c.png"]);
}

#[test]
fn every_page_is_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages: HashMap<&Path, usize> = MOST_WORDS
        .iter()
        .map(|(page, most)| (Path::new(*page), *most))
        .collect();
    for page in documents().keys() {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let (words, most) = (text.split_whitespace().count(), pages.get(page.as_path()));
        assert!(
            most >= Some(&words),
            "{} has {words} words, at most {most:?}",
            page.display()
        );
    }
}

#[test]
fn the_readme_starts_with_the_commands_that_run_the_server_and_the_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let (_, start) = readme.split_once("\n## Start\n").unwrap();
    let (_, block) = start.split_once("```sh\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let lines: Vec<&str> = block.lines().collect();
    let [once, server, tests] = lines[..] else {
        panic!("{block}");
    };
    assert!(once.contains("build-essential") && once.contains("rustup"));
    assert_eq!(server, "cargo run --release");
    assert!(root.join(tests).is_file(), "{tests} is not a file");
    let checks = fs::read_to_string(root.join(".ci/run")).unwrap();
    assert_eq!(checks.lines().last(), Some(tests));
}

#[test]
fn the_pages_name_the_files_of_this_version() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let version = env!("CARGO_PKG_VERSION");
    let tar = format!("tidebin-{version}-x86_64-unknown-linux-gnu.tar.gz");
    let package = format!("./tidebin_{version}_amd64.deb");
    let image = format!("tidebin-{version}-image-amd64.tar");
    let heading = format!("## {version}\n");
    for (page, name) in [
        ("README.md", tar),
        ("README.md", package.clone()),
        ("README.md", image),
        ("docs/operations.md", package),
        ("CHANGELOG.md", heading),
    ] {
        let text = fs::read_to_string(root.join(page)).unwrap();
        assert!(text.contains(&name), "{page} does not name {name:?}");
    }
}
