//! Principals: whom a request comes from.

use std::str::FromStr;
use std::sync::Arc;

use super::{InstanceAccess, Key, Right};
use crate::limit::Multiplier;
use crate::paste::OwnerId;

/// Whom a request comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Principal {
    /// A client that shows nothing.
    #[default]
    Anonymous,
    /// The holder of a key.
    Key(Arc<Key>),
    /// A user whom the operator's proxy knows.
    User(UserName),
    /// The operator, by the token in the configuration.
    Operator,
}

/// The name of a user whom the proxy knows: 1 to 256 bytes without control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserName(String);

impl Principal {
    /// Returns true if the client has the right, because everyone has it here or because of who the client is.
    pub fn may(&self, right: Right, access: InstanceAccess) -> bool {
        access.gives(right)
            || match self {
                Self::Anonymous => false,
                Self::Key(key) => {
                    let rights = key.grant.rights;
                    rights.has(right) || (right == Right::Metrics && rights.has(Right::Operate))
                }
                Self::User(_) => matches!(right, Right::Save | Right::Read),
                Self::Operator => true,
            }
    }

    /// Returns true if the client may choose the addresses of its pastes: someone with a name, who can be asked about
    /// them. An address is scarce, so a right that everyone has here does not count.
    pub fn may_choose_slugs(&self) -> bool {
        match self {
            Self::Key(key) => key.grant.rights.has(Right::Save),
            Self::User(_) => true,
            Self::Anonymous | Self::Operator => false,
        }
    }

    /// Returns the name of the account of a key or a proxy's user. A new key of the same name has the account of the old
    /// one. A key and a user of the same name have different accounts.
    pub fn account(&self) -> Option<String> {
        match self {
            Self::Key(key) => Some(format!("key {}", key.grant.name)),
            Self::User(name) => Some(format!("user {}", name.0)),
            Self::Anonymous | Self::Operator => None,
        }
    }

    /// Returns the owner for a key or a proxy's user.
    pub fn owner(&self) -> Option<OwnerId> {
        Some(OwnerId::of_name(&self.account()?))
    }

    /// Returns the factor by which the limits of the account are multiplied.
    pub fn multiplier(&self) -> Multiplier {
        match self {
            Self::Key(key) => key.grant.multiplier,
            Self::Anonymous | Self::User(_) | Self::Operator => Multiplier::ONE,
        }
    }
}

impl FromStr for UserName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.len() {
            1..=256 if !text.chars().any(char::is_control) => Ok(Self(text.to_owned())),
            _ => Err("is not a name"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{KeyEnd, KeyGrant};

    fn key(rights: &str) -> Principal {
        let grant = KeyGrant {
            name: "alice".parse().unwrap(),
            rights: rights.parse().unwrap(),
            multiplier: Multiplier::ONE,
            end: KeyEnd::default(),
        };
        let (key, _) = Key::from_random(grant, [7; 16]);
        Principal::Key(Arc::new(key))
    }

    #[test]
    fn a_key_and_a_user_of_the_same_name_are_two_owners() {
        let user = Principal::User("alice".parse().unwrap());
        let owner = |principal: &Principal| principal.owner().unwrap().hash();
        assert!(!owner(&key("save")).matches(&owner(&user)));
        assert!(owner(&key("save")).matches(&owner(&key("read"))));
        assert!(Principal::Anonymous.owner().is_none());
    }

    #[test]
    fn a_client_may_do_what_everyone_may_and_what_its_rights_say() {
        use InstanceAccess::{Open, Private, SaveByKey};
        use Right::{Metrics, Operate, Read, Save};
        let user = Principal::User("alice".parse().unwrap());
        for (principal, access, rights) in [
            (Principal::Anonymous, Open, &[Save, Read][..]),
            (Principal::Anonymous, SaveByKey, &[Read]),
            (Principal::Anonymous, Private, &[]),
            (key("read"), Open, &[Save, Read]),
            (key("read"), SaveByKey, &[Read]),
            (key("save"), SaveByKey, &[Save, Read]),
            (key("save"), Private, &[Save]),
            (key("operate"), Private, &[Operate, Metrics]),
            (key("metrics"), Private, &[Metrics]),
            (user, Private, &[Save, Read]),
            (
                Principal::Operator,
                Private,
                &[Save, Read, Operate, Metrics],
            ),
        ] {
            for right in [Save, Read, Operate, Metrics] {
                let may = principal.may(right, access);
                assert_eq!(
                    may,
                    rights.contains(&right),
                    "{principal:?} {access:?} {right:?}"
                );
            }
        }
    }
}
