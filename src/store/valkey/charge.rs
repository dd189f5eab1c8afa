//! What a paste is charged in the engine, and into how many shards a budget is divided.
//!
//! Invariant: a paste takes no more of the engine's memory than it is charged. `cargo bench --bench shared` measures
//! it.

use super::header::Header;

/// Bytes that a paste is charged in addition to its value: its keys, and its places in all indexes. Measured with
/// pastes that were read in every hour of a month.
const OVERHEAD: usize = 1152;

/// More bytes than the title, the language, the slug and the seals of a paste take.
const MARGIN: usize = 16 * 1024;

/// The most shards. 64 primaries of a Cluster can have one each.
pub(super) const MOST_SHARDS: u16 = 64;

/// A shard has room for this number of the largest pastes. A client that had no paste in a full shard yet takes room
/// for its first one there from others, so this is the largest part that it can take.
const LARGEST_IN_SHARD: usize = 64;

/// Returns what a paste is charged whose value has this number of bytes.
pub(super) fn charge(value: usize) -> usize {
    OVERHEAD.saturating_add(allocated(value))
}

/// Returns the most that a paste is charged whose content has this number of bytes.
pub(super) fn most_charge(content: usize) -> usize {
    charge(content.saturating_add(MARGIN + Header::BYTES))
}

/// Returns the number of shards for a new key space of this budget.
pub(super) fn usual_shards(budget: usize, largest_content: usize) -> u16 {
    let in_shard = most_charge(largest_content).saturating_mul(LARGEST_IN_SHARD);
    let shards = u16::try_from(budget / in_shard).unwrap_or(MOST_SHARDS);
    shards.clamp(1, MOST_SHARDS)
}

/// Returns the bytes that the engine's allocator takes. jemalloc has four sizes from each power of two to the next.
fn allocated(bytes: usize) -> usize {
    let step = bytes.checked_next_power_of_two().unwrap_or(bytes) / 8;
    bytes
        .checked_next_multiple_of(step.max(16))
        .unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_charged_the_size_that_the_allocator_takes_for_it() {
        for (bytes, taken) in [
            (1, 16),
            (128, 128),
            (129, 160),
            (1165, 1280),
            (1 << 20, 1 << 20),
            ((1 << 20) + 1, (1 << 20) + (256 << 10)),
        ] {
            assert_eq!(charge(bytes), OVERHEAD + taken);
        }
        assert!(most_charge(usize::MAX) >= usize::MAX / 2);
    }

    #[test]
    fn a_budget_has_as_many_shards_as_hold_64_of_the_largest_pastes() {
        const MIB: usize = 1 << 20;
        for (budget, largest, shards) in [
            (MIB, MIB, 1),
            (128 * MIB, MIB, 1),
            (1024 * MIB, MIB, 12),
            (1024 * MIB, MIB / 16, 64),
            (usize::MAX, MIB, 64),
        ] {
            assert_eq!(usual_shards(budget, largest), shards);
        }
    }
}
