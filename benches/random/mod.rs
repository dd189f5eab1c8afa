//! Random numbers that are the same in every run.

#![allow(dead_code, unreachable_pub, reason = "each bench uses its part")]

/// Returns the random number for this seed: splitmix64 (Steele, Lea, Flood 2014).
pub fn random(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns this many random bytes for this seed.
pub fn random_bytes(count: usize, seed: u64) -> Vec<u8> {
    let first = random(!seed);
    let numbers = (0..count as u64).step_by(8);
    let mut bytes: Vec<u8> = numbers
        .flat_map(|n| random(first.wrapping_add(n)).to_le_bytes())
        .collect();
    bytes.truncate(count);
    bytes
}
