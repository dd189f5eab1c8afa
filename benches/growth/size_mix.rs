//! The resident memory of the server while pastes of other sizes replace all stored pastes, again and again.
//!
//! Each phase saves five quarters of the budget over HTTP, so the store is full of its sizes at its end. An allocator
//! that keeps freed blocks between pastes of other sizes shows here.

use std::path::Path;

use crate::curve::{Axis, Panel, Picture, Scale, Series};
use crate::flags::{OFF, QUIET};
use crate::load::{Request, Server};
use crate::random::random;

/// The budget of the store, which is the server's default.
const BUDGET: usize = 128 << 20;
/// The bytes that a phase saves.
const SAVED: usize = BUDGET / 4 * 5;
/// The number of times that memory is read in a phase.
const STEPS: usize = 20;

/// The targets for the peak and for the end, in budgets.
const TARGETS: [f64; 2] = [1.6, 1.3];

/// The phases, each with the size of its contents in bytes. Mixed sizes reach from 64 B to 1 MiB, evenly spread over
/// the powers of two.
const PHASES: [(&str, Option<usize>); 6] = [
    ("1 KiB", Some(1 << 10)),
    ("1 MiB", Some(1 << 20)),
    ("mixed", None),
    ("1 KiB", Some(1 << 10)),
    ("200 KiB", Some(200 << 10)),
    ("1 KiB", Some(1 << 10)),
];

pub(crate) fn run(folder: &Path) {
    let server = Server::tidebin(&[QUIET, OFF].concat());
    let mut points = vec![(0.0, of_budget(server.resident()))];
    let mut series = Vec::new();
    println!("resident memory after each phase, in budgets of 128 MiB:");
    for (name, size) in PHASES {
        let first = points.len() - 1;
        let oldest = save_step(&server, size);
        points.push(point(points.len(), &server));
        for _ in 1..STEPS {
            save_step(&server, size);
            points.push(point(points.len(), &server));
        }
        let gone = server.ask(&Request::get(format!("/raw/{oldest}")));
        assert!(gone.status != 200, "the store is not full of this phase");
        println!("    {name:<8} {:.2}", points[points.len() - 1].1);
        series.push(Series {
            name: name.to_owned(),
            points: points[first..].to_vec(),
        });
    }
    let [peak, end] = [server.peak(), server.resident()].map(of_budget);
    println!(
        "    peak {peak:.2} (target: at most {}), end {end:.2} (target: at most {})",
        TARGETS[0], TARGETS[1]
    );
    Picture {
        title: "Resident memory of the server while the size of saved pastes changes".to_owned(),
        panels: vec![panel(series)],
    }
    .write(folder, "size-mix");
}

/// Saves one step of a phase. Returns the id of its first paste.
fn save_step(server: &Server, size: Option<usize>) -> String {
    const STEP: usize = SAVED / STEPS;
    if let Some(size) = size {
        let count = STEP.div_ceil(size);
        return server.save_many(&"x".repeat(size), count).swap_remove(0);
    }
    let (mut ids, mut saved) = (Vec::new(), 0);
    while saved < STEP {
        let size = mixed_size(ids.len() as u64);
        ids.push(server.save(&"x".repeat(size)));
        saved += size;
    }
    ids.swap_remove(0)
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "at most 1 MiB"
)]
fn mixed_size(nth: u64) -> usize {
    let share = random(nth) as f64 / u64::MAX as f64;
    (64.0 * 16_384_f64.powf(share)) as usize
}

/// The bytes saved so far and the resident memory, in budgets.
fn point(steps: usize, server: &Server) -> (f64, f64) {
    let saved = steps * SAVED / STEPS;
    (of_budget(saved), of_budget(server.resident()))
}

#[allow(clippy::cast_precision_loss, reason = "for figures that are printed")]
fn of_budget(bytes: usize) -> f64 {
    bytes as f64 / BUDGET as f64
}

fn panel(series: Vec<Series>) -> Panel {
    let axis = |label: &str| Axis {
        label: label.to_owned(),
        scale: Scale::Linear,
        name: |budgets| format!("{}", (budgets * 10.0).round() / 10.0),
    };
    Panel {
        title: "Resident memory while the size of saved pastes changes".to_owned(),
        x: axis("bytes saved, in budgets of 128 MiB"),
        y: axis("resident memory, in budgets"),
        series,
    }
}
