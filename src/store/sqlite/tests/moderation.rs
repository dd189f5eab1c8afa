//! Blocked contents and reports on disk: they are undone with a transaction that fails.

use super::parts::Parts;
use super::*;
use crate::store::{Block, ContentHash, ModerationChange, Note, Report, StoreError};

impl Driven {
    fn moderate(&self, change: ModerationChange) -> Result<bool, StoreError> {
        let moderated = self.store().moderate(self.now(), change);
        self.runtime.block_on(moderated)
    }
}

fn block(content: &[u8], since: Timestamp) -> ModerationChange {
    ModerationChange::Block(Block {
        hash: ContentHash::of(content),
        since,
        note: Some(Note::new("spam").unwrap()),
    })
}

fn report(paste: PasteId, network: u64, at: Timestamp) -> ModerationChange {
    let client = ClientKey { network, client: 1 };
    ModerationChange::Report(Report {
        slug: None,
        paste,
        client,
        at,
        note: Note::new("phishing").unwrap(),
    })
}

#[test]
fn a_transaction_that_fails_leaves_blocks_and_reports_as_they_were() {
    // Given a report
    let driven = Driven::new();
    let saved = paste(b"x", Access::Open, 1000, driven.now());
    driven.save(id(1), saved).unwrap();
    driven.moderate(report(id(1), 1, driven.now())).unwrap();
    let (parts, now) = Parts::of(driven);
    let before = parts.shared.moderation.reports(|_| true);
    // When a transaction removes its paste and blocks a content, and fails
    let mut transaction = parts.begin();
    transaction
        .remove(parts.key(1), Reason::Deleted.into())
        .unwrap();
    transaction.moderate(&block(b"a", now)).unwrap();
    assert!(parts.shared.moderation.has_blocks());
    assert!(parts.shared.moderation.reports(|_| true).is_empty());
    transaction.roll_back(Failure::Refused(String::new()));
    // Then all is as before
    assert!(!parts.shared.moderation.has_blocks());
    assert_eq!(parts.shared.moderation.reports(|_| true), before);
    assert_eq!(before.len(), 1);
}
