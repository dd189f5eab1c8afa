//! Expiry options: the lifetimes that the editor offers.
//!
//! Invariants: the server allows every offered lifetime. The default lifetime is one of them, and it is selected for a
//! new paste.

use crate::paste::Expiry;

/// An `<option>` of the menu of lifetimes.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::page) struct ExpiryOption {
    pub(in crate::page) value: String,
    pub(in crate::page) label: String,
    pub(in crate::page) is_selected: bool,
}

/// Seconds in a year. A year has its own label.
const YEAR: u64 = 365 * 24 * 3600;

/// Returns the usual lifetimes up to the longest allowed one. The default lifetime is inserted in order.
pub(in crate::page) fn expiry_options(
    default: Expiry,
    longest: Expiry,
    selects_default: bool,
) -> Vec<ExpiryOption> {
    const USUAL: [u64; 6] = [600, 3600, 86_400, 7 * 86_400, 30 * 86_400, YEAR];
    let usual = USUAL.map(|seconds| Expiry::from_seconds(seconds).expect("a usual lifetime"));
    let mut offered: Vec<Expiry> = usual
        .into_iter()
        .chain([Expiry::Never])
        .filter(|expiry| *expiry <= longest)
        .chain([default])
        .collect();
    offered.sort_unstable();
    offered.dedup();
    offered
        .into_iter()
        .map(|expiry| ExpiryOption {
            value: expiry.to_string(),
            label: label(expiry),
            is_selected: selects_default && expiry == default,
        })
        .collect()
}

fn label(expiry: Expiry) -> String {
    match expiry.seconds() {
        Some(YEAR) => "in 1 year".to_owned(),
        Some(_) => format!("in {}", expiry.in_words()),
        None => "never".to_owned(),
    }
}
