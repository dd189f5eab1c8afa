//! Revisions of a rendered paste.

use super::*;
use crate::paste::{Change, Content, Draft, Expiry, Language, StoredPaste, TitleChange, TokenHash};

#[test]
fn a_rendered_paste_belongs_to_one_content_and_one_title() {
    let draft = |content: &[u8]| Draft {
        content: Content::new(content, usize::MAX).expect("not empty"),
        title: Title::new("a"),
        language: Language::PLAIN,
        expiry: Expiry::Never,
    };
    let before = Paste::new(draft(b"old"), Timestamp::default(), TokenHash::of(""));
    let key = RenderKey::new(Language::PLAIN, false);
    let rendered = Rendered::new(&before, key, TimeBudget::until(&|| false));
    assert!(rendered.same_revision(&before));
    let content = Content::new(b"new", usize::MAX).ok();
    let title = TitleChange::Is(Title::new("b").expect("a title"));
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
            title: TitleChange::Goes,
            ..Change::default()
        },
    ] {
        // The change has the same timestamp.
        let after = StoredPaste::from(before.clone()).changed(&change, Timestamp::default());
        assert!(!rendered.same_revision(&after.read()));
    }
}
