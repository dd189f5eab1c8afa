//! Writes the table of weights.

use crate::layout::{BUCKETS, PER_UNIT, bucket, key};
use crate::train::Model;

/// The smallest weight that is written, as the table stores it.
const LEAST: i8 = 2;

/// Returns the file, as [`crate::layout`] says.
pub(crate) fn file(model: &Model) -> Vec<u8> {
    let mut file = model.languages.join(" ").into_bytes();
    file.push(b'\n');
    for bias in model.row(model.features.len()) {
        file.extend(bias.to_le_bytes());
    }
    let mut buckets = vec![Vec::new(); BUCKETS];
    for (row, feature) in model.features.iter().enumerate() {
        let stored = |weight: &f32| (weight * PER_UNIT).round() as i8;
        let weights: Vec<[u8; 2]> = (0..)
            .zip(model.row(row).iter().map(stored))
            .filter(|(_, weight)| weight.unsigned_abs() >= LEAST.unsigned_abs())
            .map(|(language, weight)| [language, weight.cast_unsigned()])
            .collect();
        if !weights.is_empty() {
            let bucket = &mut buckets[bucket(*feature)];
            bucket.extend(key(*feature));
            bucket.push(u8::try_from(weights.len()).unwrap());
            bucket.extend(weights.as_flattened());
        }
    }
    let mut start = 0;
    for bucket in &buckets {
        file.extend(u32::to_le_bytes(start));
        start += u32::try_from(bucket.len()).unwrap();
    }
    file.extend(start.to_le_bytes());
    file.extend(buckets.concat());
    file
}
