//! How often the detection is right, by language.

use std::collections::BTreeMap;

use tidebin::detection::detect;

use crate::corpus::Sample;
use crate::train::LANGUAGES;

#[derive(Default)]
struct Row {
    count: u32,
    right: u32,
    plain: u32,
    /// The wrong languages.
    wrong: BTreeMap<&'static str, u32>,
}

/// Prints a table of Markdown. `VERBOSE` is a variable that also prints the wrong texts.
pub(crate) fn print(samples: &[Sample]) {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    for sample in samples {
        let expected = match sample.language.as_str() {
            "jsx" => "javascript",
            // Without markup, it is TypeScript.
            "tsx" if !sample.text.contains("</") && !sample.text.contains("/>") => "typescript",
            name => name,
        };
        if !LANGUAGES
            .split(' ')
            .chain(["csv", "diff", "log", "tsv"])
            .any(|name| name == expected)
        {
            continue;
        }
        let found = detect(sample.text.as_bytes(), None).name();
        let row = rows.entry(expected).or_default();
        row.count += 1;
        match found {
            found if found == expected => row.right += 1,
            "text" => row.plain += 1,
            _ => {
                *row.wrong.entry(found).or_default() += 1;
                if std::env::var_os("VERBOSE").is_some() {
                    println!(
                        "=== {} is not {found}\n{}",
                        sample.file.display(),
                        sample.text
                    );
                }
            }
        }
    }
    println!(
        "| language | texts | right | wrong | plain | most wrong |\n|---|--:|--:|--:|--:|---|"
    );
    for (language, row) in &rows {
        let percent = |count: u32| 100.0 * f64::from(count) / f64::from(row.count);
        let wrong = row.wrong.values().sum();
        let mut names: Vec<_> = row.wrong.iter().collect();
        names.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let names: Vec<String> = names
            .iter()
            .take(3)
            .map(|(name, n)| format!("{name} {n}"))
            .collect();
        println!(
            "| {language} | {} | {:.1} | {:.1} | {:.1} | {} |",
            row.count,
            percent(row.right),
            percent(wrong),
            percent(row.plain),
            names.join(", ")
        );
    }
    let coded = rows
        .iter()
        .filter(|(language, _)| **language != "text")
        .map(|(_, row)| row);
    let (mut count, mut right, mut plain, mut even) = (0, 0, 0, [0.0; 3]);
    for row in coded.clone() {
        count += row.count;
        right += row.right;
        plain += row.plain;
        let each = [row.right, row.count - row.right - row.plain, row.plain];
        even.iter_mut()
            .zip(each)
            .for_each(|(sum, n)| *sum += 100.0 * f64::from(n) / f64::from(row.count));
    }
    let languages = coded.count() as f64;
    println!(
        "all texts: {count}, right {right}, plain {plain}, wrong {}",
        count - right - plain
    );
    println!(
        "mean of languages: right, wrong, plain {:.1?}",
        even.map(|sum| sum / languages)
    );
}
