//! Curves: measurements as lines over two axes, in an SVG that is readable on a light and on a dark background.
//!
//! Invariants: every drawn point lies within its panel. A point that an axis cannot show is omitted.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "each bench uses its part, and says what it wrote"
)]

mod axis;

use std::fmt::Write;
use std::path::{Path, PathBuf};

pub use axis::{Axis, Scale};

/// A picture with one or more panels, one below the other.
#[derive(Debug)]
pub struct Picture {
    /// The description for readers who do not see the picture.
    pub title: String,
    pub panels: Vec<Panel>,
}

/// A pair of axes with its lines.
#[derive(Debug)]
pub struct Panel {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
}

/// One line.
#[derive(Debug, Clone)]
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// The size of a panel and the edges of its plot area, in units of the picture.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 98.0;
const RIGHT: f64 = WIDTH - 40.0;
const TOP: f64 = 78.0;
const BOTTOM: f64 = HEIGHT - 56.0;

/// The widest letter of the legend, in units of the picture.
const LETTER: f64 = 7.1;

/// The style of the picture. Colour-blind readers can tell the six colours apart, on light and on dark backgrounds.
const STYLE: &str = "
svg { --paper: #fff; --ink: #17262b; --faint: #50646b; --edge: #dfe6e8; color-scheme: light dark;
  --c0: #0b6b7d; --c1: #c2510c; --c2: #6a3d9a; --c3: #2f7d32; --c4: #9a7200; --c5: #b0264a; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #131f23; --ink: #d9e4e6; --faint: #94a9af; --edge: #29393f;
    --c0: #6fcbd9; --c1: #f5a36b; --c2: #c9a7f0; --c3: #8fd694; --c4: #e6c65c; --c5: #f48fa8; }
}
text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; fill: var(--faint); }
.title { font-size: 16px; font-weight: 600; fill: var(--ink); }
.legend { fill: var(--ink); }
.paper { fill: var(--paper); }
.grid { stroke: var(--edge); }
.axis { stroke: var(--faint); }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.line { fill: none; stroke-width: 2.2; stroke-linejoin: round; stroke-linecap: round; }
.dot { fill: var(--paper); stroke-width: 2; }
.c0 { stroke: var(--c0); } .c1 { stroke: var(--c1); } .c2 { stroke: var(--c2); }
.c3 { stroke: var(--c3); } .c4 { stroke: var(--c4); } .c5 { stroke: var(--c5); }
.c1 .line, .c4 .line { stroke-dasharray: 8 5; } .c2 .line, .c5 .line { stroke-dasharray: 1 5; }
.dot { stroke-dasharray: none; }
";

/// The folder for pictures, in the target directory.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("curves")
}

impl Picture {
    /// Writes the picture to a file in this folder, and prints its path.
    pub fn write(&self, folder: &Path, name: &str) {
        std::fs::create_dir_all(folder).unwrap();
        let path: PathBuf = folder.join(name).with_extension("svg");
        std::fs::write(&path, self.svg()).unwrap();
        println!("curves: {}", path.display());
    }

    fn svg(&self) -> String {
        let height = (0..self.panels.len()).fold(0.0, |height, _| height + HEIGHT);
        let title = escaped(&self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-labelledby=\"title\">\n<title id=\"title\">{title}</title>\n<style>{STYLE}</style>\n<rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\" rx=\"8\"/>\n"
        );
        let mut top = 0.0;
        for panel in &self.panels {
            let drawn = panel.drawn();
            writeln!(svg, "<g transform=\"translate(0 {top})\">\n{drawn}</g>").unwrap();
            top += HEIGHT;
        }
        svg + "</svg>\n"
    }
}

impl Panel {
    fn drawn(&self) -> String {
        let lines: Vec<Series> = self.series.iter().map(|line| self.shown(line)).collect();
        let points = || lines.iter().flat_map(|series| &series.points);
        let x = self.x.scale.over(points().map(|point| point.0));
        let y = self.y.scale.over(points().map(|point| point.1));
        let across = |value: f64| LEFT + x.share(value) * (RIGHT - LEFT);
        let down = |value: f64| BOTTOM - y.share(value) * (BOTTOM - TOP);
        let title = escaped(&self.title);
        let mut svg = format!("<text class=\"title\" x=\"20\" y=\"30\">{title}</text>\n");
        self.legend(&mut svg);
        for &tick in x.ticks() {
            let (at, name) = (across(tick), escaped(&(self.x.name)(tick)));
            writeln!(svg, "<path class=\"grid\" d=\"M{at:.1} {TOP}V{BOTTOM}\"/><text class=\"middle\" x=\"{at:.1}\" y=\"{:.1}\">{name}</text>", BOTTOM + 20.0).unwrap();
        }
        for &tick in y.ticks() {
            let (at, name) = (down(tick), escaped(&(self.y.name)(tick)));
            writeln!(svg, "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{RIGHT}\"/><text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{name}</text>", LEFT - 8.0, at + 4.5).unwrap();
        }
        self.labels(&mut svg);
        for (nth, series) in lines.iter().enumerate() {
            series.draw(&mut svg, nth, across, down);
        }
        svg
    }

    /// The points of a line that both axes can show.
    fn shown(&self, line: &Series) -> Series {
        let is_shown = |(x, y): &&(f64, f64)| self.x.scale.shows(*x) && self.y.scale.shows(*y);
        Series {
            name: line.name.clone(),
            points: line.points.iter().filter(is_shown).copied().collect(),
        }
    }

    /// The lines of the axes, and their titles.
    fn labels(&self, svg: &mut String) {
        let (across, down) = (f64::midpoint(LEFT, RIGHT), f64::midpoint(TOP, BOTTOM));
        let (x, y) = (escaped(&self.x.label), escaped(&self.y.label));
        writeln!(
            svg,
            "<path class=\"axis\" fill=\"none\" d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\"/>\n<text class=\"middle\" x=\"{across}\" y=\"{}\">{x}</text>\n<text class=\"middle\" transform=\"translate(20 {down}) rotate(-90)\">{y}</text>",
            HEIGHT - 12.0
        )
        .unwrap();
    }

    /// The legend: a row with the colour and the name of each line.
    fn legend(&self, svg: &mut String) {
        let mut at = LEFT;
        for (nth, series) in self.series.iter().enumerate() {
            let name = escaped(&series.name);
            writeln!(svg, "<g class=\"c{}\"><path class=\"line\" d=\"M{at:.1} 53h24\"/></g><text class=\"legend\" x=\"{:.1}\" y=\"57.5\">{name}</text>", nth % 6, at + 32.0).unwrap();
            let letters = u32::try_from(series.name.chars().count()).unwrap();
            at += 54.0 + f64::from(letters) * LETTER;
        }
    }
}

impl Series {
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            points: Vec::new(),
        }
    }

    fn draw(
        &self,
        svg: &mut String,
        nth: usize,
        across: impl Fn(f64) -> f64,
        down: impl Fn(f64) -> f64,
    ) {
        if self.points.is_empty() {
            return;
        }
        let places = self.points.iter().map(|(x, y)| (across(*x), down(*y)));
        let line: Vec<String> = places
            .clone()
            .map(|(x, y)| format!("{x:.1} {y:.1}"))
            .collect();
        writeln!(
            svg,
            "<g class=\"c{}\"><path class=\"line\" d=\"M{}\"/>",
            nth % 6,
            line.join("L")
        )
        .unwrap();
        // A line with many points has no dots.
        for (x, y) in places.filter(|_| self.points.len() <= 30) {
            writeln!(
                svg,
                "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>"
            )
            .unwrap();
        }
        svg.push_str("</g>\n");
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
