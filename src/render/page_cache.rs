//! The page cache: what was rendered lately, within a byte budget.
//!
//! What it must not know: who asks, whether a paste is still kept: whoever keeps pastes tells it what to forget.
//! Invariants: what is charged is never more than the budget; least recently shown pastes go first; one paste has
//! [`MOST_SHAPES`] entries at most, so that nobody fills it by asking for one paste in every language; nothing is
//! freed under the lock.
//! Cost: one mutex, held for a look-up by hash; an entry is charged its HTML, as it is and as it is coded, and
//! [`OVERHEAD`].

use std::sync::Arc;

use linked_hash_map::LinkedHashMap;
use parking_lot::Mutex;

use crate::paste::PasteId;
use crate::render::render_key::RenderKey;
use crate::render::rendered::Rendered;

/// Entries of one paste.
const MOST_SHAPES: usize = 4;

/// Bytes that an entry takes beside its HTML: the map's node and slot, the list, the counted value and what the
/// allocator adds to each.
const OVERHEAD: usize = 352;

/// What was rendered of one paste, the latest last.
type Shapes = Vec<Entry>;

#[derive(Debug)]
struct Entry {
    shape: RenderKey,
    page: Arc<Rendered>,
    /// What is charged for it; it may have grown since.
    cost: usize,
}

/// Rendered pastes, shared by reference.
#[derive(Debug)]
pub struct PageCache {
    budget: usize,
    pages: Mutex<Pages>,
}

#[derive(Debug)]
struct Pages {
    /// The least recently shown first.
    pastes: LinkedHashMap<PasteId, Shapes>,
    charged: usize,
}

impl PageCache {
    /// An empty cache of so many bytes; of none, it keeps nothing.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            pages: Mutex::new(Pages {
                pastes: LinkedHashMap::new(),
                charged: 0,
            }),
        }
    }

    /// The paste as rendered before, now the most recently shown.
    #[must_use]
    pub fn get(&self, id: PasteId, shape: RenderKey) -> Option<Arc<Rendered>> {
        let mut pages = self.pages.lock();
        let shapes = pages.pastes.get_refresh(&id)?;
        let entry = shapes.iter().find(|entry| entry.shape == shape)?;
        Some(Arc::clone(&entry.page))
    }

    /// Keeps what was rendered, and makes room for it; of a paste with a page that alone is larger than the
    /// budget nothing is kept. What is kept and has grown is to be kept again.
    pub fn insert(&self, id: PasteId, shape: RenderKey, rendered: &Arc<Rendered>) {
        let mut leaving = Vec::new();
        let mut pages = self.pages.lock();
        // Under the lock: another reader may have made it grow at the same time.
        let cost = cost_of(rendered);
        if cost > self.budget {
            drop(pages);
            return self.remove(id);
        }
        pages.take_shape(id, shape, &mut leaving);
        while pages.charged + cost > self.budget {
            let Some((_, shapes)) = pages.pastes.pop_front() else {
                break;
            };
            pages.discharge(&shapes);
            leaving.extend(shapes);
        }
        let shapes = pages.pastes.entry(id).or_default();
        shapes.push(Entry {
            shape,
            page: Arc::clone(rendered),
            cost,
        });
        pages.charged += cost;
        pages.pastes.get_refresh(&id);
        drop(pages);
    }

    /// Forgets all that was rendered of this paste.
    pub fn remove(&self, id: PasteId) {
        let mut pages = self.pages.lock();
        let shapes = pages.take(id);
        drop(pages);
        drop(shapes);
    }

    /// Bytes charged.
    #[must_use]
    pub fn used_bytes(&self) -> usize {
        self.pages.lock().charged
    }
}

impl Pages {
    /// `LinkedHashMap::remove` would park the node on a free list for ever; moved to the end and popped, it is freed.
    fn take(&mut self, id: PasteId) -> Shapes {
        if self.pastes.get_refresh(&id).is_none() {
            return Shapes::new();
        }
        let shapes = self.pastes.pop_back().map(|(_, shapes)| shapes);
        let shapes = shapes.unwrap_or_default();
        self.discharge(&shapes);
        shapes
    }

    /// Takes out this shape of the paste, and the oldest one if there are too many for one more.
    fn take_shape(&mut self, id: PasteId, shape: RenderKey, leaving: &mut Shapes) {
        let Some(shapes) = self.pastes.get_mut(&id) else {
            return;
        };
        let known = shapes.iter().position(|entry| entry.shape == shape);
        let oldest = (shapes.len() >= MOST_SHAPES).then_some(0);
        if let Some(at) = known.or(oldest) {
            let entry = shapes.remove(at);
            self.charged -= entry.cost;
            leaving.push(entry);
        }
    }

    fn discharge(&mut self, shapes: &Shapes) {
        self.charged -= shapes.iter().map(|entry| entry.cost).sum::<usize>();
    }
}

fn cost_of(rendered: &Rendered) -> usize {
    rendered.memory_size() + OVERHEAD
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::paste::Language;
    use crate::render::ContentCoding;
    use crate::render::TimeBudget;
    use crate::render::compressed_template::CompressedTemplate;

    fn id(number: u64) -> PasteId {
        PasteId::from_random(number.to_be_bytes())
    }

    fn shape(number: usize) -> RenderKey {
        let language = Language::all().nth(number).expect("a language");
        RenderKey::new(language, false)
    }

    fn page(length: usize) -> Arc<Rendered> {
        let text = "a".repeat(length);
        let allowance = TimeBudget::until(&|| false);
        Arc::new(Rendered::text(
            &text,
            RenderKey::new(Language::PLAIN, false),
            allowance,
        ))
    }

    /// What a reader does who is the first to ask for this format.
    fn code(page: &Rendered, format: ContentCoding) {
        let text = "coded".repeat(50);
        page.coded(format, || CompressedTemplate::new(format, &[&text]).ok());
    }

    #[test]
    fn what_is_coded_of_a_page_counts_and_goes_with_it() {
        let cache = PageCache::new(2 * cost_of(&page(10)));
        let kept = page(10);
        cache.insert(id(1), shape(0), &page(10));
        cache.insert(id(2), shape(0), &kept);
        let before = cache.used_bytes();
        code(&kept, ContentCoding::Gzip);
        cache.insert(id(2), shape(0), &kept);
        assert_eq!(cache.used_bytes(), cost_of(&kept));
        assert!(cost_of(&kept) > before / 2 && cache.get(id(1), shape(0)).is_none());
        cache.remove(id(2));
        assert_eq!(cache.used_bytes(), 0);
    }

    #[test]
    fn what_grows_beyond_the_budget_is_not_kept() {
        let kept = page(10);
        let cache = PageCache::new(cost_of(&kept));
        cache.insert(id(1), shape(0), &kept);
        code(&kept, ContentCoding::Brotli);
        cache.insert(id(1), shape(0), &kept);
        assert!(cache.get(id(1), shape(0)).is_none());
        assert_eq!(cache.used_bytes(), 0);
    }

    #[test]
    fn what_was_kept_is_found_until_it_is_forgotten() {
        let cache = PageCache::new(1 << 20);
        let kept = page(10);
        cache.insert(id(1), shape(0), &kept);
        cache.insert(id(1), shape(1), &page(20));
        let found = cache.get(id(1), shape(0)).expect("kept");
        assert!(Arc::ptr_eq(&found, &kept));
        assert!(cache.get(id(1), shape(2)).is_none() && cache.get(id(2), shape(0)).is_none());
        cache.remove(id(1));
        assert!(cache.get(id(1), shape(0)).is_none() && cache.get(id(1), shape(1)).is_none());
        assert_eq!(cache.used_bytes(), 0);
    }

    #[test]
    fn the_least_recently_shown_paste_makes_room() {
        let cost = cost_of(&page(10));
        let cache = PageCache::new(2 * cost);
        cache.insert(id(1), shape(0), &page(10));
        cache.insert(id(2), shape(0), &page(10));
        assert!(cache.get(id(1), shape(0)).is_some());
        cache.insert(id(3), shape(0), &page(10));
        let has = |number| cache.get(id(number), shape(0)).is_some();
        assert_eq!([has(1), has(2), has(3)], [true, false, true]);
    }

    #[test]
    fn one_paste_in_every_language_does_not_push_the_others_out() {
        let cache = PageCache::new(1 << 20);
        for language in 0..20 {
            cache.insert(id(1), shape(language), &page(10));
        }
        let kept = (0..20).filter(|language| cache.get(id(1), shape(*language)).is_some());
        assert_eq!(kept.collect::<Vec<_>>(), [16, 17, 18, 19]);
    }

    #[test]
    fn a_cache_of_nothing_keeps_nothing() {
        let cache = PageCache::new(0);
        cache.insert(id(1), shape(0), &page(10));
        assert!(cache.get(id(1), shape(0)).is_none());
    }

    #[derive(Debug, Clone)]
    enum Step {
        Keep(u64, usize, usize),
        Find(u64, usize),
        /// A reader finds it and asks for it coded; it has grown when it is kept again.
        Code(u64, usize, ContentCoding),
        Forget(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => (0..6u64, 0..6usize, 1..2000usize).prop_map(|(id, shape, size)| Step::Keep(id, shape, size)),
            2 => (0..6u64, 0..6usize).prop_map(|(id, shape)| Step::Find(id, shape)),
            1 => (0..6u64, 0..6usize, prop_oneof![Just(ContentCoding::Brotli), Just(ContentCoding::Gzip)])
                .prop_map(|(id, shape, format)| Step::Code(id, shape, format)),
            1 => (0..6u64).prop_map(Step::Forget),
        ]
    }

    /// The same, as a list: pastes by recency, each with its shapes and their costs.
    #[derive(Default)]
    struct Naive(Vec<(u64, Vec<(usize, usize)>)>);

    impl Naive {
        fn charged(&self) -> usize {
            self.0
                .iter()
                .flat_map(|(_, shapes)| shapes)
                .map(|(_, cost)| cost)
                .sum()
        }

        fn refresh(&mut self, id: u64) -> Option<&mut Vec<(usize, usize)>> {
            let at = self.0.iter().position(|(known, _)| *known == id)?;
            let entry = self.0.remove(at);
            self.0.push(entry);
            self.0.last_mut().map(|(_, shapes)| shapes)
        }

        fn keep(&mut self, budget: usize, id: u64, shape: usize, cost: usize) {
            if cost > budget {
                self.0.retain(|(known, _)| *known != id);
                return;
            }
            if let Some((_, shapes)) = self.0.iter_mut().find(|(known, _)| *known == id) {
                let before = shapes.len();
                shapes.retain(|(known, _)| *known != shape);
                if shapes.len() == before && before == MOST_SHAPES {
                    shapes.remove(0);
                }
            }
            while self.charged() + cost > budget {
                self.0.remove(0);
            }
            if self.refresh(id).is_none() {
                self.0.push((id, Vec::new()));
            }
            self.0
                .last_mut()
                .expect("just pushed")
                .1
                .push((shape, cost));
        }
    }

    proptest! {
        #[test]
        fn it_behaves_as_a_list_would(steps in prop::collection::vec(step(), 1..80)) {
            const BUDGET: usize = 6000;
            let cache = PageCache::new(BUDGET);
            let mut naive = Naive::default();
            for step in steps {
                match step {
                    Step::Keep(key, number, size) => {
                        let page = page(size);
                        cache.insert(id(key), shape(number), &page);
                        naive.keep(BUDGET, key, number, cost_of(&page));
                    }
                    Step::Find(key, number) => {
                        let expected = naive.refresh(key).and_then(|shapes| {
                            shapes.iter().find(|(known, _)| *known == number).map(|(_, cost)| *cost)
                        });
                        let found = cache.get(id(key), shape(number));
                        prop_assert_eq!(found.map(|page| cost_of(&page)), expected);
                    }
                    Step::Code(key, number, format) => {
                        naive.refresh(key);
                        if let Some(page) = cache.get(id(key), shape(number)) {
                            code(&page, format);
                            cache.insert(id(key), shape(number), &page);
                            naive.keep(BUDGET, key, number, cost_of(&page));
                        }
                    }
                    Step::Forget(key) => {
                        cache.remove(id(key));
                        naive.0.retain(|(known, _)| *known != key);
                    }
                }
                prop_assert_eq!(cache.used_bytes(), naive.charged());
                prop_assert!(cache.used_bytes() <= BUDGET);
            }
        }
    }
}
