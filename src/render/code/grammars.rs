//! Grammars: prepared grammars, cached for all renderers.
//!
//! A prepared grammar depends on the language alone: its regular expressions are compiled at their first use.
//! Invariants: cached grammars take at most [`MAX_BYTES`]; the one used longest ago is evicted first. A grammar that was
//! in use when something panicked is not cached. The lock is held for a look-up, never while a grammar is prepared or
//! used.
//! Cost: preparing takes 0 to 40 ms, most of it with the first lines. Twenty common languages are counted as 170 MiB,
//! C++ most with 30, while a program with nothing else took 53 MiB with them. With all 241 in turn, repeatedly, it took
//! 110 MiB.

use std::collections::VecDeque;

use parking_lot::Mutex;
use syntaxmate::{PreparedLanguage, Tokenizer, TokenizerOptions};

use crate::paste::Language;

/// Most bytes of all cached grammars, by the crate's cautious count: about twenty common ones.
const MAX_BYTES: usize = 192 * 1024 * 1024;

/// The most recently used grammar last.
static CACHE: Mutex<VecDeque<Grammar>> = Mutex::new(VecDeque::new());

/// A grammar in use.
pub(super) struct Grammar {
    language: Language,
    prepared: PreparedLanguage,
}

/// Returns the name of a language's bundled grammar, or `None` if it has none.
pub(super) fn grammar_name(language: Language) -> Option<&'static str> {
    match language.name() {
        "text" | "ansi" => None,
        "fortran" => Some("fortran-free-form"),
        "fortran-fixed" => Some("fortran-fixed-form"),
        name => Some(name),
    }
}

impl Grammar {
    /// Returns the grammar of a language, from the cache if it is there.
    pub(super) fn prepare(language: Language, name: &str) -> Self {
        let cached = CACHE
            .lock()
            .iter()
            .find(|grammar| grammar.language == language)
            .map(|grammar| grammar.prepared.clone());
        let prepared = cached.unwrap_or_else(|| {
            PreparedLanguage::for_bundled_language(name).expect("the name of a bundled grammar")
        });
        Self { language, prepared }
    }

    /// Returns a tokenizer that knows nothing of other texts.
    pub(super) fn tokenizer(&self, options: TokenizerOptions) -> Tokenizer {
        self.prepared.tokenizer(options)
    }

    /// Puts the grammar into the cache, as the most recently used one.
    pub(super) fn cache(self) {
        let mut evicted = Vec::new();
        let mut cache = CACHE.lock();
        cache.retain(|grammar| grammar.language != self.language);
        cache.push_back(self);
        while cache.iter().map(Self::memory_size).sum::<usize>() > MAX_BYTES {
            evicted.extend(cache.pop_front());
        }
        // Evicted grammars are freed after the lock.
        drop(cache);
    }

    fn memory_size(&self) -> usize {
        let stats = self.prepared.stats();
        stats.static_pattern_retained_bytes() + stats.static_candidate_retained_bytes()
    }
}

/// A panic may have left the grammar broken, so it removes it from the cache.
impl Drop for Grammar {
    fn drop(&mut self) {
        if std::thread::panicking() {
            CACHE
                .lock()
                .retain(|grammar| grammar.language != self.language);
        }
    }
}
