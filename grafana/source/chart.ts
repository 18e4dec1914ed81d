import {
  GraphGradientMode,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  LineInterpolation,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  type DynamicConfigValue,
  FieldColorModeId,
  type Panel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { SERIES_COLOURS } from './colours.ts';
import { LIMITS, type Steps, thresholds } from './limits.ts';
import { type About, DATASOURCE, type Query, targets } from './panel.ts';

export interface Chart extends About {
  readonly queries: readonly Query[];
  readonly shape?: 'lines' | 'stack';
  /** Label of the axis, if the unit does not say it: `per minute`. */
  readonly axis?: string;
  readonly noValue?: string;
  readonly min?: number;
  readonly max?: number;
  /** Limits that the panel draws as lines. */
  readonly limits?: Steps;
  /** Legends of series for comparison, which the panel draws as thin dashes. */
  readonly dashed?: readonly string[];
  readonly dashedLike?: string;
  readonly legend?: 'below' | 'right';
}

const DASHES: DynamicConfigValue[] = [
  { id: 'custom.lineStyle', value: { fill: 'dash', dash: [6, 6] } },
  { id: 'custom.fillOpacity', value: 0 },
];

/**
 * Returns a chart of series over time. A gap in the data is a gap in the line; the chart never fills gaps
 * with zeros.
 */
export function chart(given: Chart): Panel {
  const {
    title,
    description,
    unit = 'short',
    queries,
    shape = 'lines',
    limits,
    dashed = [],
    legend = 'below',
  } = given;
  const panel = new PanelBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .noValue(given.noValue ?? 'no data')
    .lineWidth(shape === 'stack' ? 1 : 2)
    .fillOpacity(shape === 'stack' ? 35 : 0)
    .gradientMode(GraphGradientMode.None)
    .lineInterpolation(LineInterpolation.Linear)
    .showPoints(VisibilityMode.Auto)
    .spanNulls(false)
    .min(given.min ?? 0)
    .thresholds(thresholds(limits ?? LIMITS.none))
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.Table)
        .placement(legend === 'below' ? LegendPlacement.Bottom : LegendPlacement.Right)
        .calcs(['last', 'max']),
    )
    .targets(targets(queries, 'range'));
  if (given.max !== undefined) panel.max(given.max);
  const axis = given.axis ?? (given.unit === undefined ? 'per minute' : undefined);
  if (axis !== undefined) panel.axisLabel(axis);
  if (shape === 'stack') panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
  if (limits) {
    panel.thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed));
  }
  colourKnownSeries(panel, queries);
  for (const legend of dashed) panel.overrideByName(legend, DASHES);
  if (given.dashedLike !== undefined) panel.overrideByRegexp(`/${given.dashedLike}/`, DASHES);
  return panel.build();
}

function colourKnownSeries(panel: PanelBuilder, queries: readonly Query[]): void {
  for (const { legend = '' } of queries) {
    const fixedColor = SERIES_COLOURS[legend];
    if (fixedColor === undefined) continue;
    panel.overrideByName(legend, [{ id: 'color', value: { mode: FieldColorModeId.Fixed, fixedColor } }]);
  }
}
