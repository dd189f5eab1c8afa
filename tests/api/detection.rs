//! How often the detection of languages is right, for texts whose kind is known.
//!
//! `typical.txt` has short texts as people paste them, written for this test. `drawn.json` has paragraphs of 1 to 12
//! lines and 20 lines from the middle of files. `benches/languages/draw` drew them by a hash with a fixed seed from the
//! source packages that the file names, which are under MIT, Apache, BSD or CC0. Each text stays under the licence of
//! its package, and no package is made from a repository of the classifier's table. The label is the kind of the file, by
//! its ending. So some labels are wrong, and some texts are of no certain kind. No one looks at the drawn texts, or they
//! would measure nothing: a failure prints shares alone.

use tidebin::detection::detect;

const TYPICAL: &str = include_str!("fixtures/languages/typical.txt");
const DRAWN: &str = include_str!("fixtures/languages/drawn.json");

/// Texts that are in no language.
const PLAIN: [&str; 4] = ["mail", "output", "prose", "text"];

/// Kinds that a page colours in the same way, at least where a short text has nothing of the larger language.
const ALIKE: [&[&str]; 5] = [
    &["javascript", "typescript", "jsx", "tsx"],
    &["css", "scss", "less"],
    &["c", "cpp"],
    &["ini", "systemd"],
    &["traceback", "log"],
];

/// What was measured: the least share that is right, and the greatest that is wrong.
const TYPICAL_CODE: (f64, f64) = (93.5, 0.0);
const DRAWN_SHORT: (f64, f64) = (65.0, 3.0);
const DRAWN_MIDDLE: (f64, f64) = (80.0, 2.8);
const DRAWN_PLAIN: (f64, f64) = (92.0, 8.0);

/// Shares of texts in percent.
#[derive(Debug, Default)]
struct Shares {
    right: f64,
    wrong: f64,
}

/// Returns the shares of the texts, each with its kind.
fn shares<'t>(texts: impl Iterator<Item = (&'t str, &'t str)>) -> Shares {
    let (mut count, mut shares) = (0.0, Shares::default());
    for (kind, text) in texts {
        let found = detect(text.as_bytes(), None).name();
        let expected = if PLAIN.contains(&kind) { "text" } else { kind };
        let is_alike = |group: &&[&str]| group.contains(&expected) && group.contains(&found);
        count += 1.0;
        if found == expected || ALIKE.iter().any(is_alike) {
            shares.right += 1.0;
        } else if found != "text" {
            shares.wrong += 1.0;
        }
    }
    assert!(count >= 20.0, "{count}");
    shares.right *= 100.0 / count;
    shares.wrong *= 100.0 / count;
    shares
}

fn assert_shares(name: &str, found: &Shares, right: f64, wrong: f64) {
    assert!(found.right >= right, "{name}: {found:?}");
    assert!(found.wrong <= wrong, "{name}: {found:?}");
}

#[test]
fn typical_pastes_get_their_language_and_plain_texts_stay_plain() {
    let texts = || {
        let texts = TYPICAL.split("=== ").filter(|text| !text.is_empty());
        texts.filter_map(|text| text.split_once('\n'))
    };
    let is_plain = |(kind, _): &(&str, &str)| PLAIN.contains(kind);
    let code = shares(texts().filter(|text| !is_plain(text)));
    assert_shares("typical code", &code, TYPICAL_CODE.0, TYPICAL_CODE.1);
    assert_shares(
        "typical plain",
        &shares(texts().filter(is_plain)),
        99.0,
        1.0,
    );
}

#[test]
fn drawn_texts_mostly_get_the_language_of_their_file() {
    let drawn: serde_json::Value = serde_json::from_str(DRAWN).unwrap();
    let texts = |wanted: &'static str, plain| {
        let texts = drawn["texts"].as_array().unwrap().iter();
        texts.filter_map(move |text| {
            let [kind, form, text] =
                ["kind", "form", "text"].map(|key| text[key].as_str().unwrap());
            let is_plain = PLAIN.contains(&kind);
            (is_plain == plain && (plain || form == wanted)).then_some((kind, text))
        })
    };
    let short = shares(texts("short", false));
    assert_shares("drawn short", &short, DRAWN_SHORT.0, DRAWN_SHORT.1);
    let middle = shares(texts("middle", false));
    assert_shares("drawn middle", &middle, DRAWN_MIDDLE.0, DRAWN_MIDDLE.1);
    let plain = shares(texts("", true));
    assert_shares("drawn plain", &plain, DRAWN_PLAIN.0, DRAWN_PLAIN.1);
}
