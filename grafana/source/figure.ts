import {
  BigValueColorMode,
  BigValueGraphMode,
  ReduceDataOptionsBuilder,
  VizTextDisplayOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import type { Panel, ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { LIMITS, type Steps, thresholds } from './limits.ts';
import { type About, DATASOURCE, targets } from './panel.ts';

/** Second value in a figure, with its name. */
export interface Beside {
  readonly name: string;
  readonly expr: string;
  readonly unit: string;
  readonly decimals: number;
  readonly limits: Steps;
}

export interface Figure extends About {
  /** Name of the value; shown only beside a second value. */
  readonly name?: string;
  readonly expr: string;
  readonly limits?: Steps;
  readonly decimals?: number;
  readonly mappings?: readonly ValueMapping[];
  readonly beside?: Beside;
  readonly noValue?: string;
}

/** Returns a figure of one current number. Its instant query never shows an old value for a missing one. */
export function figure(given: Figure): Panel {
  const {
    title,
    description,
    unit = 'short',
    name = '',
    expr,
    limits = LIMITS.none,
    decimals,
    mappings = [],
    noValue,
    beside,
  } = given;
  const values = [
    { expr, legend: name },
    ...(beside === undefined ? [] : [{ expr: beside.expr, legend: beside.name }]),
  ];
  const panel = new PanelBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .thresholds(thresholds(limits))
    .mappings([...mappings])
    .noValue(noValue ?? 'no data')
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .text(new VizTextDisplayOptionsBuilder().valueSize(beside ? 22 : 34))
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None)
    .targets(targets(values, 'now'));
  if (beside) {
    panel.overrideByName(beside.name, [
      { id: 'unit', value: beside.unit },
      { id: 'decimals', value: beside.decimals },
      { id: 'thresholds', value: thresholds(beside.limits).build() },
    ]);
  }
  return (decimals === undefined ? panel : panel.decimals(decimals)).build();
}
