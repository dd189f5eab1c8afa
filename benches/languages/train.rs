//! Finds the weights: multinomial logistic regression by stochastic gradients (Adagrad), with an L1 penalty on each
//! difference to the table that was there. It goes [a part](SHARE) of the way: the table before knows other authors, so
//! the mean of both is right more often than either, and less sure of what it does not know.
//!
//! The habits of one project or author must not weigh. So a feature needs [`AUTHORS`], a step of the training sees a
//! random part of a text's features, and each author of a language is chosen as often as the square root of the number
//! of texts. The weights of a language with few authors stay.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::corpus::Sample;
use crate::dice::Dice;
use crate::features;
use crate::layout::{BUCKETS, PER_UNIT};

/// The languages that are told apart. All others are plain text. A text in JSON or a diff has certain signs.
pub(crate) const LANGUAGES: &str = "text asm bash batch c clojure cmake cpp csharp css dart dockerfile dotenv elixir emacs-lisp erlang fsharp go graphql groovy haskell html ignore ini java javascript json jsx julia kotlin latex log lua makefile markdown matlab nginx nim nix objective-c ocaml perl php powershell proto python r rst ruby rust scala scss shellsession solidity sql svelte swift systemd tcl terraform toml tsx typescript vim vue xml yaml zig";

/// Number of features in the table.
const ROWS: usize = 21_000;
/// Fewest authors and texts that have a feature of the table.
const AUTHORS: usize = 4;
const TEXTS: usize = 12;
/// Fewest authors of a language whose weights change.
const AUTHORS_OF_LANGUAGE: usize = 6;
/// The bits of a feature that the table stores.
const KEPT_BITS: u32 = !15;
/// Number of texts of each language in one round, and of rounds to choose the features and to find their weights. The
/// weights are the means of those after each round but the first third.
const TEXTS_PER_ROUND: usize = 1000;
const ROUNDS: [usize; 2] = [6, 12];
const PENALTY: f32 = 1.5e-4;
/// The largest weight.
const MOST: f32 = 6.0;
/// How far the weights go from those of the table to those that were found.
const SHARE: f32 = 0.55;

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

/// Goes on from this table with the texts.
pub(crate) fn train(samples: &[Sample], table: &[u8]) -> Model {
    let languages: Vec<&str> = LANGUAGES.split(' ').collect();
    let number = |name: &str| languages.iter().position(|it| *it == name);
    let texts: Vec<Text> = samples
        .iter()
        .filter(|sample| !["jsonc", "diff"].contains(&sample.language.as_str()))
        .map(|sample| Text {
            language: match sample.language.as_str() {
                "less" => number("css"),
                name => number(name),
            }
            .unwrap_or(0),
            author: sample.author,
            features: features::counted(sample.text.as_bytes(), |it| Some(it & KEPT_BITS)),
        })
        .collect();
    let (biases, rows) = read(table, languages.len());
    let mut features = known_by_several(&texts);
    features.extend(rows.iter().map(|(feature, _)| feature));
    features.sort_unstable();
    features.dedup();
    println!("{} texts, {} features", texts.len(), features.len());
    let mut weights = vec![0.0; features.len() * languages.len()];
    for (feature, of_row) in rows {
        let row = features.binary_search(&feature).unwrap() * languages.len();
        of_row
            .into_iter()
            .for_each(|(language, weight)| weights[row + language] = weight);
    }
    weights.extend(biases);
    let mut first = weights.clone();
    let mut model = Model {
        features,
        weights,
        languages,
    };
    let mut dice = Dice::default();
    descend(&mut model, &texts, ROUNDS[0], &mut dice, &first);
    let kept = keep_heaviest(&mut model);
    let count = model.languages.len();
    first = kept
        .iter()
        .flat_map(|row| first[row * count..(row + 1) * count].to_vec())
        .collect();
    descend(&mut model, &texts, ROUNDS[1], &mut dice, &first);
    for (weight, first) in model.weights.iter_mut().zip(first) {
        *weight = first + SHARE * (*weight - first);
    }
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

/// Keeps the features whose weights differ most between languages, and the bias. Returns the numbers of their rows.
fn keep_heaviest(model: &mut Model) -> Vec<usize> {
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
    rows
}

/// Makes the texts more likely, step by step.
fn descend(model: &mut Model, texts: &[Text], rounds: usize, dice: &mut Dice, first: &[f32]) {
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
    let is_learned = |authors: &BTreeMap<_, _>| authors.len() >= AUTHORS_OF_LANGUAGE;
    let mut steps = Steps {
        squares: vec![1e-2; model.weights.len()],
        learned: by_author.iter().map(is_learned).collect(),
        first,
    };
    let mut mean = vec![0.0; model.weights.len()];
    for round in 0..rounds {
        let rate = 0.004 + 0.04 * (1.0 - round as f32 / rounds as f32);
        let mut loss = 0.0;
        for _ in 0..count * TEXTS_PER_ROUND {
            // Plain text is chosen more often, because it is of many kinds.
            let language = dice.below(count + 6).saturating_sub(6);
            if !steps.learned[language] {
                continue;
            }
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
            loss += steps.step(model, &part, language, rate);
        }
        if let Some(before) = round.checked_sub(rounds / 3) {
            let means = mean.iter_mut().zip(&model.weights);
            means.for_each(|(mean, weight)| *mean += (weight - *mean) / (before + 1) as f32);
        }
        let shown = loss / (count * TEXTS_PER_ROUND) as f32;
        println!("round {round}: loss {shown:.4}");
    }
    model.weights = mean;
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

struct Steps<'a> {
    /// The sum of the squares of the gradients of each weight.
    squares: Vec<f32>,
    /// Whether the weights of each language change.
    learned: Vec<bool>,
    /// The weights of the table that was there.
    first: &'a [f32],
}

impl Steps<'_> {
    /// Moves the weights of these features towards the language. Returns how unlikely the language was.
    fn step(
        &mut self,
        model: &mut Model,
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
        let learned = (0..count).filter(|language| self.learned[*language]);
        for (row, value) in features {
            for language in learned.clone() {
                let at = row * count + language;
                let gradient = scores[language] * value;
                self.squares[at] += gradient * gradient;
                let rate = rate / self.squares[at].sqrt();
                let moved = model.weights[at] - self.first[at] - rate * gradient;
                let shrunk = (moved.abs() - rate * PENALTY).max(0.0).copysign(moved);
                model.weights[at] = (shrunk + self.first[at]).clamp(-MOST, MOST);
            }
        }
        loss
    }
}

/// The feature of a row of the table, and the weights of languages by their numbers.
type Row = (u32, Vec<(usize, f32)>);

/// Reads the table that [`crate::write`] wrote: the bias of each language, and the rows.
fn read(table: &[u8], languages: usize) -> (Vec<f32>, Vec<Row>) {
    let names_end = table.iter().position(|byte| *byte == b'\n').unwrap();
    let (numbers, _) = table[names_end + 1..].as_chunks::<4>();
    let (biases, numbers) = numbers.split_at(languages);
    let starts: Vec<usize> = numbers[..=BUCKETS]
        .iter()
        .map(|start| u32::from_le_bytes(*start) as usize)
        .collect();
    let of_rows = &table[names_end + 1 + 4 * (languages + starts.len())..];
    let mut rows = Vec::new();
    for (bucket, range) in (0..).zip(starts.windows(2)) {
        let mut rest = &of_rows[range[0]..range[1]];
        while let [high, low, count, after @ ..] = rest {
            let (weights, after) = after.split_at(2 * usize::from(*count));
            let weights = weights.chunks_exact(2).map(|weight| {
                let stored = f32::from(weight[1].cast_signed());
                (usize::from(weight[0]), stored / PER_UNIT)
            });
            let key = u32::from(u16::from_be_bytes([*high, *low]));
            rows.push((feature(bucket, key), weights.collect()));
            rest = after;
        }
    }
    let biases = biases.iter().map(|bias| f32::from_le_bytes(*bias));
    (biases.collect(), rows)
}

/// Returns the feature with this bucket and this key, without the bits that the table does not store.
fn feature(bucket: u32, key: u32) -> u32 {
    bucket << 20 | key << 4
}
