//! The names of tests: sentences, short enough to be read in a list.

use crate::{code, sources};

/// Every test below a folder, with its file: a function after `#[test]` or another attribute of that name.
fn test_names(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (file, text) in sources(folder) {
        let mut is_test = false;
        for line in code(&text).map(str::trim_start) {
            let signature = line.strip_prefix("async ").unwrap_or(line);
            if line.starts_with("#[") {
                is_test |= line.starts_with("#[test]") || line.contains("::test]");
            } else if let Some(rest) = signature.strip_prefix("fn ") {
                let name = rest.split(['(', '<']).next().unwrap_or(rest);
                if std::mem::take(&mut is_test) {
                    found.push((file.clone(), name.to_owned()));
                }
            }
        }
    }
    found
}

#[test]
fn no_test_name_is_longer_than_eighty_characters() {
    let names: Vec<_> = ["src", "tests"].map(test_names).concat();
    assert!(names.len() > 500, "only {} tests were found", names.len());
    let long: Vec<_> = names.iter().filter(|(_, name)| name.len() > 80).collect();
    assert!(long.is_empty(), "{long:#?}");
}
