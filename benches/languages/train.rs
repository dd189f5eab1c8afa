//! Finds the weights: multinomial logistic regression by stochastic gradients (Adagrad), with an L1 penalty that makes
//! most weights zero.
//!
//! The habits of one project or author must not weigh. So a feature needs [`AUTHORS`], a step of the training sees a
//! random part of a text's features, and each author of a language is chosen as often as the square root of the number
//! of texts.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::corpus::Sample;
use crate::dice::Dice;
use crate::features;

/// The languages that are told apart. All others are plain text. A text in JSON or a diff has certain signs.
pub(crate) const LANGUAGES: &str = "text asm bash batch c clojure cmake cpp csharp css dart dockerfile dotenv elixir emacs-lisp erlang fsharp go graphql groovy haskell html ignore ini java javascript json jsx julia kotlin latex log lua makefile markdown matlab nginx nim nix objective-c ocaml perl php powershell proto python r rst ruby rust scala scss shellsession solidity sql svelte swift systemd tcl terraform toml tsx typescript vim vue xml yaml zig";

/// Number of features in the table.
const ROWS: usize = 20_000;
/// Fewest authors and texts that have a feature of the table.
const AUTHORS: usize = 4;
const TEXTS: usize = 12;
/// Number of texts of each language in one round, and of rounds to choose the features and to find their weights.
const TEXTS_PER_ROUND: usize = 700;
const ROUNDS: [usize; 2] = [3, 6];
const PENALTY: f32 = 1.5e-4;
/// The largest weight.
const MOST: f32 = 6.0;

/// The features of the table, and the weights of all languages for each. The last row is the bias of each language.
pub(crate) struct Model {
    pub(crate) features: Vec<u32>,
    pub(crate) weights: Vec<f32>,
    pub(crate) languages: Vec<&'static str>,
}

impl Model {
    pub(crate) fn row(&self, row: usize) -> &[f32] {
        &self.weights[row * self.languages.len()..][..self.languages.len()]
    }
}

struct Text {
    language: usize,
    author: usize,
    /// Each feature with its number of occurrences.
    features: Vec<(u32, usize)>,
}

pub(crate) fn train(samples: &[Sample]) -> Model {
    let languages: Vec<&str> = LANGUAGES.split(' ').collect();
    let texts: Vec<Text> = samples
        .iter()
        .filter(|sample| !["jsonc", "diff", "less"].contains(&sample.language.as_str()))
        .map(|sample| Text {
            language: languages
                .iter()
                .position(|name| *name == sample.language)
                .unwrap_or(0),
            author: sample.author,
            features: features::counted(sample.text.as_bytes(), Some),
        })
        .collect();
    let features = known_by_several(&texts);
    println!("{} texts, {} features", texts.len(), features.len());
    let zeros = vec![0.0; (features.len() + 1) * languages.len()];
    let mut model = Model {
        features,
        weights: zeros,
        languages,
    };
    let mut dice = Dice::default();
    descend(&mut model, &texts, ROUNDS[0], &mut dice);
    keep_heaviest(&mut model);
    descend(&mut model, &texts, ROUNDS[1], &mut dice);
    model
}

/// Returns the features that enough authors and texts have, in order.
fn known_by_several(texts: &[Text]) -> Vec<u32> {
    let mut seen: HashMap<u32, (HashSet<usize>, usize)> = HashMap::new();
    for text in texts {
        for (feature, _) in &text.features {
            let (authors, count) = seen.entry(*feature).or_default();
            if authors.len() < AUTHORS {
                authors.insert(text.author);
            }
            *count += 1;
        }
    }
    let known = seen
        .into_iter()
        .filter(|(_, (by, count))| by.len() >= AUTHORS && *count >= TEXTS);
    let mut features: Vec<u32> = known.map(|(feature, _)| feature).collect();
    features.sort_unstable();
    features
}

/// Keeps the features whose weights differ most between languages, and the bias.
fn keep_heaviest(model: &mut Model) {
    let variance = |row: &usize| {
        let row = model.row(*row);
        let mean = row.iter().sum::<f32>() / row.len() as f32;
        row.iter()
            .map(|weight| (weight - mean).powi(2))
            .sum::<f32>()
    };
    let mut rows: Vec<usize> = (0..model.features.len()).collect();
    rows.sort_by(|a, b| variance(b).total_cmp(&variance(a)));
    rows.truncate(ROWS);
    rows.sort_unstable();
    let features = rows.iter().map(|row| model.features[*row]).collect();
    rows.push(model.features.len());
    model.weights = rows
        .iter()
        .flat_map(|row| model.row(*row).to_vec())
        .collect();
    model.features = features;
}

/// Makes the texts more likely, step by step.
fn descend(model: &mut Model, texts: &[Text], rounds: usize, dice: &mut Dice) {
    let count = model.languages.len();
    let numbers: HashMap<u32, usize> = model.features.iter().copied().zip(0..).collect();
    let known: Vec<Vec<(usize, f32)>> = texts
        .iter()
        .map(|text| {
            let row = |(feature, count): &(u32, usize)| {
                Some((*numbers.get(feature)?, features::value(*count)))
            };
            text.features.iter().filter_map(row).collect()
        })
        .collect();
    let mut by_author = vec![BTreeMap::<usize, Vec<usize>>::new(); count];
    for (number, text) in texts.iter().enumerate() {
        by_author[text.language]
            .entry(text.author)
            .or_default()
            .push(number);
    }
    let mut squares = vec![1e-2_f32; model.weights.len()];
    for round in 0..rounds {
        let rate = 0.004 + 0.08 * (1.0 - round as f32 / rounds as f32);
        let mut loss = 0.0;
        for _ in 0..count * TEXTS_PER_ROUND {
            // Plain text is chosen more often, because it is of many kinds.
            let language = dice.below(count + 6).saturating_sub(6);
            let text = choose(&by_author[language], dice);
            let eighths = 4 + dice.below(5);
            let mut part: Vec<(usize, f32)> = known[text]
                .iter()
                .copied()
                .filter(|_| dice.below(8) < eighths)
                .collect();
            let scale = features::scale(part.len());
            part.iter_mut().for_each(|(_, value)| *value *= scale);
            part.push((model.features.len(), 1.0));
            loss += step(model, &mut squares, &part, language, rate);
        }
        println!(
            "round {round}: loss {:.4}",
            loss / (count * TEXTS_PER_ROUND) as f32
        );
    }
}

/// Returns a text of a random author.
fn choose(authors: &BTreeMap<usize, Vec<usize>>, dice: &mut Dice) -> usize {
    let share = |texts: &Vec<usize>| texts.len().isqrt();
    let mut at = dice.below(authors.values().map(share).sum());
    for texts in authors.values() {
        match at.checked_sub(share(texts)) {
            Some(rest) => at = rest,
            None => return texts[dice.below(texts.len())],
        }
    }
    unreachable!("`at` is less than the sum of the shares")
}

/// Moves the weights of these features towards the language. Returns how unlikely the language was.
fn step(
    model: &mut Model,
    squares: &mut [f32],
    features: &[(usize, f32)],
    language: usize,
    rate: f32,
) -> f32 {
    let count = model.languages.len();
    let mut scores = vec![0.0; count];
    for (row, value) in features {
        for (score, weight) in scores.iter_mut().zip(model.row(*row)) {
            *score += value * weight;
        }
    }
    features::softmax(&mut scores);
    let loss = -scores[language].max(1e-9).ln();
    scores[language] -= 1.0;
    for (row, value) in features {
        let of_row = row * count..(row + 1) * count;
        let (weights, squares) = (&mut model.weights[of_row.clone()], &mut squares[of_row]);
        for ((weight, square), score) in weights.iter_mut().zip(squares).zip(&scores) {
            let gradient = score * value;
            *square += gradient * gradient;
            let rate = rate / square.sqrt();
            let moved = *weight - rate * gradient;
            let shrunk = (moved.abs() - rate * PENALTY).max(0.0);
            *weight = shrunk.min(MOST).copysign(moved);
        }
    }
    loss
}
