//! Grammars: prepared grammars for the highlighter. A cache shares them among all renderers.
//!
//! A prepared grammar depends on the language only. Each of its regular expressions is compiled at its first use.
//! Invariants: cached grammars take at most [`MAX_BYTES`]. The least recently used grammar is evicted first. A grammar
//! that was in use during a panic is not cached. The lock is held for a look-up only, never while a grammar is prepared
//! or used.
//! Cost: preparing a grammar takes 0 to 40 ms, most of it during the first lines of a text. The crate estimates 170 MiB
//! for twenty common languages, including 30 MiB for C++. A program that did nothing else took 53 MiB with these
//! languages. Using all 241 languages in turn, repeatedly, took 110 MiB.

use std::collections::VecDeque;

use parking_lot::Mutex;
use syntaxmate::{PreparedLanguage, Tokenizer, TokenizerOptions};

use crate::paste::Language;

/// Maximum bytes of all cached grammars, as estimated by the highlighter's crate. The estimates are too high. About
/// twenty common grammars fit.
const MAX_BYTES: usize = 192 * 1024 * 1024;

/// The cached grammars. The most recently used one is last.
static CACHE: Mutex<VecDeque<Grammar>> = Mutex::new(VecDeque::new());

/// A grammar that a renderer uses or that is cached.
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
    /// Returns the grammar of a language. It is cloned from the cache, or prepared if the cache does not have it.
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

    /// Returns a new tokenizer, which has no state from other texts.
    pub(super) fn tokenizer(&self, options: TokenizerOptions) -> Tokenizer {
        self.prepared.tokenizer(options)
    }

    /// Puts the grammar into the cache as the most recently used one.
    pub(super) fn cache(self) {
        let mut evicted = Vec::new();
        let mut cache = CACHE.lock();
        cache.retain(|grammar| grammar.language != self.language);
        cache.push_back(self);
        while cache.iter().map(Self::memory_size).sum::<usize>() > MAX_BYTES {
            evicted.extend(cache.pop_front());
        }
        // Evicted grammars are freed after the lock is released.
        drop(cache);
    }

    fn memory_size(&self) -> usize {
        let stats = self.prepared.stats();
        stats.static_pattern_retained_bytes() + stats.static_candidate_retained_bytes()
    }
}

/// Removes the grammar from the cache after a panic, because the panic may have left it broken.
impl Drop for Grammar {
    fn drop(&mut self) {
        if std::thread::panicking() {
            CACHE
                .lock()
                .retain(|grammar| grammar.language != self.language);
        }
    }
}
