//! How often the detection of languages is right, for texts whose kind is known.
//!
//! `typical.txt` has short texts as people paste them, written for this test. The other sets are JSON in gzip.
//! `drawn-N` has paragraphs of 1 to 12 lines and 20 lines from the middle of files. `benches/languages/draw` drew them by
//! a hash from the source packages that the file names, which are under permissive licences. Each text stays under the
//! licence of its package, and no package is one of the classifier's table. The label is the kind of
//! the file, by its ending. So some labels are wrong, and some texts are of no certain kind. The rules were made with
//! the first set. A cutoff was chosen with the shares of the others in view. No one looks at their texts, or they would
//! measure nothing: a failure prints shares alone.
//! `outputs` has whole outputs, each with the name that a tool gives to it: compilers, tests and package managers that ran
//! small programs written for this test, and logs, tables, patches, sessions and settings with contents of its own. The
//! rules were made with some (`tuned`), and measured with others (`reported`).

use std::io::Read;

use flate2::read::GzDecoder;
use serde::Deserialize;
use tidebin::detection::detect;

const TYPICAL: &str = include_str!("fixtures/languages/typical.txt");
const DRAWN: [&[u8]; 3] = [
    include_bytes!("fixtures/languages/drawn-1.json.gz"),
    include_bytes!("fixtures/languages/drawn-2.json.gz"),
    include_bytes!("fixtures/languages/drawn-3.json.gz"),
];
const OUTPUTS: &[u8] = include_bytes!("fixtures/languages/outputs.json.gz");

/// Texts that are in no language.
const PLAIN: [&str; 4] = ["mail", "output", "prose", "text"];

/// Kinds that a page colours in the same way, at least where a short text has nothing of the larger language. The output
/// of a program is a log or that of a terminal.
const ALIKE: [&[&str]; 6] = [
    &["javascript", "typescript", "jsx", "tsx"],
    &["css", "scss", "less"],
    &["c", "cpp"],
    &["ini", "systemd", "dotenv"],
    &["traceback", "log"],
    &["tool", "log", "ansi"],
];

/// What was measured: the least share that is right, and the greatest that is wrong.
const TYPICAL_CODE: (f64, f64) = (94.5, 0.0);
const DRAWN_SHORT: [(f64, f64); 3] = [(70.0, 2.0), (72.0, 1.3), (68.5, 1.4)];
const DRAWN_MIDDLE: [(f64, f64); 3] = [(83.5, 2.1), (78.5, 5.8), (84.5, 1.3)];
const DRAWN_PLAIN: (f64, f64) = (97.5, 2.5);
const WHOLE: [(&str, f64, f64); 2] = [("tuned", 91.0, 1.1), ("reported", 79.0, 1.1)];

#[derive(Deserialize)]
struct Set {
    texts: Vec<Text>,
}

/// A text of a set.
#[derive(Deserialize)]
struct Text {
    kind: String,
    form: String,
    #[serde(default)]
    name: String,
    text: String,
}

impl Text {
    fn is_plain(&self) -> bool {
        PLAIN.contains(&&*self.kind)
    }

    fn without_name(&self) -> Verdict {
        verdict(&self.kind, detect(self.text.as_bytes(), None).name())
    }

    fn with_name(&self) -> Verdict {
        let found = detect(self.text.as_bytes(), Some(&self.name));
        verdict(&self.kind, found.name())
    }
}

fn texts(set: &[u8]) -> Vec<Text> {
    let mut json = String::new();
    GzDecoder::new(set).read_to_string(&mut json).unwrap();
    serde_json::from_str::<Set>(&json).unwrap().texts
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Wrong,
    Plain,
    Right,
}

fn verdict(kind: &str, found: &str) -> Verdict {
    let expected = if PLAIN.contains(&kind) { "text" } else { kind };
    let is_alike = |group: &&[&str]| group.contains(&expected) && group.contains(&found);
    match found {
        _ if found == expected || ALIKE.iter().any(is_alike) => Verdict::Right,
        "text" => Verdict::Plain,
        _ => Verdict::Wrong,
    }
}

/// Shares of texts in percent.
#[derive(Debug)]
struct Shares {
    right: f64,
    wrong: f64,
}

fn shares(verdicts: impl Iterator<Item = Verdict>) -> Shares {
    let verdicts: Vec<_> = verdicts.collect();
    assert!(verdicts.len() >= 20, "{}", verdicts.len());
    let share = |wanted| {
        let found = verdicts.iter().filter(|verdict| **verdict == wanted);
        100.0 * found.count() as f64 / verdicts.len() as f64
    };
    Shares {
        right: share(Verdict::Right),
        wrong: share(Verdict::Wrong),
    }
}

fn assert_shares(name: &str, found: &Shares, right: f64, wrong: f64) {
    assert!(found.right >= right, "{name}: {found:?}");
    assert!(found.wrong <= wrong, "{name}: {found:?}");
}

#[test]
fn typical_pastes_get_their_language_and_plain_texts_stay_plain() {
    let texts = TYPICAL.split("=== ").filter(|text| !text.is_empty());
    let texts = texts.filter_map(|text| text.split_once('\n'));
    let is_plain = |(kind, _): &(&str, &str)| PLAIN.contains(kind);
    let (plain, code): (Vec<_>, Vec<_>) = texts.partition(is_plain);
    let shares_of = |texts: Vec<(&str, &str)>| {
        let found = texts.into_iter();
        shares(found.map(|(kind, text)| verdict(kind, detect(text.as_bytes(), None).name())))
    };
    let code = shares_of(code);
    assert_shares("typical code", &code, TYPICAL_CODE.0, TYPICAL_CODE.1);
    assert_shares("typical plain", &shares_of(plain), 99.0, 1.0);
}

#[test]
fn drawn_texts_mostly_get_the_language_of_their_file() {
    let sets = DRAWN.map(texts);
    for (set, (short, middle)) in sets.iter().zip(DRAWN_SHORT.into_iter().zip(DRAWN_MIDDLE)) {
        for (form, (right, wrong)) in [("short", short), ("middle", middle)] {
            let code = set
                .iter()
                .filter(|text| text.form == form && !text.is_plain());
            let found = shares(code.map(Text::without_name));
            assert_shares(form, &found, right, wrong);
        }
    }
    let plain = sets.iter().flatten().filter(|text| text.is_plain());
    let plain = shares(plain.map(Text::without_name));
    assert_shares("drawn plain", &plain, DRAWN_PLAIN.0, DRAWN_PLAIN.1);
}

#[test]
fn whole_outputs_get_their_kind_and_a_name_makes_none_worse() {
    let outputs = texts(OUTPUTS);
    for (form, right, wrong) in WHOLE {
        let chosen = || outputs.iter().filter(|text| text.form == form);
        assert_shares(
            form,
            &shares(chosen().map(Text::without_name)),
            right,
            wrong,
        );
        assert_shares(form, &shares(chosen().map(Text::with_name)), right, wrong);
    }
    for text in outputs {
        let (without, with) = (text.without_name(), text.with_name());
        assert!(with >= without, "{} {:?} {:?}", text.name, without, with);
    }
}
