//! Tests of the colours of a patch, and of both sides beside each other.

use super::*;

#[test]
fn a_hunk_has_the_colours_of_the_language_of_its_file() {
    let hunk = "@@ -1,2 +1,2 @@\n // \"\n-let a = 1;\n+let a = \"x\";\n";
    let rust = html(&format!("--- a/m.rs\n+++ b/m.rs\n{hunk}"));
    for part in [
        " <span class=\"c\">// &#34;</span>",
        "-<span class=\"k\">let</span>",
        "<b><span class=\"n\">1</span></b>",
        "<span class=\"s\">&#34;x&#34;</span>",
    ] {
        assert!(rust.contains(part), "{part} in {rust}");
    }
    let plain = html(&format!("--- a/m\n+++ b/m\n{hunk}"));
    assert!(!plain.contains("class=\"k\""));
    let rust = Language::from_name("rust");
    let named = patch(hunk, rust, false, NEVER)
        .expect("in time")
        .expect("a patch");
    assert!(named.html.contains("class=\"k\""));
}

#[test]
fn without_time_for_colours_a_patch_is_a_patch_all_the_same() {
    let checks = std::cell::Cell::new(0);
    let is_over = || checks.replace(checks.get() + 1) > 0;
    let text = HUNK.replace("+++ b", "+++ b.rs");
    let late = patch(&text, None, false, TimeBudget::until(&is_over));
    let late = checked(&text, late.expect("in time").expect("a patch"));
    assert!(late.is_late && late.html.contains("<ins id=\"L6\""));
}

#[test]
fn beside_each_other_the_unchanged_lines_are_on_both_sides() {
    let split = patch(HUNK, None, true, NEVER)
        .expect("in time")
        .expect("a patch");
    assert!(split.is_split);
    assert_eq!(split.html.matches("<span class=\"pair\">").count(), 3);
    assert_eq!(split.html.matches("<span inert data-o=").count(), 2);
    let long = format!("{HUNK}{}", "x".repeat(MAX_SPLIT));
    let long = patch(&long, None, true, NEVER)
        .expect("in time")
        .expect("a patch");
    assert!(!long.is_split && !long.html.contains("inert"));
}
