//! A directory: finds the number of an entry of a slab by the entry's hash.
//!
//! What it must not know: the entries; whoever asks says whether a number is the one.
//! Invariants: its size is fixed at start and a third of it stays free; every number stands between the place where
//! its hash wants it and the next free place.
//! Cost: a look-up reads one or two neighbouring words and asks about one or two numbers; six bytes an entry.
//! Why not a hash map of the library: one that is full of comings and goings has to rehash at some time. Here what
//! leaves closes its gap at once (linear probing with backward shift, Knuth, TAOCP 3, 6.4, algorithm R), and no
//! operation is ever longer than another.

/// Numbers by hash.
#[derive(Debug)]
pub(super) struct Directory {
    /// A number plus one; zero is free, and fresh memory is zero without being touched.
    places: Vec<u32>,
}

impl Directory {
    /// A directory of at most this many numbers.
    pub(super) fn reserved_for(entries: usize) -> Self {
        Self {
            places: vec![0; entries + entries / 2 + 1],
        }
    }

    /// Bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.places)
    }

    /// The number filed under this hash that `is_it`.
    pub(super) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mut place = self.home(hash);
        loop {
            let number = self.places[place].checked_sub(1)?;
            if is_it(number) {
                return Some(number);
            }
            place = self.after(place);
        }
    }

    /// Files a number under its hash.
    pub(super) fn insert(&mut self, hash: u64, number: u32) {
        let mut place = self.home(hash);
        while self.places[place] != 0 {
            place = self.after(place);
        }
        self.places[place] = number + 1;
    }

    /// Strikes out a number that is filed under this hash; `hash_of` tells where those behind it belong.
    pub(super) fn remove(&mut self, hash: u64, number: u32, hash_of: impl Fn(u32) -> u64) {
        let mut gap = self.home(hash);
        while self.places[gap] != number + 1 {
            gap = self.after(gap);
        }
        let mut place = gap;
        loop {
            place = self.after(place);
            let Some(next) = self.places[place].checked_sub(1) else {
                break;
            };
            // Whoever's home lies at the gap or before it moves up: nobody stands before home.
            if self.distance(self.home(hash_of(next)), place) >= self.distance(gap, place) {
                self.places[gap] = next + 1;
                gap = place;
            }
        }
        self.places[gap] = 0;
    }

    /// Numbers that are filed.
    pub(super) fn recount(&self) -> usize {
        self.places.iter().filter(|place| **place != 0).count()
    }

    /// The high half of the product with the number of places spreads a hash evenly over them. The golden ratio in
    /// front of it makes up for a hash that is only random in its lower bits.
    fn home(&self, hash: u64) -> usize {
        let spread = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (u128::from(spread) * self.places.len() as u128) >> 64;
        usize::try_from(place).unwrap_or(0)
    }

    fn after(&self, place: usize) -> usize {
        if place + 1 == self.places.len() {
            0
        } else {
            place + 1
        }
    }

    /// Steps from one place on to the other.
    fn distance(&self, from: usize, to: usize) -> usize {
        if to >= from {
            to - from
        } else {
            to + self.places.len() - from
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_finds_what_a_naive_list_does(steps in prop::collection::vec(0u32..24, 1..300), spread in prop::sample::select(vec![0u64, 1, 1 << 40])) {
            // Given hashes that are all the same, near each other, or spread
            let hash_of = |number: u32| u64::from(number) * spread;
            let mut directory = Directory::reserved_for(24);
            let mut twin: Vec<u32> = Vec::new();
            for number in steps {
                // When numbers come and go
                match twin.iter().position(|known| *known == number) {
                    None => {
                        directory.insert(hash_of(number), number);
                        twin.push(number);
                    }
                    Some(place) => {
                        directory.remove(hash_of(number), number, hash_of);
                        twin.remove(place);
                    }
                }
                // Then exactly those of the list are found
                prop_assert_eq!(directory.recount(), twin.len());
                for number in 0..24 {
                    let found = directory.find(hash_of(number), |found| found == number);
                    prop_assert_eq!(found, twin.contains(&number).then_some(number));
                }
            }
        }
    }
}
