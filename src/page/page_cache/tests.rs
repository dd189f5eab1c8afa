//! Tests that compare the page cache with a reference implementation that uses a list, and show whose pages leave.

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
        coding: Coding::Brotli,
        url: Cow::Borrowed("https://bin.example/0123456789AB"),
    }
}

const READER: ClientKey = client(1, 1);

const fn client(network: u64, client: u64) -> ClientKey {
    ClientKey { network, client }
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
    cache.insert(id(1), key(0), page(10), READER);
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
fn pages_with_other_bytes_have_another_tag() {
    assert_eq!(page(10).etag, page(10).etag);
    assert_ne!(page(10).etag, page(11).etag);
}

#[test]
fn a_cache_without_a_budget_caches_nothing() {
    let cache = PageCache::new(0);
    cache.insert(id(1), key(0), page(10), READER);
    assert!(cache.get(id(1), &key(0)).is_none());
}

#[test]
fn a_page_larger_than_the_budget_is_not_cached_and_takes_the_place_of_no_other() {
    let cache = PageCache::new(cost_of(1000));
    cache.insert(id(1), key(0), page(10), READER);
    cache.insert(id(1), key(0), page(1001), READER);
    let cached = cache.get(id(1), &key(0));
    assert_eq!(cached.map(|page| page.bytes.len()), Some(10));
}

#[test]
fn many_pages_of_one_client_evict_no_page_of_another() {
    // Given a cache for ten pages, with one page of a client
    let cache = PageCache::new(10 * cost_of(1000));
    cache.insert(id(0), key(0), page(1000), READER);
    // When another client, or several of its network, ask for many
    for number in 1..100 {
        cache.insert(id(number), key(0), page(1000), client(2, number % 3));
    }
    // Then the page is still there, and so are the last nine of the others
    let is_there = |number: &u64| cache.get(id(*number), &key(0)).is_some();
    let there: Vec<u64> = (0..100).filter(is_there).collect();
    assert_eq!(there, [&[0][..], &(91..100).collect::<Vec<_>>()].concat());
}

#[test]
fn a_page_that_was_used_lately_leaves_after_the_other_pages_of_its_client() {
    let cache = PageCache::new(3 * cost_of(1000));
    for number in 0..3 {
        cache.insert(id(number), key(0), page(1000), READER);
    }
    assert!(cache.get(id(0), &key(0)).is_some());
    cache.insert(id(3), key(0), page(1000), READER);
    assert!(cache.get(id(1), &key(0)).is_none());
    assert!(cache.get(id(0), &key(0)).is_some());
}

#[derive(Debug, Clone)]
enum Step {
    Insert(u64, usize, usize, ClientKey),
    Get(u64, usize),
    Remove(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let who = (0..3u64, 0..2u64).prop_map(|(network, who)| client(network, who));
    prop_oneof![
        3 => (0..6u64, 0..8usize, 1..2000usize, who).prop_map(|(id, key, size, who)| Step::Insert(id, key, size, who)),
        2 => (0..6u64, 0..8usize).prop_map(|(id, key)| Step::Get(id, key)),
        1 => (0..6u64).prop_map(Step::Remove),
    ]
}

/// A page in the reference implementation: its paste, its key, its cost and its client.
type NaivePage = (u64, usize, u64, ClientKey);

/// The reference implementation: a list of pages, ordered by last use.
#[derive(Default)]
struct Naive(Vec<NaivePage>);

impl Naive {
    fn sum(&self, counts: impl Fn(&ClientKey) -> bool) -> u64 {
        let pages = self.0.iter().filter(|page| counts(&page.3));
        pages.map(|page| page.2).sum()
    }

    fn insert(&mut self, budget: u64, page: NaivePage) {
        let (id, key, cost, client) = page;
        if cost > budget {
            return;
        }
        let of_paste = |page: &&NaivePage| page.0 == id;
        let same = self.0.iter().position(|page| (page.0, page.1) == (id, key));
        let oldest = self.0.iter().position(|page| page.0 == id);
        let is_full = self.0.iter().filter(of_paste).count() >= MAX_PAGES;
        if let Some(at) = same.or(oldest.filter(|_| is_full)) {
            self.0.remove(at);
        }
        while self.sum(|_| true) + cost > budget {
            let more = |is_own: bool| if is_own { cost } else { 0 };
            // Among equals, the one with the page that was used first is the heaviest.
            let standing = |who: ClientKey| {
                let oldest = self.0.iter().position(|page| page.3 == who);
                let weight = self.sum(|it| *it == who) + more(who == client);
                (weight, std::cmp::Reverse(oldest))
            };
            let weigh = |page: &NaivePage| {
                let network = page.3.network;
                let of_network = self.0.iter().filter(|page| page.3.network == network);
                let heaviest = of_network.map(|page| standing(page.3)).max();
                (
                    self.sum(|it| it.network == network) + more(network == client.network),
                    heaviest.map(|(_, oldest)| oldest),
                    standing(page.3),
                )
            };
            let heaviest = self.0.iter().map(weigh).max().expect("a page");
            let victim = self.0.iter().position(|page| weigh(page) == heaviest);
            self.0.remove(victim.expect("it has a page"));
        }
        self.0.push(page);
    }
}

proptest! {
    #[test]
    fn the_page_cache_behaves_as_a_list_would(steps in prop::collection::vec(step(), 1..80)) {
        const BUDGET: usize = 8000;
        let cache = PageCache::new(BUDGET);
        let mut naive = Naive::default();
        for step in steps {
            match step {
                Step::Insert(paste, number, size, who) => {
                    cache.insert(id(paste), key(number), page(size), who);
                    naive.insert(BUDGET as u64, (paste, number, cost_of(size) as u64, who));
                }
                Step::Get(paste, number) => {
                    let at = naive.0.iter().position(|page| (page.0, page.1) == (paste, number));
                    let used = at.map(|at| naive.0.remove(at));
                    naive.0.extend(used);
                    let found = cache.get(id(paste), &key(number));
                    let cost = found.map(|page| cost_of(page.bytes.len()) as u64);
                    prop_assert_eq!(cost, used.map(|page| page.2));
                }
                Step::Remove(paste) => {
                    cache.remove(id(paste));
                    naive.0.retain(|page| page.0 != paste);
                }
            }
            prop_assert_eq!(cache.used_bytes() as u64, naive.sum(|_| true));
            prop_assert!(cache.used_bytes() <= BUDGET);
        }
    }
}
