//! SGR (Select Graphic Rendition): the escape sequences that select styles of terminal output. ECMA-48, section
//! 8.3.117, defines them; colours are as in xterm.
//!
//! Invariants: unknown parameters change nothing. The sixteen colours that a terminal chooses are legible on the dark
//! sheet. All others are as they were asked for.

use vte::Params;

use crate::render::highlight::{Rgb, TerminalStyle};

/// The sixteen colours that a terminal chooses.
const COLOURS: [Rgb; 16] = [
    [75, 83, 88],
    [222, 95, 95],
    [40, 190, 125],
    [214, 188, 60],
    [90, 155, 230],
    [205, 115, 205],
    [30, 180, 205],
    [204, 210, 212],
    [128, 138, 143],
    [255, 123, 114],
    [86, 211, 140],
    [245, 225, 110],
    [121, 184, 255],
    [224, 150, 224],
    [86, 212, 230],
    [255, 255, 255],
];

/// The colours of the sheet in `terminal.css`. Reversed text swaps them.
const SHEET: Rgb = [23, 27, 31];
const SHEET_INK: Rgb = [217, 228, 230];

/// The style that the sequences have selected so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SgrState {
    style: TerminalStyle,
    is_reversed: bool,
}

impl SgrState {
    /// Returns the style for the text that is printed next.
    pub(super) fn style(self) -> TerminalStyle {
        if !self.is_reversed {
            return self.style;
        }
        TerminalStyle {
            foreground: self.style.background.or(Some(SHEET)),
            background: self.style.foreground.or(Some(SHEET_INK)),
            ..self.style
        }
    }

    /// Applies the parameters of one escape sequence.
    pub(super) fn apply(&mut self, params: &Params) {
        let mut params = params.iter();
        while let Some(param) = params.next() {
            let code = param.first().copied().unwrap_or(0);
            match (code, param) {
                (38 | 48, [_, rest @ ..]) => {
                    let colour = match rest {
                        [] => separate_colour(&mut params),
                        _ => joined_colour(rest),
                    };
                    match (code, colour) {
                        (_, None) => (),
                        (38, colour) => self.style.foreground = colour,
                        (_, colour) => self.style.background = colour,
                    }
                }
                _ => self.apply_one(code),
            }
        }
    }

    fn apply_one(&mut self, code: u16) {
        let style = &mut self.style;
        let colour = |first| indexed(code - first);
        match code {
            0 => *self = Self::default(),
            1 => style.bold = true,
            2 => style.faint = true,
            3 => style.italic = true,
            4 => style.underlined = true,
            7 => self.is_reversed = true,
            9 => style.strikethrough = true,
            22 => (style.bold, style.faint) = (false, false),
            23 => style.italic = false,
            24 => style.underlined = false,
            27 => self.is_reversed = false,
            29 => style.strikethrough = false,
            30..=37 => style.foreground = colour(30),
            39 => style.foreground = None,
            40..=47 => style.background = colour(40),
            49 => style.background = None,
            90..=97 => style.foreground = colour(82),
            100..=107 => style.background = colour(92),
            _ => (),
        }
    }
}

/// Reads the colour of `38;5;n` or `38;2;r;g;b`. In these forms, each number is a separate parameter.
fn separate_colour<'a>(params: &mut impl Iterator<Item = &'a [u16]>) -> Option<Rgb> {
    let mut next = || params.next().and_then(|param| param.first().copied());
    match next()? {
        5 => indexed(next()?),
        2 => Some([next()?, next()?, next()?].map(channel)),
        _ => None,
    }
}

/// Reads the colour of `38:5:n` or `38:2:r:g:b`. The latter may also contain a colour space.
fn joined_colour(rest: &[u16]) -> Option<Rgb> {
    match *rest {
        [5, index] => indexed(index),
        [2, red, green, blue] | [2, _, red, green, blue, ..] => {
            Some([red, green, blue].map(channel))
        }
        _ => None,
    }
}

/// Returns one of the 256 indexed colours: the sixteen, a cube with six steps per channel, and 24 greys.
fn indexed(index: u16) -> Option<Rgb> {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let index = u8::try_from(index).ok()?;
    let step = |divisor: u8| STEPS[usize::from((index - 16) / divisor % 6)];
    Some(match index {
        0..16 => COLOURS[usize::from(index)],
        16..232 => [step(36), step(6), step(1)],
        232.. => [8 + (index - 232) * 10; 3],
    })
}

/// Limits the value of a colour channel to 255.
fn channel(value: u16) -> u8 {
    u8::try_from(value).unwrap_or(u8::MAX)
}
