//! Operations that run at the same time.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::AtomicBool;
use std::task::Poll;
use std::thread;

use super::*;

/// Waits for an operation on a runtime of its own, so that several threads can wait at once.
fn block_on<T>(operation: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(operation)
}

#[test]
fn a_paste_is_found_at_every_moment_of_a_change() {
    // Given a paste that others look for all the time
    let driven = Driven::new();
    let now = driven.now();
    driven
        .save(id(1), paste(b"0", Access::Open, 0, now))
        .unwrap();
    let (store, is_over) = (driven.store(), &AtomicBool::new(false));
    thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread().build();
                    runtime.unwrap().block_on(async {
                        while !is_over.load(Ordering::SeqCst) {
                            store.peek(now, id(1)).await?;
                        }
                        Ok(())
                    })
                })
            })
            .collect();
        // When it is changed again and again
        for round in 1..=50 {
            let change = Change {
                content: Content::new(&[round], 1).ok(),
                ..Change::default()
            };
            let revision = Revision::from_random([round; 8]);
            let changed = store.update(now, id(1), &change, revision);
            assert_eq!(block_on(changed), Ok(()));
        }
        is_over.store(true, Ordering::SeqCst);
        // Then it was always there
        for reader in readers {
            assert_eq!(reader.join().unwrap(), Ok::<_, ReadError>(()));
        }
    });
}

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
        let mut saving = pin!(driven.store().insert(now, CLIENT, id(1), whole));
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
