//! The classifier finds the most likely language of a text that has no certain sign of one.
//!
//! Method: a linear model (multinomial logistic regression). Each [feature](features) of the text that the table knows
//! adds its weights to the scores of some languages. The weight grows with the number of occurrences, but slowly, so no
//! repeated line decides alone. Plain text is one of the languages, and it wins if no other one is likely enough.
//! Source: the [`table`] was made by `cargo bench --bench languages -- train` from the sources in
//! `benches/languages/sources.txt`. A feature is in the table only if the code of several authors has it.
//! Cost: one pass over the first 4 KiB, and a sort of the features found. `docs/performance.md` has the time and how
//! often the result is right.

mod features;
mod layout;
mod table;

use memchr::memmem;

use table::TABLE;

/// How likely a language must be, or all of its relatives together. Below, plain text is the better answer.
const LIKELY: f32 = 0.7;

/// How likely a language must be compared with all of its relatives together: the first of a family, which the others
/// contain, and the others.
const LIKELY_OF_FAMILY: [f32; 2] = [0.6, 0.8];

/// Languages that contain most of each other, so a short text may be in several of them.
const FAMILIES: [&[&str]; 3] = [
    &["javascript", "typescript"],
    &["css", "scss"],
    &["c", "cpp", "objective-c"],
];

/// How many different known features a text must have. Below, it is too short to tell: about three lines of code.
const ENOUGH: usize = 40;

/// Returns the name of the most likely language, or `None` if no language is likely enough.
pub(super) fn classify(text: &[u8]) -> Option<&'static str> {
    let likelihoods = likelihoods(text)?;
    // Each language, with its forms that contain markup.
    let languages = || {
        TABLE
            .languages
            .iter()
            .map(|&name| without_markup(name))
            .zip(&likelihoods)
    };
    let likely = |name: &str| -> f32 {
        languages()
            .filter(|(other, _)| *other == name)
            .map(|(_, likelihood)| likelihood)
            .sum()
    };
    let (best, _) = languages().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let alone = [best];
    let family = FAMILIES
        .into_iter()
        .find(|family| family.contains(&best))
        .unwrap_or(&alone);
    let of_family: f32 = family.iter().map(|name| likely(name)).sum();
    let least = LIKELY_OF_FAMILY[usize::from(family[0] != best)];
    let is_likely = of_family >= LIKELY && likely(best) >= least * of_family;
    if best == "text" || !is_likely {
        return None;
    }
    let has_markup = || {
        ["</", "/>"]
            .iter()
            .any(|sign| memmem::find(text, sign.as_bytes()).is_some())
    };
    // The grammar of TypeScript takes markup for types. The grammar of JavaScript knows markup.
    Some(if best == "typescript" && has_markup() {
        "tsx"
    } else {
        best
    })
}

/// Returns the language whose files have no markup, of two that are told apart by nothing else.
fn without_markup(name: &'static str) -> &'static str {
    match name {
        "jsx" => "javascript",
        "tsx" => "typescript",
        name => name,
    }
}

/// Returns how likely each language of the table is. Returns `None` if the text is too short to tell.
fn likelihoods(text: &[u8]) -> Option<Vec<f32>> {
    let mut rows = Vec::new();
    features::each(text, |feature| rows.extend(TABLE.row(feature)));
    rows.sort_unstable();
    let counted = || rows.chunk_by(|a, b| a == b);
    let known = counted().count();
    if known < ENOUGH {
        return None;
    }
    let scale = features::scale(known);
    let mut scores = TABLE.biases.clone();
    for row in counted() {
        let value = features::value(row.len()) * scale;
        for (language, weight) in TABLE.weights(row[0]) {
            scores[language] += weight * value;
        }
    }
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    scores
        .iter_mut()
        .for_each(|score| *score = (*score - most).exp());
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
    Some(scores)
}

#[cfg(test)]
mod tests;
