//! Grammars: those prepared lately, shared by all who paint.
//!
//! What it must not know: texts. What is prepared is made of the grammar alone: expressions compiled at first use.
//! Invariants: kept grammars are charged at most [`MOST_CHARGED`] bytes, the one used longest ago goes first; one in
//! whose use something panicked is not kept. The lock is held for a look-up, never while a grammar is prepared or used.
//! Cost: preparing takes 0 to 40 ms in all, most of it with the first lines painted. Twenty common languages are charged
//! 170 MiB, C++ most with 30, and a program with nothing else took 53 MiB with them; with all 241 in turn, again and
//! again, 110 MiB.

use std::collections::VecDeque;

use parking_lot::Mutex;
use syntaxmate::{PreparedLanguage, Tokenizer, TokenizerOptions};

use crate::paste::Language;

/// What the kept grammars may be charged together, by the crate's own cautious count: some twenty common ones.
const MOST_CHARGED: usize = 192 * 1024 * 1024;

static KEPT: Mutex<VecDeque<Grammar>> = Mutex::new(VecDeque::new());

/// A grammar in use.
pub(super) struct Grammar {
    language: Language,
    prepared: PreparedLanguage,
}

/// Whether this language has a grammar.
pub(super) fn has(language: Language) -> bool {
    name(language).is_some()
}

/// The grammar of this language, if it has one.
pub(super) fn of(language: Language) -> Option<Grammar> {
    let name = name(language)?;
    let is_it = |grammar: &Grammar| grammar.language == language;
    let kept = KEPT
        .lock()
        .iter()
        .find(|grammar| is_it(grammar))
        .map(|grammar| grammar.prepared.clone());
    let prepared = match kept {
        Some(prepared) => prepared,
        None => PreparedLanguage::for_bundled_language(name).ok()?,
    };
    Some(Grammar { language, prepared })
}

/// The crate's name of the language.
fn name(language: Language) -> Option<&'static str> {
    match language.name() {
        "text" | "ansi" => None,
        "fortran" => Some("fortran-free-form"),
        "fortran-fixed" => Some("fortran-fixed-form"),
        name => Some(name),
    }
}

impl Grammar {
    /// A tokenizer with nothing of other texts in it.
    pub(super) fn tokenizer(&self, options: TokenizerOptions) -> Tokenizer {
        self.prepared.tokenizer(options)
    }

    /// Keeps it for the next text.
    pub(super) fn keep(self) {
        let mut gone = Vec::new();
        let mut kept = KEPT.lock();
        kept.retain(|grammar| grammar.language != self.language);
        kept.push_back(self);
        while kept.iter().map(Self::charge).sum::<usize>() > MOST_CHARGED {
            gone.extend(kept.pop_front());
        }
        // What goes is freed after the lock.
        drop(kept);
    }

    fn charge(&self) -> usize {
        let stats = self.prepared.stats();
        stats.static_pattern_retained_bytes() + stats.static_candidate_retained_bytes()
    }
}

/// Whoever dies of a panic takes the grammar along, for those who come later.
impl Drop for Grammar {
    fn drop(&mut self) {
        if std::thread::panicking() {
            KEPT.lock()
                .retain(|grammar| grammar.language != self.language);
        }
    }
}
