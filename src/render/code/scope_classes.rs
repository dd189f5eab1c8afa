//! Scope classes: maps the highlighter's scopes to CSS classes of the style sheet.
//!
//! A grammar labels a part of a text with a stack of scopes, such as `source.rust string.quoted
//! constant.character.escape`. The innermost scope that has a class decides.
//! Cost: the first use of a scope stack in a document takes about a hundred comparisons per scope. Later uses take one
//! hash look-up.

use std::collections::HashMap;

use syntaxmate::ScopeStackId;

use crate::render::highlight::SyntaxClass;

/// Maximum number of scopes that are checked, from the innermost outwards. The deciding scope is always among them,
/// even if the stack is deeper.
const MAX_SCOPES: usize = 16;

/// The class of each scope stack that occurred in one document.
#[derive(Default)]
pub(super) struct ScopeClasses(HashMap<ScopeStackId, Option<SyntaxClass>>);

impl ScopeClasses {
    /// Returns the class of a token, or `None` if it is shown without a style.
    pub(super) fn of(&mut self, token: &syntaxmate::Token) -> Option<SyntaxClass> {
        let find = || {
            let scopes = token.scopes();
            let outer = scopes.len().saturating_sub(MAX_SCOPES);
            scopes.skip(outer).filter_map(class_of).last().flatten()
        };
        match token.scope_stack() {
            Some(stack) => *self.0.entry(stack).or_insert_with(find),
            None => find(),
        }
    }
}

/// Returns the class of a scope. Returns `None` if the scope decides nothing, and `Some(None)` if its text gets no
/// class.
fn class_of(scope: &str) -> Option<Option<SyntaxClass>> {
    // A scope with this ending marks an HTML end tag as embedded code, which only editors need.
    if scope.ends_with("-ignored-vscode") {
        return None;
    }
    let is_within = |outer: &str| {
        scope
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    CLASSES
        .iter()
        .find(|(outer, _)| is_within(outer))
        .map(|(_, class)| *class)
}

/// The class for each prefix of a scope. The first matching prefix decides.
const CLASSES: &[(&str, Option<SyntaxClass>)] = &[
    // Code within another text, such as an interpolation. It does not get the class of the text around it.
    ("source", None),
    ("meta.embedded", None),
    ("meta.interpolation", None),
    ("meta.template.expression", None),
    // Severities of log lines. Grammars name the scopes around them after colours of an editor theme.
    ("log.error", Some(SyntaxClass::Deleted)),
    ("log.exceptiontype", Some(SyntaxClass::Deleted)),
    ("log.exception", None),
    ("log.warning", Some(SyntaxClass::Attribute)),
    ("log.info", Some(SyntaxClass::Type)),
    ("comment", Some(SyntaxClass::Comment)),
    ("markup.quote", Some(SyntaxClass::Comment)),
    ("string.other.link", Some(SyntaxClass::Link)),
    ("markup.underline.link", Some(SyntaxClass::Link)),
    // Arguments of a command, without quotes.
    ("string.unquoted.argument", None),
    ("string", Some(SyntaxClass::Text)),
    ("markup.inline.raw", Some(SyntaxClass::Text)),
    ("markup.raw", Some(SyntaxClass::Text)),
    ("constant.numeric", Some(SyntaxClass::Number)),
    ("keyword.other.unit", Some(SyntaxClass::Number)),
    ("constant", Some(SyntaxClass::Constant)),
    ("support.constant", Some(SyntaxClass::Constant)),
    ("variable.language", Some(SyntaxClass::Constant)),
    ("entity.name.label", Some(SyntaxClass::Constant)),
    // Operators that are written as words.
    ("keyword.operator.new", Some(SyntaxClass::Keyword)),
    ("keyword.operator.expression", Some(SyntaxClass::Keyword)),
    ("keyword.operator.wordlike", Some(SyntaxClass::Keyword)),
    ("keyword.operator.word", Some(SyntaxClass::Keyword)),
    (
        "keyword.operator.logical.python",
        Some(SyntaxClass::Keyword),
    ),
    ("keyword.operator", Some(SyntaxClass::Operator)),
    ("punctuation.definition.list", Some(SyntaxClass::Operator)),
    ("keyword.type", Some(SyntaxClass::Type)),
    ("keyword", Some(SyntaxClass::Keyword)),
    ("storage.type.annotation", Some(SyntaxClass::Attribute)),
    ("storage.type.built-in", Some(SyntaxClass::Type)),
    ("storage.type.primitive", Some(SyntaxClass::Type)),
    ("storage.type.numeric", Some(SyntaxClass::Type)),
    ("storage.type.java", Some(SyntaxClass::Type)),
    ("storage.type.generic", Some(SyntaxClass::Type)),
    ("storage.type.haskell", Some(SyntaxClass::Type)),
    ("storage", Some(SyntaxClass::Keyword)),
    (
        "entity.name.function.decorator",
        Some(SyntaxClass::Attribute),
    ),
    ("entity.name.function", Some(SyntaxClass::Function)),
    ("entity.name.command", Some(SyntaxClass::Function)),
    ("meta.function-call.generic", Some(SyntaxClass::Function)),
    ("support.function", Some(SyntaxClass::Function)),
    ("support.command", Some(SyntaxClass::Function)),
    ("support.type.property-name", Some(SyntaxClass::Attribute)),
    ("support.type", Some(SyntaxClass::Type)),
    ("support.class", Some(SyntaxClass::Type)),
    ("entity.other.prompt-prefix", Some(SyntaxClass::Attribute)),
    ("punctuation.separator.prompt", Some(SyntaxClass::Operator)),
    ("entity.name.tag", Some(SyntaxClass::Tag)),
    ("punctuation.definition.tag", Some(SyntaxClass::Tag)),
    ("entity.name.section", Some(SyntaxClass::Heading)),
    ("markup.heading", Some(SyntaxClass::Heading)),
    ("meta.diff.header", Some(SyntaxClass::Heading)),
    ("meta.diff.range", Some(SyntaxClass::Heading)),
    ("entity.other.attribute-name", Some(SyntaxClass::Attribute)),
    ("entity.name.variable", None),
    ("entity.name", Some(SyntaxClass::Type)),
    ("entity.other.inherited-class", Some(SyntaxClass::Type)),
    ("meta.attribute", Some(SyntaxClass::Attribute)),
    ("markup.bold", Some(SyntaxClass::Strong)),
    ("markup.italic", Some(SyntaxClass::Emphasis)),
    ("markup.inserted", Some(SyntaxClass::Inserted)),
    ("markup.deleted", Some(SyntaxClass::Deleted)),
    // Variables get a class only where the language marks them. Otherwise every second word would have one.
    (
        "punctuation.definition.variable",
        Some(SyntaxClass::Variable),
    ),
    ("variable.parameter", Some(SyntaxClass::Variable)),
    ("variable.other.normal", Some(SyntaxClass::Variable)),
    ("variable.other.bracket", Some(SyntaxClass::Variable)),
    ("variable.other.positional", Some(SyntaxClass::Variable)),
    ("variable.other.special", Some(SyntaxClass::Variable)),
    ("variable.other.php", Some(SyntaxClass::Variable)),
    ("variable.other.makefile", Some(SyntaxClass::Variable)),
    (
        "variable.other.readwrite.powershell",
        Some(SyntaxClass::Variable),
    ),
    (
        "variable.other.readwrite.instance",
        Some(SyntaxClass::Variable),
    ),
    (
        "variable.other.readwrite.global",
        Some(SyntaxClass::Variable),
    ),
];
