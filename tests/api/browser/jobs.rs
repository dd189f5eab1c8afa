//! The jobs that people come for take two clicks at most. That a save and the link are a click and a key is in
//! `reading.rs`.

use super::save;
use crate::chromium::Scripts::On;
use crate::chromium::visit;

/// A way to the end of a job: the clicks, and a script that is true at the end.
type Job = (&'static [&'static str], &'static str);

/// The jobs of an owner on the page of a paste.
const OF_A_PASTE: [Job; 5] = [
    (
        &[".roomy[href^='/raw/']"],
        "location.pathname.startsWith('/raw/')",
    ),
    (
        &["[popovertarget=menu]", "#menu a[href^='/?from=']"],
        "document.querySelector('#content')?.value === 'x = 1'",
    ),
    (
        &["[popovertarget=menu]", "#menu a[href$='/edit']"],
        "document.querySelector('#content')?.value === 'x = 1'",
    ),
    (
        &["#kind", "#languages [value=python]"],
        "document.querySelector('#kind').innerText.includes('Python')",
    ),
    (
        &["[popovertarget=delete]", "#delete button"],
        "document.querySelector('.message h1')?.innerText === 'Deleted'",
    ),
];

#[test]
#[ignore = "needs chromium"]
fn a_job_on_the_page_of_a_paste_takes_at_most_two_clicks() {
    visit(On, |visitor| {
        let path = save(visitor, "x = 1", "a");
        for (clicks, end) in OF_A_PASTE {
            assert!(clicks.len() <= 2, "{clicks:?}");
            visitor.open(&path);
            for css in clicks {
                visitor.click(css);
            }
            visitor.until(end);
        }
    });
}
