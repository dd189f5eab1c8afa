//! Slots: they limit how many grammars are in use at once, and so the memory of all tokenizers.
//!
//! A tokenizer grows while it works. Within the time budget of a page it takes 20 MB at most. Four languages can contain
//! about every other language, and take up to 36 MB.
//! Invariants: there are [`COUNT`] slots. A language that can contain every other one takes all of them. A thread
//! that needs both takes the first one first, and a thread holds the slots of one grammar only. So no two threads wait
//! for each other.
//! Cost: one lock. A thread that finds the first slot taken waits for the second, even if the first becomes free before.
//! The wait costs none of the time budget of its page, which counts processor time.

use parking_lot::{Mutex, MutexGuard};

use crate::paste::Language;

/// The number of grammars in use at once. More would take more than 64 MiB together with the cache.
const COUNT: usize = 2;

static SLOTS: [Mutex<()>; COUNT] = [const { Mutex::new(()) }; COUNT];

/// The slots of a grammar in use. Dropping it releases them.
pub(super) struct Slots {
    _guards: [Option<MutexGuard<'static, ()>>; COUNT],
}

impl Slots {
    /// Waits for the slots that a language needs.
    pub(super) fn acquire(language: Language) -> Self {
        let [first, second] = &SLOTS;
        let guards = if contains_every_other(language) {
            [Some(first.lock()), Some(second.lock())]
        } else if let Some(guard) = first.try_lock() {
            [Some(guard), None]
        } else {
            [None, Some(second.lock())]
        };
        Self { _guards: guards }
    }
}

/// Returns whether texts in this language can contain parts in about every other language.
pub(super) fn contains_every_other(language: Language) -> bool {
    matches!(language.name(), "markdown" | "mdc" | "mdx" | "asciidoc")
}
