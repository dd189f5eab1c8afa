//! Snapshots: small documents beside what each renderer makes of them, byte by byte.

use super::super::*;
use super::*;
use crate::paste::Language;
use std::fs;
use std::path::Path;

use crate::render::math::{Place, math};
use crate::render::rendered::Body;

const FOLDER: &str = "src/page/tests/snapshots";

fn file(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(root.join(FOLDER).join(name)).expect("a file of text")
}

/// Fails where a file does not hold what is made now, and tells how to renew it.
#[track_caller]
fn is_kept_in(name: &str, made: &str) {
    let kept = file(name);
    let same = made.lines().zip(kept.lines());
    let line = same.take_while(|(made, kept)| made == kept).count() + 1;
    let rule = "=".repeat(80);
    assert!(
        made == kept,
        "{FOLDER}/{name} holds something else, from line {line} on. If what is made now is right, let the file hold \
         what stands between these rules:\n{rule}\n{made}{rule}"
    );
}

/// What the page of a paste of this language shows.
fn shown(text: &str, language: &str) -> String {
    let language = Language::named(language).expect("a language");
    let budget = TimeBudget::until(&|| false);
    let rendered = Rendered::text(text, RenderKey::new(language, false), budget);
    let (html, allowed): (_, &[_]) = match rendered.body {
        Body::Listing(html) => (html, &[LISTING]),
        Body::Document(document) => (document.html().to_owned(), &[DOCUMENT, FORMULA]),
        Body::Hex(_) => panic!("a text is not shown as bytes"),
    };
    Parsed::of(&html, allowed);
    html
}

#[test]
fn a_source_has_the_colours_of_each_of_its_languages() {
    is_kept_in("source.html", &shown(&file("source.txt"), "html"));
}

#[test]
fn a_document_has_all_that_its_flavour_knows() {
    is_kept_in("document.html", &shown(&file("document.md"), "markdown"));
}

#[test]
fn the_output_of_a_terminal_has_its_colours_and_faces() {
    is_kept_in("output.html", &shown(&file("output.ansi"), "ansi"));
}

#[test]
fn each_line_of_formulas_is_mathml() {
    let made = |tex: &str| {
        let mathml = math(tex, Place::Block).expect("a formula");
        Parsed::of(&mathml, &[FORMULA]);
        mathml + "\n"
    };
    let made: String = file("formulas.tex").lines().map(made).collect();
    is_kept_in("formulas.html", &made);
}
