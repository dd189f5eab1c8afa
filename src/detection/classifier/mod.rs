//! The classifier finds the most likely language of a text that has no certain sign of one.
//!
//! Method: a linear model (multinomial logistic regression). Each [feature](features) of the text that the table knows
//! adds its weights to the scores of some languages. The weight grows with the number of occurrences, but slowly, so no
//! repeated line decides alone. Plain text is one of the languages, and it wins if no other one is likely enough.
//! A family of languages that contain most of each other is likely as a whole. Then how likely its languages are
//! decides, and a line that only [Sass](sass) has.
//! Source: `cargo bench --bench languages -- train` makes the [`table`] from the repositories of
//! `benches/languages/sources.txt` and the packages of `packages.txt` beside it. A feature is in the table only if the code of
//! several authors has it. The thresholds are right for authors that a table did not know.
//! Cost: one pass over the first 4 KiB, and a sort of the features found. `benches/languages` measures the time and how
//! often the result is right.

mod features;
mod layout;
mod sass;
mod table;

use memchr::memmem;

use sass::has_sass;
use table::TABLE;

/// How likely a language must be, together with all of its family. Below, plain text is the better answer.
const LIKELY: f32 = 0.85;

/// How likely a language must be compared with its family, if no sign decides and it is not the first.
const LIKELY_OF_FAMILY: f32 = 0.95;

/// A language, and others that contain most of it. A short text may be in several of them.
struct Family {
    names: &'static [&'static str],
    /// How likely the first language, which the others contain, must be compared with its family if no sign decides.
    /// TypeScript without types is JavaScript and has the same colours, so JavaScript needs little.
    least_of_first: f32,
}

const FAMILIES: [Family; 3] = [
    Family {
        names: &["javascript", "typescript", "jsx", "tsx"],
        least_of_first: 0.2,
    },
    Family {
        names: &["css", "scss"],
        least_of_first: 0.5,
    },
    Family {
        names: &["c", "cpp", "objective-c"],
        least_of_first: 0.5,
    },
];

/// How many different known features a text must have. Below, it is too short to tell: less than a line of code.
const ENOUGH: usize = 16;

/// Returns the name of the most likely language, or `None` if no language is likely enough.
pub(super) fn classify(text: &[u8]) -> Option<&'static str> {
    let likelihoods = likelihoods(text)?;
    let named = || {
        TABLE
            .languages
            .iter()
            .copied()
            .zip(likelihoods.iter().copied())
    };
    let likely = |names: &[&str]| -> f32 {
        let members = named().filter(|(name, _)| names.contains(name));
        members.map(|(_, likelihood)| likelihood).sum()
    };
    let family = FAMILIES
        .iter()
        .map(|family| (family, likely(family.names)))
        .max_by(|(_, a), (_, b)| a.total_cmp(b));
    let (best, likelihood) = named().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    match family {
        Some((family, of_family)) if of_family >= likelihood => {
            let best = member(family, |names| likely(names) / of_family, text)?;
            (of_family >= LIKELY).then_some(best)
        }
        _ => (likelihood >= LIKELY && best != "text").then_some(best),
    }
}

/// Returns the language of this family that the text is in. `likely` tells how likely some of its languages are.
fn member(family: &Family, likely: impl Fn(&[&str]) -> f32, text: &[u8]) -> Option<&'static str> {
    // JavaScript and TypeScript with markup are told apart by nothing else.
    let with_markup = |name| match name {
        "javascript" => ["javascript", "jsx"],
        "typescript" => ["typescript", "tsx"],
        name => [name; 2],
    };
    let likely_of = |name| likely(&with_markup(name));
    let names = || {
        family
            .names
            .iter()
            .copied()
            .filter(|name| !["jsx", "tsx"].contains(name))
    };
    let mut best = names().max_by(|a, b| likely_of(a).total_cmp(&likely_of(b)))?;
    let first = *family.names.first()?;
    if ["css", "scss"].contains(&best) && has_sass(text) {
        best = "scss";
    } else if likely_of(best) < LIKELY_OF_FAMILY || best == first {
        if likely_of(first) < family.least_of_first {
            return None;
        }
        best = first;
    }
    // The grammar of TypeScript takes markup for types. The grammar of JavaScript knows markup.
    let has_markup = || {
        ["</", "/>"]
            .iter()
            .any(|sign| memmem::find(text, sign.as_bytes()).is_some())
    };
    let is_tsx = best == "typescript" && likely(&["jsx", "tsx"]) >= 0.5 && has_markup();
    Some(if is_tsx { "tsx" } else { best })
}

/// Returns how likely each language of the table is. Returns `None` if the text is too short to tell.
fn likelihoods(text: &[u8]) -> Option<Vec<f32>> {
    let rows = features::counted(text, |feature| TABLE.row(feature));
    if rows.len() < ENOUGH {
        return None;
    }
    let scale = features::scale(rows.len());
    let mut scores = TABLE.biases.clone();
    for (row, occurrences) in rows {
        let value = features::value(occurrences) * scale;
        for (language, weight) in TABLE.weights(row) {
            scores[language] += weight * value;
        }
    }
    features::softmax(&mut scores);
    Some(scores)
}

#[cfg(test)]
mod tests;
