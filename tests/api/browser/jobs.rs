//! The jobs that people come for take two clicks at most, and one more is asked for before a paste is deleted. That a save and the link are a click and a key is in
//! `reading.rs`.

use super::save;
use crate::chromium::Scripts::On;
use crate::chromium::visit;

/// A way to the end of a job: the clicks, and a script that is true at the end.
type Job = (&'static [&'static str], &'static str);

/// The jobs of an owner on the page of a paste.
const OF_A_PASTE: [Job; 5] = [
    (
        &[".view [href^='/raw/']"],
        "location.pathname.startsWith('/raw/')",
    ),
    (
        &["[popovertarget=menu]", "#menu a[href^='/?from=']"],
        "document.querySelector('#content')?.value === 'x = 1'",
    ),
    (
        &[".actions a[href$='/edit']"],
        "document.querySelector('#content')?.value === 'x = 1'",
    ),
    (
        &["#kind", "#languages [value=python]"],
        "document.querySelector('#kind').innerText.includes('Python')",
    ),
    (
        &["[popovertarget=menu]", ".delete summary", ".delete button"],
        "document.querySelector('.message h1')?.innerText === 'Deleted'",
    ),
];

#[test]
#[ignore = "needs chromium"]
fn a_job_on_the_page_of_a_paste_takes_at_most_two_clicks_and_one_more_to_delete() {
    visit(On, |visitor| {
        let path = save(visitor, "x = 1", "a");
        for (clicks, end) in OF_A_PASTE {
            let asks = usize::from(clicks.contains(&".delete button"));
            assert!(clicks.len() <= 2 + asks, "{clicks:?}");
            visitor.open(&path);
            for css in clicks {
                visitor.click(css);
            }
            visitor.until(end);
        }
    });
}
