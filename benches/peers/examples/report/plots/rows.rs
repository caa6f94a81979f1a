//! Horizontal bars or dots in groups, on a logarithmic axis.

use std::error::Error;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{BLACK, FONT};

pub struct Rows {
    pub title: String,
    /// Label of the numbers.
    pub axis: String,
    pub mark: Mark,
    pub series: Vec<Series>,
    pub groups: Vec<Group>,
}

pub struct Series {
    pub name: String,
    pub color: RGBColor,
}

pub struct Group {
    pub name: String,
    /// Series and number of each mark.
    pub marks: Vec<(usize, f64)>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Mark {
    /// Bars from 1, each in its own row, with its number.
    Bar,
    /// Dots, all of a group in one row.
    Dot,
}

/// Width in pixels.
const WIDTH: u32 = 900;
const ROW: u32 = 15;
const GAP: u32 = 9;
const LABELS: u32 = 250;
const TOP: u32 = 34;
const LEGEND: u32 = 20;
const AXIS: u32 = 48;

impl Rows {
    /// The index of the series of this name, which is added if missing.
    pub fn series_named(&mut self, series: Series) -> usize {
        let known = self
            .series
            .iter()
            .position(|other| other.name == series.name);
        known.unwrap_or_else(|| {
            self.series.push(series);
            self.series.len() - 1
        })
    }

    fn height_of(&self, group: &Group) -> u32 {
        let rows = match self.mark {
            Mark::Bar => group.marks.len().max(1) as u32,
            Mark::Dot => 1,
        };
        rows * ROW + GAP
    }

    /// Range of the axis: all marks, and room for the number beside a bar.
    fn range(&self) -> (f64, f64) {
        let numbers = self.groups.iter().flat_map(|group| &group.marks);
        let (min, max) = numbers.fold((1.0f64, 2.0f64), |(min, max), &(_, x)| {
            (min.min(x), max.max(x))
        });
        (min / 1.5, max * 1.5)
    }

    pub fn draw(&self) -> Result<String, Box<dyn Error>> {
        let body: u32 = self.groups.iter().map(|group| self.height_of(group)).sum();
        let legend = self.series.len().div_ceil(LEGEND_COLUMNS) as u32 * LEGEND;
        let height = TOP + legend + body + AXIS;
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
            root.fill(&WHITE)?;
            self.draw_head(&root)?;
            let (_, below) = root.split_vertically(TOP + legend);
            let (low, high) = self.range();
            let mut chart = ChartBuilder::on(&below)
                .set_label_area_size(LabelAreaPosition::Left, LABELS)
                .set_label_area_size(LabelAreaPosition::Bottom, AXIS)
                .margin_right(20)
                .build_cartesian_2d((low..high).log_scale().base(2.0), body as f64..0.0)?;
            chart
                .configure_mesh()
                .disable_y_mesh()
                .disable_y_axis()
                .x_labels(12)
                .x_label_formatter(&|x| format!("{x}"))
                .x_desc(self.axis.as_str())
                .axis_desc_style((FONT, 15))
                .label_style((FONT, 14))
                .max_light_lines(1)
                .bold_line_style(RGBColor(215, 215, 215))
                .draw()?;

            let mut y = 0;
            for group in &self.groups {
                let height = self.height_of(group);
                self.draw_group(&mut chart, group, y, height)?;
                y += height;
            }
            if self.mark == Mark::Bar {
                let foot = [(1.0, 0.0), (1.0, f64::from(body))];
                chart.draw_series([PathElement::new(foot, BLACK)])?;
            }
            root.present()?;
        }
        Ok(svg)
    }

    /// The title, and the series below it.
    fn draw_head<B: DrawingBackend>(&self, area: &Area<B>) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let title = (FONT, 19).into_font().color(&BLACK);
        area.draw(&Text::new(self.title.as_str(), (12, 9), title))?;
        for (k, series) in self.series.iter().enumerate() {
            let column = (WIDTH as usize - 40) / LEGEND_COLUMNS * (k % LEGEND_COLUMNS);
            let (x, y) = (
                20 + column as i32,
                (TOP + k as u32 / LEGEND_COLUMNS as u32 * LEGEND) as i32,
            );
            let sample = [(x, y + 2), (x + 12, y + 14)];
            match self.mark {
                Mark::Bar => area.draw(&Rectangle::new(sample, series.color.filled()))?,
                Mark::Dot => area.draw(&Circle::new((x + 6, y + 8), 5, series.color.filled()))?,
            }
            let text = (FONT, 14).into_font().color(&BLACK);
            area.draw(&Text::new(series.name.as_str(), (x + 18, y + 1), text))?;
        }
        Ok(())
    }

    fn draw_group<B: DrawingBackend>(
        &self,
        chart: &mut Chart<'_, B>,
        group: &Group,
        top: u32,
        height: u32,
    ) -> Result<(), Box<dyn Error>>
    where
        B::ErrorType: 'static,
    {
        let (low, _) = self.range();
        let named = FONT.into_font().resize(14.0).color(&BLACK);
        let label = named.pos(Pos::new(HPos::Right, VPos::Center));
        let middle = f64::from(top) + f64::from(height) / 2.0;
        let beside_axis =
            EmptyElement::at((low, middle)) + Text::new(group.name.clone(), (-8, 0), label);
        chart.draw_series([beside_axis])?;

        let number = FONT.into_font().resize(12.0).color(&BLACK);
        for (k, &(series, x)) in group.marks.iter().enumerate() {
            let color = self.series[series].color;
            match self.mark {
                Mark::Dot => {
                    chart.draw_series([Circle::new((x, middle), 5, color.filled())])?;
                }
                Mark::Bar => {
                    let y = f64::from(top + GAP / 2 + k as u32 * ROW);
                    let corners = [(1.0, y + 1.0), (x, y + f64::from(ROW) - 1.0)];
                    chart.draw_series([Rectangle::new(corners, color.filled())])?;
                    // Beside the end away from 1.
                    let (side, dx) = if x < 1.0 {
                        (HPos::Right, -4)
                    } else {
                        (HPos::Left, 4)
                    };
                    let style = number.pos(Pos::new(side, VPos::Center));
                    let end = EmptyElement::at((x, y + f64::from(ROW) / 2.0))
                        + Text::new(crate::tables::number(x), (dx, 0), style);
                    chart.draw_series([end])?;
                }
            }
        }
        Ok(())
    }
}

const LEGEND_COLUMNS: usize = 4;

type Area<'a, B> = DrawingArea<B, plotters::coord::Shift>;
type Chart<'a, B> = ChartContext<
    'a,
    B,
    Cartesian2d<
        plotters::coord::combinators::LogCoord<f64>,
        plotters::coord::types::RangedCoordf64,
    >,
>;
