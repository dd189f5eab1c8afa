//! Tests of usual and of hostile formulas.

use proptest::prelude::*;

use super::*;
use crate::render::tests::{FORMULA, Parsed};

fn inline(tex: &str) -> Option<String> {
    math(tex, DisplayMode::Inline)
}

#[test]
fn a_frame_has_all_four_lines() {
    for mode in [DisplayMode::Block, DisplayMode::Inline] {
        let html = math(r"\boxed{x}", mode).expect("a formula");
        let lines = [
            "<mtr class=\"menv-hline\">",
            "menv-left-solid menv-right-solid",
        ];
        assert_eq!(
            lines.map(|line| html.matches(line).count()),
            [2, 2],
            "{html}"
        );
    }
}

#[test]
fn usual_formulas_are_mathml() {
    for tex in [
        r"\sum_{i=0}^n \int_0^\infty e^{-x^2}\,dx = \frac{\sqrt\pi}{2}",
        r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
        r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
        r"\begin{cases} 1 & x > 0 \\ 0 & x \le 0 \end{cases}",
        r"\begin{array}{c|c} 1 & 2 \\[1em] \hline 3 & 4 \end{array}",
        r"\left( \sqrt[3]{x} \right) \hat{x} \vec{y} \mathbb{R} \mathbf{x}",
        r"\operatorname{lcm}(a, b) \sin x \lim_{x \to 0} \text{if } x~y",
        r"\textcolor{red}{x} \big( y \Big) \overbrace{x}^y \hspace{1em} a\!b",
        r"\bm{x} \mathscr{L} \mbox{a b} \begin{aligned}[t] a &= b \nonumber \\ c &= d \tag{1} \end{aligned}",
        r"\text{if $x_i > 0$, a\_b, 50\%}^2 \texttt{\{a\}}",
        r"\begin{equation}\label{eq:x} x \end{equation}",
        r"\boxed{E = mc^2} \bra{\psi} \ket{\phi} \mathop{\arg\max}_x \begingroup a \endgroup \cancel x",
        r"\begin{array}{|c|} \hline a \\ \hline \end{array}",
        r"\not= \displaystyle \prod_{i}^n a \bmod n",
    ] {
        let html = inline(tex).unwrap_or_else(|| panic!("{tex} is not understood"));
        assert!(html.starts_with("<math display=\"inline\">") && html.ends_with("</math>"));
        Parsed::of(&html, &[FORMULA]);
    }
    assert!(
        math(r"a \\ b", DisplayMode::Block).is_some_and(|html| html.matches("<mtr>").count() == 2)
    );
    assert!(math("x", DisplayMode::Block).is_some_and(|html| html.contains("display=\"block\"")));
}

#[test]
fn markup_in_a_formula_is_text_or_refused() {
    assert_eq!(
        inline(r"\operatorname{<script>alert(1)</script>}").as_deref(),
        Some("<math display=\"inline\"><mi>&#60;script&#62;alert(1)&#60;/script&#62;</mi></math>")
    );
    for tex in [
        r"\mathop{<img src=x onerror=alert(1)>}",
        r"\operatorname{</mi></math><script>alert(1)</script>}",
        r"\operatorname{</mi><img src=x>}",
        r"\begin{x}</math><img src=q onerror=alert(1)>",
        r"\left<script\right>",
        r"\text{</mtext></math><script>}",
    ] {
        if let Some(html) = inline(tex) {
            Parsed::of(&html, &[FORMULA]);
        }
    }
}

#[test]
fn formulas_that_are_invalid_too_long_or_too_deep_are_refused() {
    let long = "x".repeat(MAX_BYTES + 1);
    let deep = [r"\frac{".repeat(500), "x".into(), "}{y}".repeat(500)].concat();
    let braces = ["{".repeat(2000), "}".repeat(2000)].concat();
    let unbraced = [r"\hat".repeat(MAX_COMMANDS), " x".into()].concat();
    for tex in [
        r"\nosuch",
        // The parser would lose or misplace a part of these.
        r"\cancel{x}",
        r"\not{abc}",
        r"\sideset{_a}{^b}\sum",
        r"\mathop{a + \frac{1}{2}}",
        r"\colorbox{red}{x}",
        r"\fcolorbox{red}{blue}{x}",
        r"\text{50% of it}",
        r"\hspace{-1em}",
        r"\textcolor{white}{x}",
        r"\begin{array}{c:c} a & b \end{array}",
        "a & b",
        "$",
        r"\bar_a",
        r"\frac{",
        "}",
        r"\def\a{\a\a}\a",
        r"\de\label{}f\a{\a\a}\a",
        &long,
        &deep,
        &unbraced,
        &r"\hat".repeat(1000),
        &braces,
    ] {
        assert_eq!(inline(tex), None, "{tex}");
    }
}

/// Generates a formula, with its letters and digits in reading order.
fn formula() -> impl Strategy<Value = (String, String)> {
    let leaf = "[a-z0-9]".prop_map(|letter| (letter.clone(), letter));
    leaf.prop_recursive(4, 24, 2, |inner| {
        let pair = (inner.clone(), inner.clone()).prop_flat_map(|((a, first), (b, second))| {
            let tex = prop_oneof![
                Just(format!("{a} {b}")),
                Just(format!(r"\frac{{{a}}}{{{b}}}")),
                Just(format!("{{{a}}}_{{{b}}}")),
                Just(format!("{{{a}}}^{{{b}}}")),
            ];
            (tex, Just(first + &second))
        });
        prop_oneof![
            pair,
            inner
                .clone()
                .prop_map(|(tex, text)| (format!(r"\sqrt{{{tex}}}"), text)),
            inner.prop_map(|(tex, text)| (format!(r"\left({tex}\right)"), text)),
        ]
    })
}

proptest! {
    #[test]
    fn a_formula_keeps_its_letters_and_digits_in_order((tex, letters) in formula()) {
        let html = math(&tex, DisplayMode::Inline).expect("a formula");
        let text = Parsed::of(&html, &[FORMULA]).text;
        let kept: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        prop_assert_eq!(kept, letters);
    }

    #[test]
    fn no_formula_adds_markup_of_its_own(
        tex in r"(\\(operatorname|mathop|text|left|right|frac|bar|sqrt|begin|end|hspace|color|mathrm|not|limits|over|tag|cr)|[{}_^&<>'\[\]|\\]|\\textcolor\{red\}\{x\}|\{(array|aligned|matrix|c\|c|red|1em)\}|<(/mi|script|img src=x)>|[ax1\u{202e}é]){0,24}",
        mode in prop_oneof![Just(DisplayMode::Inline), Just(DisplayMode::Block)],
    ) {
        if let Some(html) = math(&tex, mode) {
            Parsed::of(&html, &[FORMULA]);
        }
    }
}
