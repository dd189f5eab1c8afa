//! Snapshots: tests that compare the output of each renderer for small documents with stored files.

use super::super::*;
use super::*;
use crate::paste::Language;
use std::fs;
use std::path::Path;

use crate::render::fragment::{Body, Fragment};
use crate::render::math::{DisplayMode, math};

const FOLDER: &str = "src/render/tests/snapshots";

fn file(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(root.join(FOLDER).join(name)).expect("a file of text")
}

/// Panics if a file differs from the output. The message says how to update the file.
#[track_caller]
fn equals_file(name: &str, made: &str) {
    let kept = file(name);
    let same = made.lines().zip(kept.lines());
    let line = same.take_while(|(made, kept)| made == kept).count() + 1;
    let rule = "=".repeat(80);
    assert!(
        made == kept,
        "{FOLDER}/{name} differs from line {line} on. If the new output is right, write the text between these \
         rules to the file:\n{rule}\n{made}{rule}"
    );
}

/// Renders a text in a language.
fn shown(text: &str, language: &str) -> String {
    let language = Language::from_name(language).expect("a language");
    let budget = TimeBudget::until(&|| false);
    let form = RenderKey::new(language, false).form_of(text, None, budget);
    let fragment = Fragment::of_form(text, form);
    let (html, allowed): (_, &[_]) = match fragment.body {
        Body::Listing(html) | Body::Terminal(html) => (html, &[LISTING]),
        Body::Document(document) => (document.html, &[DOCUMENT, FORMULA]),
        Body::Log(log) => (log.html, &[LISTING]),
        Body::Patch(patch) => (patch.html, &[PATCH]),
        Body::Hex(_) | Body::Plain(_) | Body::Image(_) | Body::Files(_) => {
            panic!("a text is rendered")
        }
        Body::Table(html) => (html, &[TABLE]),
        Body::Json(html) => (html, &[JSON]),
        Body::Records(html) => (html, &[LISTING, JSON]),
    };
    Parsed::of(&html, allowed);
    html
}

#[test]
fn a_source_is_highlighted_in_each_of_its_languages() {
    equals_file("source.html", &shown(&file("source.txt"), "html"));
}

#[test]
fn a_document_has_all_that_its_flavour_knows() {
    equals_file("document.html", &shown(&file("document.md"), "markdown"));
}

#[test]
fn terminal_output_has_its_colours_and_styles() {
    equals_file("output.html", &shown(&file("output.ansi"), "ansi"));
}

#[test]
fn each_line_of_formulas_is_mathml() {
    let made = |tex: &str| {
        let mathml = math(tex, DisplayMode::Block).expect("a formula");
        Parsed::of(&mathml, &[FORMULA]);
        mathml + "\n"
    };
    let made: String = file("formulas.tex").lines().map(made).collect();
    equals_file("formulas.html", &made);
}
