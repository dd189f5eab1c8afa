//! Whether the name of a header asks to protect or end a paste. Such a header is refused unless it sets an option: if it
//! were ignored, the paste could be published.
//!
//! The rule goes by whole words between `-` and `_`. A name with a word of a proxy, a platform or a client before
//! its last word asks for nothing, because what these add to every request would refuse every save.
//! Cost: the words of common headers are compared with no other; see [`FILTER`].

use std::sync::LazyLock;

/// Words that ask wherever they are.
const ASKING: &str = "burn burning burned burnafterreading days delete deletion destroy destruct downloads encrypt \
    encrypted encryption ephemeral expiration expire expires expiry hours life lifetime minutes once onetime passcode \
    passphrase passwd password protect protected pwd reads retention ttl unlisted views visibility";

/// Words that ask alone, or beside one of [`COMPANIONS`].
const AMBIGUOUS: &str = "code download duration key keep live lock locked max one pass pin private read secret single \
    valid view";
const COMPANIONS: &str = "access age auth limit note paste phrase time";

/// Words beside which another one is still alone.
const FILLERS: &str = "x for is until";

/// Words of proxies, platforms and clients. At the end, one may be a unit or a part of what is asked for.
const FOREIGN: &str = "accel amz apns cache cdn cf control edge fastly goog ms offset origin passenger proxy session \
    stainless throttle token";

/// A header of HTTP whose word asks elsewhere (RFC 8030).
const TTL: &str = "ttl";

/// For each length of a word, the bits of those that may ask.
static FILTER: LazyLock<[u64; 17]> = LazyLock::new(|| {
    let mut filter = [0; 17];
    for word in ASKING.split(' ').chain(AMBIGUOUS.split(' ')) {
        filter[word.len()] |= bit(word.as_bytes());
    }
    filter
});

/// The bit of a word of two letters or more. The factors are such that no common header has that of a word that asks.
fn bit(word: &[u8]) -> u64 {
    let [first, second, last] = [word[0], word[1], word[word.len() - 1]].map(u32::from);
    1 << ((4 * first + 5 * (second + last)) & 63)
}

/// Returns whether a header of this name, which sets no option, asks to show less of a paste than anyone with its URL
/// would see, or to end it. `name` is in lower case.
pub(super) fn asks_for_less(name: &str) -> bool {
    let (filter, mut rest) = (&*FILTER, name.as_bytes());
    loop {
        let end = rest.iter().position(|byte| matches!(byte, b'-' | b'_'));
        let word = &rest[..end.unwrap_or(rest.len())];
        let bits = filter.get(word.len()).copied().unwrap_or(0);
        // No word that asks has one letter.
        if bits != 0 && bits & bit(word) != 0 {
            return asks_by_words(name);
        }
        match end {
            Some(end) => rest = &rest[end + 1..],
            None => return false,
        }
    }
}

#[cold]
fn asks_by_words(name: &str) -> bool {
    let words = || name.split(['-', '_']);
    let is_of = |list: &str, word: &str| list.split(' ').any(|it| it == word);
    let has = |list: &str| words().any(|word| is_of(list, word));
    let is_alone = || words().all(|word| is_of(AMBIGUOUS, word) || is_of(FILLERS, word));
    let is_foreign = words().rev().skip(1).any(|word| is_of(FOREIGN, word));
    let asks = has(ASKING) || has(AMBIGUOUS) && (has(COMPANIONS) || is_alone());
    asks && name != TTL && !is_foreign
}

#[cfg(test)]
mod tests;
