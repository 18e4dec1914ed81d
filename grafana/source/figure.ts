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

export interface Figure extends About {
  readonly expr: string;
  readonly limits?: Steps;
  readonly decimals?: number;
  readonly mappings?: readonly ValueMapping[];
  /** What stands there while there is no value, which is not the same as zero. */
  readonly noValue?: string;
}

/** One number, as of now: an old value never stands for a missing one, so it is asked for this moment only. */
export function figure(given: Figure): Panel {
  const { title, description, unit, expr, limits = LIMITS.none, decimals, mappings = [], noValue } = given;
  const panel = new PanelBuilder()
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .thresholds(thresholds(limits))
    .mappings([...mappings])
    .noValue(noValue ?? 'no data')
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .text(new VizTextDisplayOptionsBuilder().valueSize(34))
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None)
    .targets(targets([{ expr }], 'now'));
  return (decimals === undefined ? panel : panel.decimals(decimals)).build();
}
