import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { figure } from './figure.ts';
import { LIMITS } from './limits.ts';
import type { Traffic } from './traffic-queries.ts';

/** Returns a figure of the oldest data's age. The ratio to the expected age determines its colour. */
export function dataAgeFigure(title: string, { dataAge, dataAgeToExpected }: Traffic): Panel {
  return figure({
    title,
    description:
      'Time since the end of the newest bucket shown, of the series that is furthest behind, and its share of the expected age. Yellow from 100 %, red from 150 %. Alerts treat older data as stale if it is also older than ten minutes.',
    unit: 's',
    decimals: 0,
    name: 'age',
    expr: dataAge,
    beside: {
      name: 'of expected',
      expr: dataAgeToExpected,
      unit: 'percentunit',
      decimals: 0,
      limits: LIMITS.dataAgeToExpected,
    },
  });
}

/** Returns the figures of cache offload and server errors. */
export function shareFigures({ offload, serverErrors }: Traffic): readonly Panel[] {
  return [
    figure({
      title: 'From the cache',
      description:
        'Share of the requests that the edge answered without the origin. Red below 30 %, green from 60 %.',
      unit: 'percentunit',
      decimals: 1,
      expr: offload,
      limits: LIMITS.offload,
    }),
    figure({
      title: 'Server errors',
      description: 'Share of the responses with a status of 500 and above. Yellow from 1 %, red from 5 %.',
      unit: 'percentunit',
      decimals: 2,
      expr: serverErrors,
      limits: LIMITS.serverErrors,
    }),
  ];
}
