//! How often a test repeats what only many rounds can find.

/// This many rounds, times `TIDEBIN_TEST_ROUNDS`, which `tests/run --long` sets.
pub fn rounds(few: u32) -> u32 {
    let factor = std::env::var("TIDEBIN_TEST_ROUNDS").map_or(1, |factor| {
        factor
            .parse()
            .expect("TIDEBIN_TEST_ROUNDS is a whole number")
    });
    few * factor
}
