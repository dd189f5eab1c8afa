//! The time to check right and wrong tokens, and to encrypt and decrypt pastes. The times must reveal no token.
//!
//! `cargo bench --bench secrets` takes five seconds. It prints the median and the quartiles of many rounds for each
//! kind of token. The kinds take turns, so that other load of the machine affects all of them. Right and wrong tokens
//! take the same time within noise.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that prints what it measures"
)]

use std::cell::RefCell;
use std::hint::black_box;
use std::time::{Duration, Instant};

use tidebin::paste::{KeyMemory, Password, Title, Token, TokenHash, decrypt, encrypt};

const ROUNDS: usize = 4000;
const CALLS: u32 = 50;

fn main() {
    tokens();
    seals();
}

fn tokens() {
    let token = Token::from_random([7; 16]);
    let kept = token.hash();
    let right = token.as_str().to_owned();
    let wrong_at = |at: usize| {
        let mut wrong = right.clone().into_bytes();
        wrong[at] ^= 1;
        String::from_utf8(wrong).unwrap()
    };
    let presented = [
        ("right", right.clone()),
        ("right, again", right.clone()),
        ("wrong at its start", wrong_at(0)),
        ("wrong in its middle", wrong_at(11)),
        ("wrong at its end", wrong_at(21)),
        (
            "of another paste",
            Token::from_random([9; 16]).as_str().to_owned(),
        ),
    ];
    let mut times = vec![Vec::with_capacity(ROUNDS); presented.len()];
    for round in 0..ROUNDS {
        for turn in 0..presented.len() {
            let which = (round + turn) % presented.len();
            let start = Instant::now();
            for _ in 0..CALLS {
                black_box(kept.matches(&TokenHash::of(black_box(&presented[which].1))));
            }
            times[which].push(start.elapsed() / CALLS);
        }
    }
    println!("| token | p25, ns | median, ns | p75, ns |\n|---|--:|--:|--:|");
    for ((name, _), mut times) in presented.iter().zip(times) {
        times.sort_unstable();
        let at = |part: usize| times[ROUNDS * part / 4].as_nanos();
        println!("| {name} | {} | {} | {} |", at(1), at(2), at(3));
    }
}

fn seals() {
    let password = Password::new(b"correct horse").unwrap();
    let wrong = Password::new(b"correct house").unwrap();
    let title = Title::new("a title");
    let memory = RefCell::new(KeyMemory::new().unwrap());
    let open =
        |password: &Password, sealed: &[u8]| decrypt(password, sealed, &mut memory.borrow_mut());
    println!("\n| content | encrypt, ms | decrypt, ms | wrong password, ms |\n|---|--:|--:|--:|");
    for size in [1 << 10, 100 << 10, 1 << 20] {
        let content = vec![b'x'; size];
        let make = || {
            let memory = &mut memory.borrow_mut();
            encrypt(&password, [3; 40], title.as_ref(), &content, memory)
        };
        let sealed = make();
        let row = [
            median(|| drop(black_box(make()))),
            median(|| drop(black_box(open(&password, &sealed)))),
            median(|| drop(black_box(open(&wrong, &sealed)))),
        ];
        let [seal, unlock, refuse] = row.map(|time| time.as_secs_f64() * 1000.0);
        println!(
            "| {} KiB | {seal:.1} | {unlock:.1} | {refuse:.1} |",
            size >> 10
        );
    }
}

fn median(work: impl Fn()) -> Duration {
    let mut times: Vec<Duration> = (0..15)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}
