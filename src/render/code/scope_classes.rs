//! Scope classes: maps the highlighter's scopes to CSS classes of the style sheet.
//!
//! A grammar labels a part of a text with a stack of scopes, such as `source.rust string.quoted
//! constant.character.escape`. The innermost scope that has a class decides.
//! Cost: the first use of a scope stack in a document takes about a hundred comparisons per word of its scopes. Later
//! uses take one hash look-up.

use std::collections::HashMap;
use std::iter::successors;

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
    // The longest prefix that has a class decides.
    successors(Some(scope), |scope| Some(scope.rsplit_once('.')?.0)).find_map(class_of_prefix)
}

/// Returns the class of this prefix of a scope alone, as [`class_of`] does.
fn class_of_prefix(prefix: &str) -> Option<Option<SyntaxClass>> {
    Some(Some(match prefix {
        // Code within another text, such as an interpolation. It does not get the class of the text around it.
        "source" | "meta.embedded" | "meta.interpolation" => return Some(None),
        "meta.template.expression" => return Some(None),
        // Arguments of a command, without quotes.
        "string.unquoted.argument" => return Some(None),
        // Grammars name the scopes around severities of log lines after colours of an editor theme.
        "log.exception" => return Some(None),
        "log.error" | "log.exceptiontype" | "markup.deleted" => SyntaxClass::Deleted,
        "log.warning" | "meta.attribute" => SyntaxClass::Attribute,
        "log.info" => SyntaxClass::Type,
        "comment" | "markup.quote" => SyntaxClass::Comment,
        "string.other.link" | "markup.underline.link" => SyntaxClass::Link,
        "string" | "markup.inline.raw" | "markup.raw" => SyntaxClass::Text,
        "constant.numeric" | "keyword.other.unit" => SyntaxClass::Number,
        "constant" | "support.constant" | "variable.language" => SyntaxClass::Constant,
        "entity.name.label" => SyntaxClass::Constant,
        // Operators that are written as words.
        "keyword.operator.new" | "keyword.operator.expression" => SyntaxClass::Keyword,
        "keyword.operator.word" | "keyword.operator.wordlike" => SyntaxClass::Keyword,
        "keyword.operator.logical.python" => SyntaxClass::Keyword,
        "keyword.operator" | "punctuation.definition.list" => SyntaxClass::Operator,
        "punctuation.separator.prompt" => SyntaxClass::Operator,
        "keyword" | "storage" => SyntaxClass::Keyword,
        "keyword.type" | "storage.type.built-in" | "storage.type.primitive" => SyntaxClass::Type,
        "storage.type.numeric" | "storage.type.java" | "storage.type.generic" => SyntaxClass::Type,
        "storage.type.haskell" => SyntaxClass::Type,
        "storage.type.annotation" | "entity.name.function.decorator" => SyntaxClass::Attribute,
        "entity.name.function" | "entity.name.command" | "support.function" => {
            SyntaxClass::Function
        }
        "meta.function-call.generic" | "support.command" => SyntaxClass::Function,
        "entity.other.attribute-name" | "support.type.property-name" => SyntaxClass::Attribute,
        "entity.other.prompt-prefix" => SyntaxClass::Attribute,
        "support.type" | "support.class" | "entity.other.inherited-class" => SyntaxClass::Type,
        "entity.name.tag" | "punctuation.definition.tag" => SyntaxClass::Tag,
        "entity.name.section" | "markup.heading" => SyntaxClass::Heading,
        "meta.diff.header" | "meta.diff.range" => SyntaxClass::Heading,
        "entity.name.variable" => return Some(None),
        "entity.name" => SyntaxClass::Type,
        "markup.bold" => SyntaxClass::Strong,
        "markup.italic" => SyntaxClass::Emphasis,
        "markup.inserted" => SyntaxClass::Inserted,
        // Variables get a class only where the language marks them. Otherwise every second word would have one.
        "punctuation.definition.variable" | "variable.parameter" => SyntaxClass::Variable,
        "variable.other.normal" | "variable.other.bracket" => SyntaxClass::Variable,
        "variable.other.positional" | "variable.other.special" => SyntaxClass::Variable,
        "variable.other.php" | "variable.other.makefile" => SyntaxClass::Variable,
        "variable.other.readwrite.powershell" => SyntaxClass::Variable,
        "variable.other.readwrite.instance" => SyntaxClass::Variable,
        "variable.other.readwrite.global" => SyntaxClass::Variable,
        _ => return None,
    }))
}
