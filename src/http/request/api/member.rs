//! The members of the JSON objects that a client sends to the API.

use utoipa::openapi::schema::{AdditionalProperties, Object, ObjectBuilder, SchemaType, Type};

use crate::http::request::form::field::Field;

/// A known member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member {
    Content,
    ContentBase64,
    Title,
    Language,
    Expires,
    Burn,
    Password,
    Slug,
}

impl Member {
    pub(crate) const ALL: [Self; 8] = [
        Self::Content,
        Self::ContentBase64,
        Self::Title,
        Self::Language,
        Self::Expires,
        Self::Burn,
        Self::Password,
        Self::Slug,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::ContentBase64 => "content_base64",
            Self::Title => "title",
            Self::Language => "language",
            Self::Expires => "expires",
            Self::Burn => "burn",
            Self::Password => "password",
            Self::Slug => "slug",
        }
    }

    /// The member that a client meant if it sent this name of a form's field.
    pub(super) fn meant_by(field: &str) -> Option<Self> {
        match Field::named(field)? {
            Field::Content => Some(Self::Content),
            Field::Language => Some(Self::Language),
            Field::Title => Some(Self::Title),
            Field::Expires(_) => Some(Self::Expires),
            Field::Burn | Field::BurnSwitch | Field::Oneshot => Some(Self::Burn),
            _ => None,
        }
    }

    /// The allowed values, as error messages describe them.
    pub(super) fn allowed(self) -> &'static str {
        match self {
            Self::Content => "the text as a string, or bytes that are not text as `content_base64`",
            Self::ContentBase64 => "the bytes in base64",
            Self::Title => "a string, or `null` for none",
            Self::Language => {
                "the name of a language such as `rust`, or a file ending such as `rs`"
            }
            Self::Expires => "a number of seconds, or a string such as `\"7d\"` or `\"never\"`",
            Self::Burn => "the number of views after which the paste is deleted, from 1 to 100",
            Self::Password => "a string of 1 to 1024 bytes",
            Self::Slug => {
                "the address, for holders of keys: 3 to 64 characters of `a` to `z`, `0` to `9` and `-`"
            }
        }
    }

    /// The JSON schema of the values.
    fn schema(self) -> ObjectBuilder {
        let schema = ObjectBuilder::new().description(Some(self.allowed()));
        let of_types = |types: &[Type]| {
            let types = types.iter().cloned().chain([Type::Null]);
            schema.schema_type(SchemaType::from_iter(types))
        };
        match self {
            Self::Content | Self::Title | Self::Language | Self::Password | Self::Slug => {
                of_types(&[Type::String])
            }
            Self::Expires => of_types(&[Type::Integer, Type::String]),
            Self::ContentBase64 => of_types(&[Type::String]).content_encoding("base64"),
            Self::Burn => of_types(&[Type::Integer])
                .minimum(Some(1))
                .maximum(Some(100)),
        }
    }

    /// The JSON schema of an object with these members.
    pub(super) fn schema_of(members: &[Self]) -> Object {
        let object =
            ObjectBuilder::new().additional_properties(Some(AdditionalProperties::FreeForm(false)));
        let with =
            |object: ObjectBuilder, member: &Self| object.property(member.name(), member.schema());
        members.iter().fold(object, with).build()
    }
}
