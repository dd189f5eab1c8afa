//! Grammars: a grammar in use, and a cache of the prepared grammars of common languages.
//!
//! A grammar is decoded part by part, and each of its regular expressions is compiled at its first use. So a text costs
//! only the parts that it needs. Common languages have a prepared grammar, which all renderers share, so each part is
//! compiled once. Other languages have a new grammar for each page: preparing one would decode all of it, including the
//! languages it can contain, which takes up to 170 ms and 9 MB.
//! Invariants: prepared grammars take at most [`MAX_BYTES`]. The least recently used one is evicted first. One that was
//! in use during a panic is evicted. No grammar is in use without its [`Slots`]. Nothing else outlives a page.
//! Cost: cached and used grammars together allocated at most 61 MB while eight threads used all languages in random
//! orders. The cache had no bound in that measurement. More was resident, because the C library keeps freed memory.
//! The first page with a few lines takes 2 ms on average, and 15 ms in the slowest language. If every grammar were
//! prepared, it would take 7 ms on average.

use std::collections::VecDeque;

use parking_lot::Mutex;
use syntaxmate::{PreparedLanguage, Tokenizer, TokenizerOptions};

use super::highlight_limit::MAX_LINE_BYTES;
use super::slots::Slots;
use crate::paste::Language;

/// Maximum bytes of all prepared grammars, as estimated by the highlighter's crate. The grammars really take a sixth
/// of the estimate: 23 MB for 142 MB after small texts in all common languages.
const MAX_BYTES: usize = 144 * 1024 * 1024;

/// The crate would skip longer lines. No line that is passed to it has this many bytes, its line feed included.
const OPTIONS: TokenizerOptions = TokenizerOptions {
    max_line_bytes: MAX_LINE_BYTES + 2,
    line_cache_entries: 0,
};

/// The prepared grammars of the process.
pub(super) static CACHE: GrammarCache = GrammarCache::new(MAX_BYTES);

/// A cache of prepared grammars.
pub(super) struct GrammarCache {
    max_bytes: usize,
    /// The most recently used grammar is last.
    grammars: Mutex<VecDeque<(Language, PreparedLanguage)>>,
}

/// A grammar that a renderer uses.
pub(super) struct Grammar {
    pub(super) language: Language,
    pub(super) tokenizer: Tokenizer,
    cache: &'static GrammarCache,
    /// Released last, after the tokenizer is freed.
    _slots: Slots,
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

/// Returns whether the grammar of this language may be prepared and cached: it is often used and contains few others.
pub(super) fn is_cacheable(language: Language) -> bool {
    !matches!(language.name(), "markdown" | "ruby")
        && Language::common().any(|common| common == language)
}

impl Grammar {
    /// Returns the grammar of a language, after waiting for its slots.
    pub(super) fn acquire(language: Language, name: &str, cache: &'static GrammarCache) -> Self {
        let slots = Slots::acquire(language);
        let tokenizer = if is_cacheable(language) {
            cache.prepared(language, name).tokenizer(OPTIONS)
        } else {
            Tokenizer::for_bundled_language(name, OPTIONS).expect("the name of a bundled grammar")
        };
        Self {
            language,
            tokenizer,
            cache,
            _slots: slots,
        }
    }
}

/// Keeps the cache within its bound, because the grammar may have grown. After a panic it may be broken, so it is
/// evicted.
impl Drop for Grammar {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.cache.evict(self.language);
        }
        self.cache.shrink();
    }
}

impl GrammarCache {
    const fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            grammars: Mutex::new(VecDeque::new()),
        }
    }

    /// Returns the prepared grammar of a language. It is prepared without the lock. If two threads prepare the same one
    /// at once, both use the first.
    fn prepared(&self, language: Language, name: &str) -> PreparedLanguage {
        if let Some(cached) = self.find(language) {
            return cached;
        }
        let prepared =
            PreparedLanguage::for_bundled_language(name).expect("the name of a bundled grammar");
        let mut grammars = self.grammars.lock();
        if let Some((_, first)) = grammars.iter().find(|(of, _)| *of == language) {
            return first.clone();
        }
        grammars.push_back((language, prepared.clone()));
        prepared
    }

    /// Returns a cached grammar, which becomes the most recently used one.
    fn find(&self, language: Language) -> Option<PreparedLanguage> {
        let mut grammars = self.grammars.lock();
        let index = grammars.iter().position(|(of, _)| *of == language)?;
        let grammar = grammars.remove(index)?;
        let prepared = grammar.1.clone();
        grammars.push_back(grammar);
        Some(prepared)
    }

    fn evict(&self, language: Language) {
        self.grammars.lock().retain(|(of, _)| *of != language);
    }

    /// Evicts grammars until the others fit into the bound.
    fn shrink(&self) {
        let mut evicted = Vec::new();
        let mut grammars = self.grammars.lock();
        while grammars.iter().map(memory_size).sum::<usize>() > self.max_bytes {
            evicted.extend(grammars.pop_front());
        }
        // Evicted grammars are freed after the lock is released.
        drop(grammars);
    }
}

fn memory_size((_, prepared): &(Language, PreparedLanguage)) -> usize {
    let stats = prepared.stats();
    stats.static_pattern_retained_bytes() + stats.static_candidate_retained_bytes()
}

#[cfg(test)]
mod tests;
