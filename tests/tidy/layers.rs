//! The order of the rooms (the top-level modules): a room may import only from the rooms that it lists.

use std::collections::BTreeMap;

use crate::imports::{Imports, Module};

/// The rooms of the program, each with the rooms that it may use.
const ROOMS: [(&str, &[&str]); 24] = [
    ("byte_size", &[]),
    ("allocator", &[]),
    ("fairness", &[]),
    ("date", &[]),
    ("hidden", &[]),
    ("spelling", &[]),
    ("clock", &["paste"]),
    ("paste", &["byte_size", "hidden"]),
    ("detection", &["paste"]),
    ("limit", &["byte_size", "fairness", "hidden"]),
    ("account", &["limit", "paste"]),
    ("overload", &["fairness"]),
    (
        "store",
        &[
            "byte_size",
            "detection",
            "fairness",
            "hidden",
            "limit",
            "paste",
        ],
    ),
    ("app", &["fairness", "paste", "store"]),
    ("render", &["detection", "paste"]),
    (
        "page",
        &["fairness", "hidden", "render", "detection", "paste", "date"],
    ),
    (
        "operate",
        &["paste", "limit", "overload", "store", "app", "page"],
    ),
    (
        "config",
        &[
            "account",
            "byte_size",
            "hidden",
            "page",
            "paste",
            "limit",
            "spelling",
        ],
    ),
    ("log", &["clock", "config", "date"]),
    (
        "http",
        &[
            "account",
            "fairness",
            "clock",
            "date",
            "paste",
            "detection",
            "limit",
            "overload",
            "store",
            "app",
            "render",
            "page",
            "config",
            "log",
            "operate",
            "spelling",
        ],
    ),
    ("maintenance", &["account", "clock", "config", "store"]),
    (
        "main",
        &[
            "allocator",
            "clock",
            "config",
            "http",
            "log",
            "maintenance",
            "store",
        ],
    ),
    ("lib", &[]),
    ("", &[]),
];

/// The modules of `http` from the bottom up. A module may use only the modules before it.
const HTTP: [&str; 22] = [
    "connection",
    "problem",
    "request",
    "error",
    "state",
    "admission",
    "transfer",
    "response",
    "handler",
    "protocol",
    "access_log",
    "termbin",
    "routes",
    "limiting",
    "signals",
    "healthcheck",
    "command",
    "machine",
    "budgets",
    "storage",
    "listener",
    "server",
];

#[test]
fn a_room_uses_only_the_rooms_below_it() {
    let rooms: BTreeMap<&str, &[&str]> = ROOMS.into();
    for (file, targets) in &Imports::read().edges {
        for target in targets {
            let (room, used) = (room(file), room(target));
            let allowed = rooms
                .get(room)
                .unwrap_or_else(|| panic!("unknown room {room}"));
            assert!(
                room == used || allowed.contains(&used),
                "{} uses {}",
                file.join("::"),
                target.join("::")
            );
        }
    }
}

#[test]
fn nothing_points_back_inside_http() {
    let place = |module: &Module| -> Option<usize> {
        let name = module.get(1)?;
        let place = HTTP.iter().position(|room| room == name);
        Some(place.unwrap_or_else(|| panic!("unknown room http::{name}")))
    };
    for (file, targets) in &Imports::read().edges {
        for target in targets.iter().filter(|target| room(target) == "http") {
            let (Some(from), Some(to)) = (place(file), place(target)) else {
                continue;
            };
            let points_back = room(file) == "http" && to > from;
            assert!(
                !points_back,
                "{} uses {}",
                file.join("::"),
                target.join("::")
            );
        }
    }
}

#[test]
fn no_files_import_from_each_other_in_a_circle() {
    let circle = Imports::read().circle();
    let names = circle.map(|files| files.iter().map(|file| file.join("::")).collect::<Vec<_>>());
    assert_eq!(names, None, "a circle of files");
}

/// The room of a module: the first part of its path.
fn room(module: &Module) -> &str {
    module.first().map_or("lib", String::as_str)
}
