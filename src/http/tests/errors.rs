//! Every error of a request. A new variant of an error does not compile until it is listed here.

use std::borrow::Cow;
use std::time::Duration;

use crate::account::{InstanceAccess, Right};
use crate::app::{ForbiddenChange, LinkError};
use crate::http::error::{AccessError, ApiError, Challenge, NotComparable, RateLimitExceeded};
use crate::http::problem::ProblemType;
use crate::http::protocol::{dpaste, haste, pastebin, record};
use crate::http::request::RequestError;
use crate::http::request::api::MemberError;
use crate::http::request::form::{FormDefect, FormError};
use crate::http::response::large_head_response;
use crate::http::termbin;
use crate::limit::{Action, LimitDenied, Rules, Tier};
use crate::operate::STATUSES;
use crate::paste::{ExpiryError, LinkTargetError, PasswordError, SlugError};
use crate::store::{NoteError, Reason};

/// Makes a list of errors. Each pattern stands before the examples that match it. A variant that no pattern matches
/// does not compile.
macro_rules! every {
    ($type:ty { $($variant:pat => $examples:expr,)+ }) => {{
        let _is_exhaustive = |error: &$type| match error { $($variant => {})+ };
        let mut all: Vec<$type> = Vec::new();
        $(
            let examples: Vec<$type> = Vec::from($examples);
            assert!(examples.iter().all(|it| matches!(it, $variant)), "{}", stringify!($variant));
            all.extend(examples);
        )+
        all
    }};
}

/// The sentences of all errors.
pub(super) fn sentences() -> Vec<String> {
    let of_errors = api_errors().into_iter().flat_map(|error| {
        let [general, on_page] = [error.row().sentence, error.row().page_sentence()];
        let is_other = on_page != general;
        [Some(general), Some(on_page).filter(|_| is_other)]
    });
    let of_errors = of_errors.flatten().map(Cow::into_owned);
    let head = String::from_utf8(large_head_response()).unwrap();
    let (_, large_head) = head.trim_end().split_once("\r\n\r\n").unwrap();
    of_errors
        .chain([large_head.to_owned()])
        .chain(record::messages())
        .chain(haste::messages())
        .chain(dpaste::messages())
        .chain(pastebin::messages())
        .chain(termbin::messages())
        .collect()
}

/// What `/api` says about each type of problem.
pub(super) fn meanings() -> Vec<String> {
    let types = ProblemType::ALL.iter();
    types.map(|it| it.about().meaning.to_owned()).collect()
}

#[test]
fn every_type_of_problem_has_a_name_of_its_own_and_an_error() {
    let errors = api_errors();
    for problem_type in ProblemType::ALL {
        let same_name = |other: &&ProblemType| other.about().name == problem_type.about().name;
        assert_eq!(ProblemType::ALL.iter().filter(same_name).count(), 1);
        let has_type = |error: &ApiError| error.row().problem_type == *problem_type;
        assert!(errors.iter().any(has_type), "{problem_type:?}");
    }
}

#[test]
fn the_status_of_every_error_has_a_counter_of_its_own() {
    for problem_type in ProblemType::ALL {
        let status = problem_type.about().status.as_u16();
        assert!(STATUSES.contains(&status), "{status}");
    }
}

#[test]
fn the_uri_of_a_problem_leads_to_the_page_of_the_api() {
    for (public_url, expected) in [
        (None, "/api#too-large"),
        (
            Some("https://bin.example"),
            "https://bin.example/api#too-large",
        ),
    ] {
        assert_eq!(ProblemType::TooLarge.uri(public_url), expected);
    }
}

pub(super) fn api_errors() -> Vec<ApiError> {
    use ApiError as E;
    every!(ApiError {
        E::Request(_) => map(request_errors(), E::Request),
        E::Link(_) => map(link_errors(), E::Link),
        E::Forbidden(_) => map(forbidden_changes(), E::Forbidden),
        E::TooLarge(_) => [E::TooLarge(1 << 20)],
        E::FormTooLarge => [E::FormTooLarge],
        E::MostlyFraming => [E::MostlyFraming],
        E::Compressed => [E::Compressed],
        E::Partial => [E::Partial],
        E::NotText => [E::NotText],
        E::NoSuchLines => [E::NoSuchLines],
        E::NoSuchRange(_) => [E::NoSuchRange(9)],
        E::Interrupted => [E::Interrupted],
        E::NoAction => [E::NoAction],
        E::ExtraFields => [E::ExtraFields],
        E::PreconditionFailed => [E::PreconditionFailed],
        E::Missing => [E::Missing],
        E::NothingHere => [E::NothingHere],
        E::NothingSaved => [E::NothingSaved],
        E::OutsideBasePath(_) => [E::OutsideBasePath("https://bin.example/paste".to_owned())],
        E::Gone(_) => map(reasons(), E::Gone),
        E::PostRequired { .. } => [false, true].map(|locked| E::PostRequired { locked }),
        E::NoPassword => [E::NoPassword],
        E::NoPasswordMember => [E::NoPasswordMember],
        E::WrongPassword => [E::WrongPassword],
        E::Changed => [E::Changed],
        E::NotComparable(_) => map(not_comparable(), E::NotComparable),
        E::NotALink => [E::NotALink],
        E::NoLinks => [E::NoLinks],
        E::NoToken => [E::NoToken],
        E::NoOwner => [E::NoOwner],
        E::WrongToken => [E::WrongToken],
        E::Access(_) => map(access_errors(), E::Access),
        E::NotOperator => [E::NotOperator],
        E::MayNotBlock => [E::MayNotBlock],
        E::OperatorOnly => [E::OperatorOnly],
        E::WrongOperatorPassword => [E::WrongOperatorPassword],
        E::SlugTaken => [E::SlugTaken],
        E::Blocked => [E::Blocked],
        E::ContentUnknown => [E::ContentUnknown],
        E::TooManyBlocks => [E::TooManyBlocks],
        E::NotListed => [E::NotListed],
        E::Denied => [E::Denied],
        E::Method(_) => [E::Method("GET, HEAD".to_owned())],
        E::Unavailable => [E::Unavailable],
        E::DiskFull => [E::DiskFull],
        E::StorageFailed => [E::StorageFailed],
        E::StorageUnavailable => [E::StorageUnavailable],
        E::TooSlow => [E::TooSlow],
        E::TooManyPauses => [E::TooManyPauses],
        E::OverShare => [E::OverShare],
        E::Overloaded => [E::Overloaded],
        E::RateLimitExceeded(_) => map(exceeded_limits(), E::RateLimitExceeded),
    })
}

fn map<T, U>(errors: Vec<T>, wrap: impl Fn(T) -> U) -> Vec<U> {
    errors.into_iter().map(wrap).collect()
}

fn access_errors() -> Vec<AccessError> {
    use AccessError as E;
    every!(AccessError {
        E::NoKey(..) => [InstanceAccess::SaveByKey, InstanceAccess::Private].map(|it| E::NoKey(it, Challenge::Basic)),
        E::NoKeyForSlug(_) => [E::NoKeyForSlug(Challenge::Basic)],
        E::EmptyKey(_) => [E::EmptyKey(Challenge::Bearer)],
        E::WrongKey(_) => [E::WrongKey(Challenge::Bearer)],
        E::KeyForbids(_) => [Right::Save, Right::Read, Right::Operate].map(E::KeyForbids),
        E::CrossSite => [E::CrossSite],
    })
}

fn request_errors() -> Vec<RequestError> {
    use RequestError as E;
    every!(RequestError {
        E::Empty => [E::Empty],
        E::Form(_) => map(form_errors(), E::Form),
        E::Member(_) => map(member_errors(), E::Member),
        E::Query => [E::Query],
        E::ContentType => [E::ContentType],
        E::Expiry(_) => map(expiry_errors(), E::Expiry),
        E::ExpiryPassed => [E::ExpiryPassed],
        E::OfForm(_) => map(saving_form_errors(), |error| E::OfForm(Box::new(error.into()))),
        E::UnknownHeader(_) => [E::UnknownHeader("x-read-once".to_owned())],
        E::NeverNotAllowed(_) => [E::NeverNotAllowed("30d".parse().unwrap())],
        E::ExpiryTooLong(_) => ["30d", "never"].map(|it| E::ExpiryTooLong(it.parse().unwrap())),
        E::Lines => [E::Lines],
        E::NoQuery => [E::NoQuery],
        E::Host => [E::Host],
        E::Reads => [E::Reads],
        E::OwnerSecret => [E::OwnerSecret],
        E::MisplacedSecret => [E::MisplacedSecret],
        E::Cursor => [E::Cursor],
        E::Selection => [E::Selection],
        E::Password(_) => map(password_errors(), E::Password),
        E::Note(_) => [NoteError::Empty, NoteError::TooLong].map(E::Note),
        E::Flag(_) => [E::Flag("block")],
        E::Address => [E::Address],
        E::Hash => [E::Hash],
        E::Slug(_) => [SlugError::NotASlug, SlugError::LikeAnId, SlugError::Reserved].map(E::Slug),
        E::Act => [E::Act],
        E::Forget => [E::Forget],
    })
}

fn member_errors() -> Vec<MemberError> {
    use MemberError as E;
    let name = || "burm".to_owned();
    every!(MemberError {
        E::NotAnObject => [E::NotAnObject],
        E::Unknown { .. } => [None, Some("burn")].map(|nearest| E::Unknown { name: name(), nearest }),
        E::Repeated(_) => [E::Repeated("title")],
        E::Invalid(..) => [E::Invalid("title", "a string, or `null` for none")],
        E::NoContent => [E::NoContent],
        E::SeveralContents => [E::SeveralContents],
        E::NoChange => [E::NoChange],
        E::PasswordAlone => [E::PasswordAlone],
        E::NotAPassword => [E::NotAPassword],
    })
}

/// The errors of a form that saves a paste.
fn saving_form_errors() -> Vec<FormError> {
    let mut errors = form_errors();
    errors.retain(|error| {
        use FormError as E;
        let acts_on_a_paste = matches!(error, E::UnknownActionField { .. } | E::NotAForm);
        !acts_on_a_paste
    });
    errors
}

fn form_errors() -> Vec<FormError> {
    use FormError as E;
    let repeated = [
        "lang", "title", "expires", "burn", "password", "token", "rm",
    ];
    let name = || "burm".to_owned();
    let both = || [None, Some("burn")];
    every!(FormError {
        E::UnknownField { .. } => both().map(|nearest| E::UnknownField { name: name(), nearest }),
        E::UnknownOption { .. } => both().map(|nearest| E::UnknownOption { name: name(), nearest }),
        E::UnknownActionField { .. } => [E::UnknownActionField { name: name() }],
        E::UnknownShortField { .. } => both().map(|nearest| E::UnknownShortField { name: name(), nearest }),
        E::OneshotLink => [E::OneshotLink],
        E::Remote => [E::Remote],
        E::GeneratedPassword => [E::GeneratedPassword],
        E::NoContent => [E::NoContent],
        E::NoNumberedContent(_) => [E::NoNumberedContent(2)],
        E::NumberTooLarge => [E::NumberTooLarge],
        E::SeveralContents => [E::SeveralContents],
        E::RepeatedField(..) => repeated.map(crate::http::request::form::repeated),
        E::Malformed(_) => map(form_defects(), E::Malformed),
        E::OtherMultipart => [E::OtherMultipart],
        E::NotMultipart => [E::NotMultipart],
        E::NotAForm => [E::NotAForm],
        E::NotEncoded(_) => [E::NotEncoded("url")],
        E::PutForm => [E::PutForm],
        E::FieldValue(..) => [E::FieldValue("burn", "a number of views from 1 to 100")],
        E::FieldEmpty(..) => [E::FieldEmpty("password", "a text of 1 to 1024 bytes")],
        E::FieldTooLong(..) => [E::FieldTooLong("title", "one line of text, at most 64 KiB")],
    })
}

fn form_defects() -> Vec<FormDefect> {
    use FormDefect as D;
    every!(FormDefect {
        D::NoBoundary => [D::NoBoundary],
        D::EmptyBoundary => [D::EmptyBoundary],
        D::LongBoundary => [D::LongBoundary],
        D::BoundaryCharacter => [D::BoundaryCharacter],
        D::BoundaryNotFound => [D::BoundaryNotFound],
        D::Truncated => [D::Truncated],
        D::HeadersTruncated => [D::HeadersTruncated],
        D::HeadersInvalid => [D::HeadersInvalid],
        D::NoName => [D::NoName],
    })
}

fn expiry_errors() -> Vec<ExpiryError> {
    use ExpiryError as E;
    every!(ExpiryError {
        E::NoUnit => [E::NoUnit],
        E::UnknownUnit(_) => [E::UnknownUnit("y".to_owned())],
        E::Malformed => [E::Malformed],
        E::Zero => [E::Zero],
        E::Overflow => [E::Overflow],
    })
}

fn password_errors() -> Vec<PasswordError> {
    use PasswordError as E;
    every!(PasswordError {
        E::Empty => [E::Empty],
        E::TooLong => [E::TooLong],
    })
}

fn link_errors() -> Vec<LinkError> {
    use LinkError as E;
    every!(LinkError {
        E::Burns => [E::Burns],
        E::Protected => [E::Protected],
        E::Target(_) => map(link_target_errors(), E::Target),
        E::LeadsHere => [E::LeadsHere],
    })
}

fn link_target_errors() -> Vec<LinkTargetError> {
    use LinkTargetError as E;
    every!(LinkTargetError {
        E::TooLong => [E::TooLong],
        E::Character => [E::Character],
        E::Scheme => [E::Scheme],
        E::Host => [E::Host],
        E::Port => [E::Port],
        E::Credentials => [E::Credentials],
    })
}

fn forbidden_changes() -> Vec<ForbiddenChange> {
    use ForbiddenChange as C;
    every!(ForbiddenChange {
        C::LinkTarget => [C::LinkTarget],
        C::Reads => [C::Reads],
        C::Slug => [C::Slug],
        C::Protect => [C::Protect],
        C::Unprotect => [C::Unprotect],
        C::EncryptedTitle => [C::EncryptedTitle],
    })
}

fn not_comparable() -> Vec<NotComparable> {
    use NotComparable as N;
    every!(NotComparable {
        N::Protected => [N::Protected],
        N::Link => [N::Link],
        N::Binary => [N::Binary],
        N::TooLarge => [N::TooLarge],
    })
}

fn reasons() -> Vec<Reason> {
    use Reason as R;
    every!(Reason {
        R::Expired => [R::Expired],
        R::Burned => [R::Burned],
        R::Deleted => [R::Deleted],
        R::RemovedByOperator => [R::RemovedByOperator],
        R::Evicted => [R::Evicted],
    })
}

/// Each action denied for a client and for its network. A save may also be larger than its quota ever allows.
fn exceeded_limits() -> Vec<RateLimitExceeded> {
    let soon = Some(Duration::from_secs(9));
    let by_action = Action::ALL.map(|action| (action, "rate 1/s burst 30", soon));
    let too_large = (Action::Save, "quota 1KiB/1d", None);
    let denials = by_action.into_iter().chain([too_large]);
    let of_both = denials.flat_map(|denial| [Tier::Client, Tier::Network].map(|it| (denial, it)));
    of_both
        .map(|((action, rules, retry_after), tier)| {
            let rules = Rules::parse(rules, action).unwrap();
            let denied = LimitDenied {
                action,
                rule: 0,
                tier,
                retry_after,
            };
            RateLimitExceeded::new(denied, &rules, 1).unwrap()
        })
        .collect()
}
