//! Scopes: what a grammar calls a part of a text, and which class that is.
//!
//! A grammar names a part by a stack of scopes, as in `source.rust string.quoted constant.character.escape`. The
//! innermost that means something decides.
//! What it must not know: the text.
//! Cost: a stack of scopes is read once a document, some hundred comparisons, and looked up from then on.

use std::collections::HashMap;

use syntaxmate::ScopeStackId;

use crate::render::paint::Token;

/// So many scopes of a stack are read, the innermost: what decides is never further out, and stacks may be deep.
const READ: usize = 16;

/// The classes of the stacks met in one document.
#[derive(Default)]
pub(super) struct Classes(HashMap<ScopeStackId, Option<Token>>);

impl Classes {
    /// The class of this part.
    pub(super) fn of(&mut self, token: &syntaxmate::Token) -> Option<Token> {
        let read = || {
            let scopes = token.scopes();
            let outer = scopes.len().saturating_sub(READ);
            scopes.skip(outer).filter_map(meaning).last().flatten()
        };
        match token.scope_stack() {
            Some(stack) => *self.0.entry(stack).or_insert_with(read),
            None => read(),
        }
    }
}

/// What a scope means, if anything: a class, or that what is around it ends here.
fn meaning(scope: &str) -> Option<Option<Token>> {
    // Where code within HTML ends, the mark of its end is called code for an editor's sake.
    if scope.ends_with("-ignored-vscode") {
        return None;
    }
    let is_within = |outer: &str| {
        scope
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    MEANINGS
        .iter()
        .find(|(outer, _)| is_within(outer))
        .map(|(_, class)| *class)
}

/// Scopes by their beginnings; the first that fits.
const MEANINGS: &[(&str, Option<Token>)] = &[
    // Code within a text: a document of its own, a part of a string.
    ("source", None),
    ("meta.embedded", None),
    ("meta.interpolation", None),
    ("meta.template.expression", None),
    // How bad a line of a log is: around it the grammar has names of anything that is red or green somewhere.
    ("log.error", Some(Token::Deleted)),
    ("log.exceptiontype", Some(Token::Deleted)),
    ("log.exception", None),
    ("log.warning", Some(Token::Attribute)),
    ("log.info", Some(Token::Type)),
    ("comment", Some(Token::Comment)),
    ("markup.quote", Some(Token::Comment)),
    ("string.other.link", Some(Token::Link)),
    ("markup.underline.link", Some(Token::Link)),
    // The bare words of a command.
    ("string.unquoted.argument", None),
    ("string", Some(Token::Text)),
    ("markup.inline.raw", Some(Token::Text)),
    ("markup.raw", Some(Token::Text)),
    ("constant.numeric", Some(Token::Number)),
    ("keyword.other.unit", Some(Token::Number)),
    ("constant", Some(Token::Constant)),
    ("support.constant", Some(Token::Constant)),
    ("variable.language", Some(Token::Constant)),
    ("entity.name.label", Some(Token::Constant)),
    // Operators that are words.
    ("keyword.operator.new", Some(Token::Keyword)),
    ("keyword.operator.expression", Some(Token::Keyword)),
    ("keyword.operator.wordlike", Some(Token::Keyword)),
    ("keyword.operator.word", Some(Token::Keyword)),
    ("keyword.operator.logical.python", Some(Token::Keyword)),
    ("keyword.operator", Some(Token::Operator)),
    ("punctuation.definition.list", Some(Token::Operator)),
    ("keyword.type", Some(Token::Type)),
    ("keyword", Some(Token::Keyword)),
    ("storage.type.annotation", Some(Token::Attribute)),
    ("storage.type.built-in", Some(Token::Type)),
    ("storage.type.primitive", Some(Token::Type)),
    ("storage.type.numeric", Some(Token::Type)),
    ("storage.type.java", Some(Token::Type)),
    ("storage.type.generic", Some(Token::Type)),
    ("storage.type.haskell", Some(Token::Type)),
    ("storage", Some(Token::Keyword)),
    ("entity.name.function.decorator", Some(Token::Attribute)),
    ("entity.name.function", Some(Token::Function)),
    ("entity.name.command", Some(Token::Function)),
    ("meta.function-call.generic", Some(Token::Function)),
    ("support.function", Some(Token::Function)),
    ("support.command", Some(Token::Function)),
    ("support.type.property-name", Some(Token::Attribute)),
    ("support.type", Some(Token::Type)),
    ("support.class", Some(Token::Type)),
    ("entity.other.prompt-prefix", Some(Token::Attribute)),
    ("punctuation.separator.prompt", Some(Token::Operator)),
    ("entity.name.tag", Some(Token::Tag)),
    ("punctuation.definition.tag", Some(Token::Tag)),
    ("entity.name.section", Some(Token::Heading)),
    ("markup.heading", Some(Token::Heading)),
    ("meta.diff.header", Some(Token::Heading)),
    ("meta.diff.range", Some(Token::Heading)),
    ("entity.other.attribute-name", Some(Token::Attribute)),
    ("entity.name.variable", None),
    ("entity.name", Some(Token::Type)),
    ("entity.other.inherited-class", Some(Token::Type)),
    ("meta.attribute", Some(Token::Attribute)),
    ("markup.bold", Some(Token::Strong)),
    ("markup.italic", Some(Token::Emphasis)),
    ("markup.inserted", Some(Token::Inserted)),
    ("markup.deleted", Some(Token::Deleted)),
    // Variables only where they are marked as such: else every second word would be one.
    ("punctuation.definition.variable", Some(Token::Variable)),
    ("variable.parameter", Some(Token::Variable)),
    ("variable.other.normal", Some(Token::Variable)),
    ("variable.other.bracket", Some(Token::Variable)),
    ("variable.other.positional", Some(Token::Variable)),
    ("variable.other.special", Some(Token::Variable)),
    ("variable.other.php", Some(Token::Variable)),
    ("variable.other.makefile", Some(Token::Variable)),
    ("variable.other.readwrite.powershell", Some(Token::Variable)),
    ("variable.other.readwrite.instance", Some(Token::Variable)),
    ("variable.other.readwrite.global", Some(Token::Variable)),
];
