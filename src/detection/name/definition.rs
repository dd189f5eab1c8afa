//! The first definition in code, such as `class TokenBucket`, and the lines before it that say nothing about it.

/// Words that may come before the kind of a definition.
const MODIFIERS: &str = "pub export default async static public private protected internal abstract final sealed \
    unsafe extern override inline virtual partial local declare data open";

/// The kinds of definitions.
const KINDS: &str = "fn func fun def class struct enum trait interface type module function sub proc object record \
    contract protocol defmodule defp procedure program namespace union";

/// Words at the start of a statement that looks like a function of C.
const STATEMENTS: &str = "return else if while for switch new case await";

/// How the lines begin that import something, or are comments.
const PREAMBLE: &str = "import from use using require package include mod extern <?xml <!DOCTYPE \"use 'use # // \
    /* * -- ; <!-- % \"\"\" ''' @";

fn is_one_of(words: &str, word: &str) -> bool {
    words.split(' ').any(|it| it == word)
}

/// Returns the definition that begins in this line, as it would be called: its kind and its name.
pub(super) fn definition(line: &str) -> Option<String> {
    let mut rest = line.trim();
    loop {
        let (word, after) = rest.split_once([' ', '\t'])?;
        let after = after.trim_start();
        // `pub(crate)`
        let bare = word.split('(').next().unwrap_or(word);
        if is_one_of(KINDS, word) {
            return Some(format!("{word} {}", name(after)?));
        } else if !is_one_of(MODIFIERS, bare) {
            return of_c(line);
        }
        rest = after;
    }
}

/// Returns the name that follows the kind of a definition. In Go, the type of a method comes before it.
fn name(after: &str) -> Option<&str> {
    let after = match after.strip_prefix('(') {
        Some(receiver) => receiver.split_once(')')?.1.trim_start(),
        None => after,
    };
    let is_of_name = |c: char| c.is_alphanumeric() || "_$".contains(c);
    let end = after.find(|c| !is_of_name(c)).unwrap_or(after.len());
    let name = &after[..end];
    name.starts_with(|c: char| !c.is_ascii_digit())
        .then_some(name)
}

/// Returns a function as C writes it: types and a name before its parameters, and no end of a statement.
fn of_c(line: &str) -> Option<String> {
    let (before, rest) = line.split_once('(')?;
    let is_word = |word: &str| {
        let word = word.trim_matches(['*', '&']);
        let mut parts = word.split("::");
        parts.all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_'))
    };
    let words: Vec<_> = before.split_whitespace().collect();
    let is_typed = words.len() >= 2 && before.starts_with(|c: char| c.is_alphabetic());
    let ends_well = rest.trim_end().ends_with([')', '{', ',']);
    let is_statement = is_one_of(STATEMENTS, words.first()?);
    (is_typed && ends_well && !is_statement && words.iter().all(|word| is_word(word)))
        .then(|| words.join(" "))
}

/// Returns true if the line imports something, or is a comment.
pub(super) fn is_preamble(line: &str) -> bool {
    let line = line.trim_start();
    PREAMBLE.split(' ').any(|start| {
        // A word ends there.
        let rest = line.strip_prefix(start);
        rest.is_some_and(|rest| {
            !start.ends_with(char::is_alphabetic) || !rest.starts_with(char::is_alphanumeric)
        })
    })
}
