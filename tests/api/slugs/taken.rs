//! How long a slug stays taken, and who gets it.

use std::sync::Barrier;
use std::time::Duration;

use super::Slugs;
use crate::operate::{ADMIN, as_operator};
use crate::rounds::rounds;
use crate::server::{Tier, block_on};

const DAY: Duration = Duration::from_secs(86_400);

#[test]
fn a_slug_is_taken_until_a_day_after_its_paste_ended_whichever_way() {
    let mut it = Slugs::start(&["--admin-token", ADMIN]);
    type End = fn(&Slugs);
    let ends: [(&str, &str, End); 4] = [
        ("", "deleted by its owner", |it| {
            assert_eq!(it.delete("/notes"), 200)
        }),
        ("expires=10m", "has expired", |it| {
            it.server.advance(Duration::from_secs(600))
        }),
        ("burn=1", "after its last view", |it| {
            assert_eq!(it.server.request("POST", "/notes").send().status, 200);
        }),
        ("", "removed by the operator", |it| {
            let removed = as_operator(it.server.request("DELETE", "/notes")).send();
            assert_eq!(removed.status, 200);
        }),
    ];
    for (options, reason, end) in ends {
        // Given a paste with a slug, which another save cannot have
        let save = |it: &Slugs| {
            let save = it.with_key("POST", &format!("/?slug=notes&{options}"));
            save.body(reason).send().status
        };
        assert_eq!([save(&it), save(&it)], [201, 409], "{reason}");
        // When it ends
        end(&it);
        block_on(it.server.store.sweep(it.server.clock.timestamp()));
        let gone = it.server.get("/notes");
        assert_eq!(gone.status, 410, "{reason}");
        assert!(gone.sentence().contains(reason), "{gone:?}");
        // Then the slug is taken for a day, even after a restart
        let refused = it.save("notes", "y");
        assert_eq!(refused.status, 409, "{reason}");
        assert!(refused.sentence().starts_with("This `slug` is taken"));
        if Tier::chosen() != Tier::Memory {
            it = Slugs {
                server: it.server.restart(),
                ..it
            };
        }
        it.server.advance(DAY - Duration::from_secs(1));
        assert_eq!(it.save("notes", "y").status, 409, "{reason}");
        // And after that it is free
        it.server.advance(Duration::from_secs(1));
    }
    assert_eq!(it.save("notes", "y").status, 201);
    assert_eq!(it.server.get("/notes").body, b"y");
}

#[test]
fn an_evicted_slug_is_not_free_at_once() {
    let it = Slugs::start(&["--max-store-size", "16MiB"]);
    assert_eq!(it.save("notes", "x").status, 201);
    it.server.fill(512 * 1024);
    assert_eq!(it.server.get("/notes").status, 410);
    assert_eq!(it.save("notes", "y").status, 409);
}

#[test]
fn exactly_one_of_16_savers_at_once_gets_a_slug() {
    let it = Slugs::start(&[]);
    for round in 0..rounds(3) {
        let (slug, barrier) = (format!("round-{round}"), Barrier::new(16));
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let savers: Vec<_> = (0..16)
                .map(|number: u8| {
                    let (it, slug, barrier) = (&it, &slug, &barrier);
                    scope.spawn(move || {
                        barrier.wait();
                        it.save(slug, &number.to_string()).status
                    })
                })
                .collect();
            savers
                .into_iter()
                .map(|saver| saver.join().unwrap())
                .collect()
        });
        let count = |status| statuses.iter().filter(|it| **it == status).count();
        assert_eq!((count(201), count(409)), (1, 15), "{statuses:?}");
    }
}
