//! Formulas, from the usual to the hostile.

use super::*;
use crate::render::tests::{FORMULA, Parsed};

fn inline(tex: &str) -> Option<String> {
    math(tex, Place::Inline)
}

#[test]
fn usual_formulas_are_mathml() {
    assert_eq!(
        inline(r"\frac{1}{2} < x_i").as_deref(),
        Some(
            "<math display=\"inline\"><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>\
             <mo>&#60;</mo><msub><mi>x</mi><mi>i</mi></msub></math>"
        )
    );
    for tex in [
        r"\sum_{i=0}^n \int_0^\infty e^{-x^2}\,dx = \frac{\sqrt\pi}{2}",
        r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
        r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
        r"\begin{cases} 1 & x > 0 \\ 0 & x \le 0 \end{cases}",
        r"\begin{array}{c|c} 1 & 2 \\[1em] \hline 3 & 4 \end{array}",
        r"\left( \sqrt[3]{x} \right) \hat{x} \vec{y} \mathbb{R} \mathbf{x}",
        r"\operatorname{lcm}(a, b) \sin x \lim_{x \to 0} \text{if } x~y",
        r"\textcolor{red}{x} \big( y \Big) \overbrace{x}^y \hspace{-1em}",
        r"\bm{x} \mathscr{L} \mbox{a b} \begin{aligned}[t] a &= b \nonumber \\ c &= d \tag{1} \end{aligned}",
        r"\text{if $x_i > 0$, a\_b, 50\%}^2 \texttt{\{a\}}",
        r"\begin{equation}\label{eq:x} x \end{equation}",
        r"\not= \displaystyle \prod_{i}^n a \bmod n",
    ] {
        let html = inline(tex).unwrap_or_else(|| panic!("{tex} is not understood"));
        assert!(html.starts_with("<math display=\"inline\">") && html.ends_with("</math>"));
        Parsed::of(&html, &[FORMULA]);
    }
    assert!(math(r"a \\ b", Place::Block).is_some_and(|html| html.matches("<mtr>").count() == 2));
    assert!(math("x", Place::Block).is_some_and(|html| html.contains("display=\"block\"")));
}

#[test]
fn operators_with_a_star_have_their_limits_below_in_a_line_of_their_own() {
    assert_eq!(
        inline(r"\operatorname*{argmin}_x").as_deref(),
        Some("<math display=\"inline\"><msub><mi>argmin</mi><mi>x</mi></msub></math>")
    );
    assert_eq!(
        math(r"\operatorname*{arg\,min}_x", Place::Block).as_deref(),
        Some("<math display=\"block\"><munder><mi>arg\u{2009}min</mi><mi>x</mi></munder></math>")
    );
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
fn what_is_wrong_too_long_too_deep_or_panics_is_left_to_its_source() {
    let long = "x".repeat(MOST_BYTES + 1);
    let deep = [r"\frac{".repeat(500), "x".into(), "}{y}".repeat(500)].concat();
    let braces = ["{".repeat(2000), "}".repeat(2000)].concat();
    let unbraced = [r"\hat".repeat(MOST_COMMANDS), " x".into()].concat();
    for tex in [
        r"\nosuch",
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
