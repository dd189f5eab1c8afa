//! Tests of the grammars' bounds.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::render::code::highlight_limit::MAX_DEPTH;
use crate::render::code::slots::contains_every_other;

/// A bound that a few grammars exceed.
const MAX: usize = 12 * 1024 * 1024;

/// Lines that need many parts of most grammars.
const LINES: [&str; 8] = [
    "# one // two -- three ; four % five",
    "<b a=\"c\">d</b><script>let x = `${y}`;</script><style>p { color: red }</style>",
    "key = 1; key: \"x\", if x then return 2",
    "class A<T> extends B { static def f(a: int) { let y = 'z' + 0x1f } }",
    "/* six */ #include <a.h> template <typename T> auto f(T&& a) -> T;",
    "<?php function f(?int $a): array { return [$a => \"b\"]; }",
    "```js",
    "SELECT a FROM b WHERE c = 'd' -- e",
];

fn language(name: &str) -> Language {
    Language::from_name(name).expect("a language")
}

/// A cache that no other test uses.
fn own_cache(max_bytes: usize) -> &'static GrammarCache {
    Box::leak(Box::new(GrammarCache::new(max_bytes)))
}

fn acquire(language: Language, cache: &'static GrammarCache) -> Option<Grammar> {
    Some(Grammar::acquire(language, grammar_name(language)?, cache))
}

fn bytes(cache: &GrammarCache) -> usize {
    cache.grammars.lock().iter().map(memory_size).sum()
}

fn cached(cache: &GrammarCache) -> Vec<&'static str> {
    let grammars = cache.grammars.lock();
    grammars.iter().map(|(of, _)| of.name()).collect()
}

fn tokenize(tokenizer: &mut Tokenizer) {
    let mut state = tokenizer.initial_state();
    for line in LINES {
        assert!(state.depth() < MAX_DEPTH);
        tokenizer
            .tokenize_line_with(line, &mut state, drop)
            .expect("a line");
    }
}

#[test]
fn a_grammar_that_contains_many_others_is_not_cached() {
    for language in Language::all().filter(|language| is_cacheable(*language)) {
        let Some(name) = grammar_name(language) else {
            continue;
        };
        let prepared = PreparedLanguage::for_bundled_language(name).expect("a grammar");
        assert!(prepared.stats().grammar_count() <= 12, "{name}");
    }
    assert!(is_cacheable(language("rust")) && !is_cacheable(language("markdown")));
}

#[test]
fn four_threads_with_every_language_stay_within_the_bounds() {
    const THREADS: usize = 4;
    let cache = own_cache(MAX);
    let in_use = &AtomicUsize::new(0);
    let attack = |thread: usize| {
        for language in Language::all().skip(thread).step_by(THREADS) {
            let Some(mut grammar) = acquire(language, cache) else {
                continue;
            };
            let slots = if contains_every_other(language) { 2 } else { 1 };
            assert!(in_use.fetch_add(slots, Ordering::SeqCst) + slots <= 2);
            tokenize(&mut grammar.tokenizer);
            in_use.fetch_sub(slots, Ordering::SeqCst);
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || attack(thread));
        }
    });
    assert!(bytes(cache) <= MAX);
    assert!(
        cached(cache)
            .iter()
            .all(|name| is_cacheable(language(name)))
    );
}

#[test]
fn the_least_recently_used_grammar_is_evicted_when_another_grows() {
    let cache = own_cache(MAX);
    let used = |name| tokenize(&mut acquire(language(name), cache).expect("a grammar").tokenizer);
    used("rust");
    used("json");
    used("rust");
    assert_eq!(cached(cache), ["json", "rust"]);
    used("typescript");
    assert!(!cached(cache).contains(&"json"));
    assert!(bytes(cache) <= MAX);
}

#[test]
fn two_renderers_of_one_language_share_its_grammar() {
    let cache = own_cache(MAX);
    let [first, second] = ["c", "c"].map(|name| cache.prepared(language(name), name));
    tokenize(&mut first.tokenizer(OPTIONS));
    let compiled = first.stats().compiled_pattern_count();
    tokenize(&mut second.tokenizer(OPTIONS));
    assert!(compiled > 0 && second.stats().compiled_pattern_count() == compiled);
    assert_eq!(cached(cache), ["c"]);
}

#[test]
fn a_panic_while_a_grammar_is_in_use_evicts_that_grammar_only() {
    let cache = own_cache(MAX);
    drop(acquire(language("rust"), cache));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _in_use = acquire(language("json"), cache);
        std::panic::resume_unwind(Box::new("as the highlighter does"));
    }));
    assert!(panicked.is_err());
    assert_eq!(cached(cache), ["rust"]);
    drop(acquire(language("json"), cache));
    assert_eq!(cached(cache), ["rust", "json"]);
}
