//! Tests of the revisions of a rendered paste.

use super::*;
use crate::paste::{
    Change, Content, Draft, Expiry, Language, StoredPaste, Timestamp, Title, TitleChange, TokenHash,
};

#[test]
fn a_rendered_paste_belongs_to_one_content_and_one_title() {
    let draft = |content: &[u8]| Draft {
        content: Content::new(content, usize::MAX).expect("not empty"),
        title: Title::new("a"),
        language: Language::PLAIN,
        expiry: Expiry::Never,
    };
    let before = Paste::new(
        draft(b"old"),
        Revision::default(),
        Timestamp::default(),
        TokenHash::of(""),
    );
    let key = RenderKey::new(Language::PLAIN, false);
    let rendered = Rendered::new(&before, key, TimeBudget::until(&|| false));
    assert!(rendered.same_revision(&before));
    let content = Content::new(b"new", usize::MAX).ok();
    let title = TitleChange::Set(Title::new("b").expect("a title"));
    for change in [
        Change {
            content,
            ..Change::default()
        },
        Change {
            title,
            ..Change::default()
        },
        Change {
            title: TitleChange::Remove,
            ..Change::default()
        },
    ] {
        let before = StoredPaste::from(before.clone()).into_data();
        let revision = Revision::from_random([1; 8]);
        let after = before.changed(&change, revision, Timestamp::default());
        assert!(!rendered.same_revision(&after.with_reads(0).into_paste()));
    }
}
