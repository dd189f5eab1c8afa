//! Slots: they limit how many grammars are in use at once, and so the memory of all tokenizers.
//!
//! A tokenizer grows while it works. Within the time budget of a page it takes 20 MB at most. Four languages can
//! contain about every other language, and take up to 36 MB.
//! Invariants: there are [`COUNT`] slots. A language that can contain every other one takes all of them. A thread holds
//! the slots of one grammar only, so no two threads wait for each other. Threads wait one after the other, so a thread
//! that needs all slots is not overtaken for ever.
//! Cost: two locks. The wait costs none of the time budget of the page, which counts processor time. It ends, because
//! that budget ends the work of the threads before.

use parking_lot::{Condvar, Mutex};

use crate::paste::Language;

/// The number of grammars in use at once. More would take more than 64 MiB together with the cache.
const COUNT: usize = 2;

/// Held by the one thread that waits for free slots. The others wait for this lock.
static TURN: Mutex<()> = Mutex::new(());

static FREE: Mutex<usize> = Mutex::new(COUNT);

static RELEASED: Condvar = Condvar::new();

/// The slots of a grammar in use. Dropping it releases them.
pub(super) struct Slots(usize);

impl Slots {
    /// Waits for the slots that a language needs.
    pub(super) fn acquire(language: Language) -> Self {
        let count = if contains_every_other(language) {
            COUNT
        } else {
            1
        };
        let _turn = TURN.lock();
        let mut free = FREE.lock();
        RELEASED.wait_while(&mut free, |free| *free < count);
        *free -= count;
        Self(count)
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        *FREE.lock() += self.0;
        RELEASED.notify_one();
    }
}

/// Returns whether texts in this language can contain parts in about every other language.
pub(super) fn contains_every_other(language: Language) -> bool {
    matches!(language.name(), "markdown" | "mdc" | "mdx" | "asciidoc")
}
