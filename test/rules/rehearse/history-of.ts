import type { Chunk, Input } from '../../../src/rules/promql/evaluation.ts';
import type { Labels } from '../../../src/rules/promql/vector.ts';
import { inputOf, type MinuteSamples, type RehearsalHistory } from '../../../src/rules/rehearse/history.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const START = Date.UTC(2026, 0, 5);

/** Returns the value of a series in a minute, counted from the start; undefined: no sample. */
export type MinuteValue = (minute: number) => number | undefined;

/** Returns a series with a given number of minutes. */
export function samples(name: string, labels: Labels, minutes: number, value: MinuteValue): MinuteSamples {
  const all = Array.from({ length: minutes }, (_, minute) => [minute, value(minute)] as const);
  const there = all.flatMap(([minute, one]) => (one === undefined ? [] : [[minute, one] as const]));
  return {
    name,
    labels,
    times: Float64Array.from(there, ([minute]) => START + minute * MINUTE),
    values: Float64Array.from(there, ([, one]) => one),
  };
}

/** Returns a history of series, in chunks of a given number of minutes. */
export function historyOf(series: readonly MinuteSamples[], minutes: number, chunk = 360): RehearsalHistory {
  return {
    source: 'a test',
    from: START,
    to: START + minutes * MINUTE,
    names: new Set(series.map(({ name }) => name)),
    pieces: Math.ceil(minutes / chunk),
    async *chunks(): AsyncGenerator<Chunk> {
      for (let at = 0; at < minutes; at += chunk) {
        const start = START + at * MINUTE;
        const steps = Math.min(chunk, minutes - at);
        const inputs: Input[] = series.flatMap((one) => inputOf(one, start, steps) ?? []);
        yield { start, steps, inputs };
      }
    },
  };
}

const SHOP = {
  account: 'production',
  product: 'edge_applications',
  configuration_id: '1',
  configuration: 'shop',
};
export const BLOG = { ...SHOP, configuration_id: '2', configuration: 'blog' };

/**
 * Length (minutes) of a history with two configurations. From 04:00 on, one of them is attacked for half an
 * hour.
 */
export const ATTACKED_MINUTES = 330;
export const ATTACK = { from: START + 4 * HOUR, to: START + 4 * HOUR + 30 * MINUTE };

/** Returns the threats of an attack, and requests with a gap and with a configuration that appears later. */
export function attackedSeries(shop: Labels = SHOP): readonly MinuteSamples[] {
  const wave = (minute: number): number => (minute * 7) % 5;
  const attack = (minute: number): boolean => minute >= 240 && minute < 270;
  const gap = (minute: number): boolean => minute >= 150 && minute < 162;
  return [
    samples('edge_waf_threats_per_minute', shop, ATTACKED_MINUTES, (minute) =>
      gap(minute) ? undefined : attack(minute) ? 900 : wave(minute),
    ),
    samples('edge_requests_per_minute', shop, ATTACKED_MINUTES, (minute) =>
      gap(minute) ? undefined : 1_000 + 10 * wave(minute),
    ),
    samples('edge_waf_threats_per_minute', BLOG, ATTACKED_MINUTES, (minute) =>
      minute < 100 ? undefined : wave(minute),
    ),
  ];
}
