//! Operations whose callers go away.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use super::*;

#[test]
fn what_was_queued_is_carried_out_whole_even_if_its_caller_goes_away() {
    let mut driven = Driven::new();
    let now = driven.now();
    driven
        .save(id(2), paste(b"once", burn(1), 100, now))
        .unwrap();
    let seen = driven.peek(id(2)).unwrap();
    // Given a save and a last read that wait for their sync
    driven.runtime.block_on(async {
        let whole = paste(b"whole", Access::Open, 100, now);
        let mut saving = pin!(driven.store().insert(now, CLIENT.into(), id(1), whole));
        let mut reading = pin!(driven.store().consume(now, id(2), &seen));
        poll_fn(|context| {
            let _ = saving.as_mut().poll(context);
            let _ = reading.as_mut().poll(context);
            Poll::Ready(())
        })
        .await;
        // When their callers go away
    });
    // Then the save is there, and the read is used up
    driven.restart();
    assert_eq!(driven.get(id(1)).map(text), Ok("whole".to_owned()));
    assert_eq!(driven.get(id(2)).map(text), gone(Reason::Burned));
}
