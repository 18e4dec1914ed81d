import type { Selector } from './expression.ts';
import { matches } from './labels.ts';
import type { OverTime } from './over-time.ts';
import type { SampleTable, Tables } from './sample-table.ts';
import type { Scalar, Vector } from './vector.ts';

/** Milliseconds that a selector without a range looks back. */
const INSTANT = 300_000;

interface Found {
  readonly table: SampleTable | undefined;
  readonly places: Int32Array;
}

function find({ name, matchers, range = INSTANT, offset }: Selector, tables: Tables): Found {
  const table = tables.get(name);
  if (table === undefined) return { table, places: new Int32Array(0) };
  table.reach(range + offset);
  const places = table.labels.flatMap((labels, place) => (matches(labels, matchers) ? [place] : []));
  return { table, places: Int32Array.from(places) };
}

function labelsAt({ table, places }: Found): Vector['labels'] {
  return Array.from(places, (place) => table?.labels[place] ?? {});
}

/** A selector without a range. */
export function selectedNow(selector: Selector, tables: Tables): Vector {
  const found = find(selector, tables);
  const { table, places } = found;
  const values = new Float64Array(places.length);
  return {
    kind: 'vector',
    labels: labelsAt(found),
    at(moment) {
      table?.readAt(moment - selector.offset, places, values);
      return values;
    },
  };
}

/** The newest sample of a range: found without looking at the others. */
export function lastOverTime(selector: Selector, tables: Tables): Vector {
  const found = find(selector, tables);
  const { table, places } = found;
  const values = new Float64Array(places.length);
  const { range = 0, offset } = selector;
  return {
    kind: 'vector',
    labels: labelsAt(found),
    at(moment) {
      if (table === undefined) return values;
      const to = moment - offset;
      for (let index = 0; index < places.length; index++) {
        values[index] = table.last(places[index] as number, to - range, to);
      }
      return values;
    },
  };
}

/** A function over the range of a selector. */
export function overTime(
  of: OverTime,
  selector: Selector,
  tables: Tables,
  share: Scalar | undefined,
): Vector {
  const found = find(selector, tables);
  const { table, places } = found;
  const values = new Float64Array(places.length);
  const { range = 0, offset } = selector;
  let samples = new Float64Array(0);
  return {
    kind: 'vector',
    labels: labelsAt(found),
    at(moment) {
      if (table === undefined) return values;
      if (samples.length < table.slots) samples = new Float64Array(table.slots);
      const parameter = share?.at(moment) ?? Number.NaN;
      const to = moment - offset;
      for (let index = 0; index < places.length; index++) {
        const count = table.between(places[index] as number, to - range, to, samples);
        values[index] = count === 0 ? Number.NaN : of(samples, count, parameter);
      }
      return values;
    },
  };
}
