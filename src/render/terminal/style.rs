//! Styles of a terminal: the parameters of SGR (ECMA-48, 8.3.117; colours as xterm has them).
//!
//! What it must not know: the text.
//! Invariants: whatever the parameters are, a style comes out; unknown ones change nothing. Of the 256 colours and of
//! all of them only sixteen are shown, the nearest: those a reader's page has in light and dark.

use vte::Params;

use crate::render::paint::Style;

/// The sixteen colours as xterm has them, by which the nearest is found.
const COLOURS: [[u8; 3]; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

/// The page's own colours, for what is reversed: of its ground, and of its ink.
const PAPER: u8 = 16;
const INK: u8 = 17;

/// What the sequences so far have chosen.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pen {
    style: Style,
    is_reversed: bool,
}

impl Pen {
    /// How what is printed now is shown.
    pub(super) fn style(self) -> Style {
        let Style { ink, ground, .. } = self.style;
        match self.is_reversed {
            false => self.style,
            true => Style {
                ink: Some(ground.unwrap_or(PAPER)),
                ground: Some(ink.unwrap_or(INK)),
                ..self.style
            },
        }
    }

    /// Does what a sequence with these parameters says.
    pub(super) fn select(&mut self, params: &Params) {
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
                        (38, colour) => self.style.ink = colour,
                        (_, colour) => self.style.ground = colour,
                    }
                }
                _ => self.select_one(code),
            }
        }
    }

    fn select_one(&mut self, code: u16) {
        let style = &mut self.style;
        // Below a hundred, or not looked at.
        let colour = |first| u8::try_from(code - first).ok();
        match code {
            0 => *self = Self::default(),
            1 => style.bold = true,
            2 => style.faint = true,
            3 => style.italic = true,
            4 => style.underlined = true,
            7 => self.is_reversed = true,
            9 => style.struck = true,
            22 => (style.bold, style.faint) = (false, false),
            23 => style.italic = false,
            24 => style.underlined = false,
            27 => self.is_reversed = false,
            29 => style.struck = false,
            30..=37 => style.ink = colour(30),
            39 => style.ink = None,
            40..=47 => style.ground = colour(40),
            49 => style.ground = None,
            90..=97 => style.ink = colour(82),
            100..=107 => style.ground = colour(92),
            _ => (),
        }
    }
}

/// `38;5;n` or `38;2;r;g;b`, whose numbers are parameters of their own.
fn separate_colour<'a>(params: &mut impl Iterator<Item = &'a [u16]>) -> Option<u8> {
    let mut next = || params.next().and_then(|param| param.first().copied());
    match next()? {
        5 => indexed(next()?),
        2 => Some(nearest([next()?, next()?, next()?].map(channel))),
        _ => None,
    }
}

/// `38:5:n`, `38:2:r:g:b`, or with the name of a colour space between.
fn joined_colour(rest: &[u16]) -> Option<u8> {
    match *rest {
        [5, index] => indexed(index),
        [2, red, green, blue] | [2, _, red, green, blue, ..] => {
            Some(nearest([red, green, blue].map(channel)))
        }
        _ => None,
    }
}

/// One of the 256: the sixteen, a cube of six steps a channel, and 24 greys.
fn indexed(index: u16) -> Option<u8> {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let index = u8::try_from(index).ok()?;
    let step = |divisor: u8| STEPS[usize::from((index - 16) / divisor % 6)];
    Some(match index {
        0..16 => index,
        16..232 => nearest([step(36), step(6), step(1)]),
        232.. => nearest([8 + (index - 232) * 10; 3]),
    })
}

fn channel(value: u16) -> u8 {
    u8::try_from(value).unwrap_or(u8::MAX)
}

fn nearest(colour: [u8; 3]) -> u8 {
    let distance = |known: &[u8; 3]| -> u32 {
        let channels = known.iter().zip(colour);
        channels
            .map(|(known, channel)| u32::from(known.abs_diff(channel)).pow(2))
            .sum()
    };
    (0..16)
        .min_by_key(|number| distance(&COLOURS[usize::from(*number)]))
        .unwrap_or(0)
}
