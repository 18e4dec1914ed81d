import { BOT_MANAGER, BREAKDOWN } from './breakdown.ts';
import type { Dataset } from './dataset.ts';
import { SERVICES } from './services.ts';
import { WORKLOADS } from './workloads.ts';

/** Every dataset of the metrics endpoint. */
export const DATASETS: readonly Dataset[] = [WORKLOADS, ...SERVICES, BOT_MANAGER, BREAKDOWN];

/** The datasets of an account whose schema lacks some, or some of their fields: `name` or `name.field`. */
export function datasetsWithout(missing: readonly string[]): readonly Dataset[] {
  const lacks = new Set(missing);
  return DATASETS.filter(({ names }) => !names.some((name) => lacks.has(name))).map((dataset) => {
    const has = (field: string) => !dataset.names.some((name) => lacks.has(`${name}.${field}`));
    const kept = <Item>(items: Readonly<Record<string, Item>>) =>
      Object.fromEntries(Object.entries(items).filter(([name]) => has(name)));
    return {
      ...dataset,
      dimensions: dataset.dimensions.filter(({ name }) => has(name)),
      measures: kept(dataset.measures),
      fields: kept(dataset.fields),
    };
  });
}
