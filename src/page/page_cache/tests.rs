//! Tests that compare the page cache with a reference implementation that uses a list.

use proptest::prelude::*;

use super::*;
use crate::paste::{Language, Timestamp};

fn id(number: u64) -> PasteId {
    PasteId::from_random(number.to_be_bytes())
}

fn key(number: usize) -> PageKey<'static> {
    let language = Language::all().nth(number).expect("a language");
    PageKey {
        revision: Revision::default(),
        deadline: Deadline::NEVER,
        render_key: RenderKey::new(language, false),
        highlighted: None,
        coding: Coding::Brotli,
        url: Cow::Borrowed("https://bin.example/0123456789AB"),
    }
}

/// From this number on, a variant is a page with a highlighted line.
const LINES: usize = 8;

fn variant(number: usize) -> PageKey<'static> {
    match number {
        0..LINES => key(number),
        line => PageKey {
            highlighted: Some(line.to_string().parse().expect("a line")),
            ..key(0)
        },
    }
}

fn page(length: usize) -> CachedPage {
    CachedPage::new(Coding::Brotli, vec![b'a'; length].into(), true)
}

/// The bytes that the cache charges for a page of this length.
fn cost_of(length: usize) -> usize {
    length + key(0).url.len() + OVERHEAD
}

#[test]
fn a_page_is_found_by_everything_that_it_depends_on() {
    let cache = PageCache::new(1 << 20);
    cache.insert(id(1), key(0), page(10));
    assert!(cache.get(id(1), &key(0)).is_some());
    for other in [
        PageKey {
            revision: Revision::from_random([1; 8]),
            ..key(0)
        },
        PageKey {
            deadline: Deadline::after(Timestamp::default(), "1d".parse().expect("an expiry")),
            ..key(0)
        },
        PageKey {
            highlighted: "1-2".parse().ok(),
            ..key(0)
        },
        PageKey {
            coding: Coding::Gzip,
            ..key(0)
        },
        PageKey {
            url: "https://other.example/0123456789AB".into(),
            ..key(0)
        },
        key(1),
    ] {
        assert!(cache.get(id(1), &other).is_none());
    }
}

#[test]
fn pages_with_other_bytes_have_another_hash() {
    assert_eq!(page(10).hash, page(10).hash);
    assert_ne!(page(10).hash, page(11).hash);
}

#[test]
fn a_cache_without_a_budget_caches_nothing() {
    let cache = PageCache::new(0);
    cache.insert(id(1), key(0), page(10));
    assert!(cache.get(id(1), &key(0)).is_none());
}

#[derive(Debug, Clone)]
enum Step {
    Insert(u64, usize, usize),
    Get(u64, usize),
    Remove(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..6u64, 0..14usize, 1..2000usize).prop_map(|(id, key, size)| Step::Insert(id, key, size)),
        2 => (0..6u64, 0..14usize).prop_map(|(id, key)| Step::Get(id, key)),
        1 => (0..6u64).prop_map(Step::Remove),
    ]
}

/// The reference implementation: a list of pastes, ordered by last use. Each paste has its keys and their costs.
#[derive(Default)]
struct Naive(Vec<(u64, Vec<(usize, usize)>)>);

impl Naive {
    fn used_bytes(&self) -> usize {
        self.0
            .iter()
            .flat_map(|(_, entries)| entries)
            .map(|(_, cost)| cost)
            .sum()
    }

    fn refresh(&mut self, id: u64) -> Option<&mut Vec<(usize, usize)>> {
        let at = self.0.iter().position(|(known, _)| *known == id)?;
        let entry = self.0.remove(at);
        self.0.push(entry);
        self.0.last_mut().map(|(_, entries)| entries)
    }

    fn insert(&mut self, budget: usize, id: u64, key: usize, cost: usize) {
        if cost > budget {
            return;
        }
        if let Some((_, entries)) = self.0.iter_mut().find(|(known, _)| *known == id) {
            let before = entries.len();
            entries.retain(|(known, _)| *known != key);
            let is_alike = |(known, _): &(usize, usize)| (*known < LINES) == (key < LINES);
            let max = if key < LINES { 6 } else { 2 };
            let alike = entries.iter().filter(|entry| is_alike(entry)).count();
            if entries.len() == before && alike == max {
                let oldest = entries.iter().position(is_alike).expect("one is alike");
                entries.remove(oldest);
            }
        }
        while self.used_bytes() + cost > budget {
            self.0.remove(0);
        }
        if self.refresh(id).is_none() {
            self.0.push((id, Vec::new()));
        }
        self.0.last_mut().expect("just pushed").1.push((key, cost));
    }
}

proptest! {
    #[test]
    fn the_page_cache_behaves_as_a_list_would(steps in prop::collection::vec(step(), 1..80)) {
        const BUDGET: usize = 6000;
        let cache = PageCache::new(BUDGET);
        let mut naive = Naive::default();
        for step in steps {
            match step {
                Step::Insert(paste, number, size) => {
                    cache.insert(id(paste), variant(number), page(size));
                    naive.insert(BUDGET, paste, number, cost_of(size));
                }
                Step::Get(paste, number) => {
                    let expected = naive.refresh(paste).and_then(|entries| {
                        let at = entries.iter().position(|(known, _)| *known == number)?;
                        let used = entries.remove(at);
                        entries.push(used);
                        Some(used.1)
                    });
                    let found = cache.get(id(paste), &variant(number));
                    prop_assert_eq!(found.map(|page| cost_of(page.bytes.len())), expected);
                }
                Step::Remove(paste) => {
                    cache.remove(id(paste));
                    naive.0.retain(|(known, _)| *known != paste);
                }
            }
            prop_assert_eq!(cache.used_bytes(), naive.used_bytes());
            prop_assert!(cache.used_bytes() <= BUDGET);
        }
    }
}
