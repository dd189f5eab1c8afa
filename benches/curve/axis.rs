//! Axes: the shown range of a scale, and the position and label of its ticks.

/// One axis of a panel.
#[derive(Debug, Clone)]
pub struct Axis {
    pub label: String,
    pub scale: Scale,
    /// The label of a tick.
    pub name: fn(f64) -> String,
}

/// The scale of an axis.
#[derive(Debug, Clone, Copy)]
pub enum Scale {
    /// Linear from zero, in even steps.
    Linear,
    /// Logarithmic, with a tick at each power of this base.
    Log(f64),
    /// Logarithmic, with ticks at these values.
    LogAt(&'static [f64]),
}

/// The shown range of a scale.
#[derive(Debug)]
pub(super) struct Span {
    is_log: bool,
    /// The ends of the range: values, or their logarithms.
    least: f64,
    most: f64,
    ticks: Vec<f64>,
}

/// The highest number of ticks on an axis.
const TICKS: f64 = 8.0;

/// The largest rounding error of a logarithm.
const ROUNDED: f64 = 1e-9;

impl Scale {
    /// Returns whether the axis can show this value.
    pub(super) fn shows(self, value: f64) -> bool {
        match self {
            Self::Linear => value.is_finite(),
            Self::Log(_) | Self::LogAt(_) => value.is_finite() && value > 0.0,
        }
    }

    /// The smallest range that shows all values.
    pub(super) fn over(self, values: impl Iterator<Item = f64> + Clone) -> Span {
        let most = values.clone().fold(f64::MIN_POSITIVE, f64::max);
        let least = values.filter(|value| *value > 0.0).fold(most, f64::min);
        match self {
            Self::Linear => linear(most),
            Self::Log(base) => log(base, least, most),
            Self::LogAt(ticks) => Span {
                is_log: true,
                least: least.ln(),
                most: most.ln(),
                ticks: ticks
                    .iter()
                    .copied()
                    .filter(|tick| (least..=most).contains(tick))
                    .collect(),
            },
        }
    }
}

/// The range from zero to the first tick that is not below the highest value.
fn linear(most: f64) -> Span {
    let power = 10_f64.powf((most / TICKS).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = steps.into_iter().find(|step| step * TICKS >= most);
    let step = step.unwrap_or(most);
    // A highest value just above a tick needs no further tick.
    let last = (most / step - 0.01).ceil();
    Span {
        is_log: false,
        least: 0.0,
        most: last * step,
        ticks: whole(0.0, last, 1.0).map(|nth| nth * step).collect(),
    }
}

/// The range in quarters of a power of `base`, so that little space is unused.
fn log(base: f64, least: f64, most: f64) -> Span {
    let least = ((least.log(base) + ROUNDED) * 4.0).floor() / 4.0;
    let most = ((most.log(base) - ROUNDED) * 4.0).ceil() / 4.0;
    let most = most.max(least + 1.0);
    let step = ((most - least) / TICKS).ceil();
    Span {
        is_log: true,
        least: least * base.ln(),
        most: most * base.ln(),
        ticks: whole(least.ceil(), most, step)
            .map(|exponent| base.powf(exponent))
            .collect(),
    }
}

/// Whole numbers in even steps, both ends included.
fn whole(first: f64, last: f64, step: f64) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(first), move |nth| Some(nth + step))
        .take_while(move |nth| *nth <= last + ROUNDED)
}

impl Span {
    /// The position of a value along the axis, from 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        let place = if self.is_log { value.ln() } else { value };
        ((place - self.least) / (self.most - self.least)).clamp(0.0, 1.0)
    }

    pub(super) fn ticks(&self) -> &[f64] {
        &self.ticks
    }
}
