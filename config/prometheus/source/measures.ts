import type { SpikeFloor, Thresholds } from './thresholds.ts';

/** At which levels traffic is judged, with the labels that tell one from another. */
export const SCOPES = {
  // Two products may see the same traffic: only within one is a sum meaningful.
  account: ['account', 'product'],
  configuration: ['account', 'product', 'configuration'],
} as const;

export type Scope = keyof typeof SCOPES;

export const SCOPE_NAMES: readonly Scope[] = ['account', 'configuration'];

/** Something that is judged against its own past. */
export interface Measure {
  /** The recorded series are `<scope>:<name>:<operation>`. */
  readonly name: string;
  /** What is recorded every minute, per scope. */
  readonly value: (scope: Scope) => string;
  /** Labels beside those of the scope. */
  readonly by: readonly string[];
  /** What the baselines are used for. */
  readonly judged: 'spike' | 'spike and drop' | 'level';
  /** Of spikes: below this there is none. Of levels: what is too little to be divided by. */
  readonly floor: number;
}

function sum(family: string, selector: string, by: readonly string[]): (scope: Scope) => string {
  return (scope) => `sum by (${[...SCOPES[scope], ...by].join(', ')}) (${family}${selector})`;
}

function counted(
  family: string,
  floor: number,
  detail: Partial<Measure> & { selector?: string } = {},
): Measure {
  const { selector = '', by = [], ...rest } = detail;
  return { name: family, value: sum(family, selector, by), by, judged: 'spike', floor, ...rest };
}

/** The names of the measures that alerts refer to. */
export const MEASURE = {
  threats: 'edge_waf_threats_per_minute',
  blocked: 'edge_waf_blocked_per_minute',
  family: 'edge_waf_threats_by_family_per_minute',
  requests: 'edge_requests_per_minute',
  errors: 'edge_error_responses_per_minute',
  clientErrors: 'edge_client_error_ratio',
  offload: 'edge_cache_hit_ratio',
} as const;

/** The responses and errors of which the ratios are made: their names, and which of the exporter's they are. */
export const RESPONSES = {
  all: { name: 'edge_responses_per_minute', selector: '' },
  clientErrors: { name: 'edge_client_errors_per_minute', selector: '{class="4xx"}' },
  serverErrors: { name: 'edge_server_errors_per_minute', selector: '{class="5xx"}' },
} as const;

/** The series of responses that are recorded every minute. */
export function recordedResponses(scope: Scope, kind: keyof typeof RESPONSES): string {
  return `${scope}:${RESPONSES[kind].name}:sum`;
}

/** Everything that is judged against its own past. */
export function measures({ spike }: Thresholds): readonly Measure[] {
  const floor = (name: SpikeFloor): number => spike.floors[name];
  const byCache = (scope: Scope, selector: string): string =>
    sum('edge_requests_by_cache_per_minute', selector, [])(scope);
  return [
    counted(MEASURE.threats, floor('threats')),
    counted(MEASURE.blocked, floor('blocked')),
    counted(MEASURE.family, floor('family'), { by: ['family'] }),
    counted(MEASURE.requests, floor('requests'), { judged: 'spike and drop' }),
    {
      ...counted('edge_responses_per_minute', floor('errors'), {
        by: ['class', 'code'],
        selector: '{class=~"4xx|5xx"}',
      }),
      name: MEASURE.errors,
    },
    {
      name: MEASURE.clientErrors,
      value: (scope) => `${recordedResponses(scope, 'clientErrors')}\n/\n${recordedResponses(scope, 'all')}`,
      by: [],
      judged: 'level',
      floor: 0.01,
    },
    {
      name: MEASURE.offload,
      value: (scope) => `${byCache(scope, '{cache="saved"}')}\n/\n${byCache(scope, '')}`,
      by: [],
      judged: 'level',
      floor: 0.01,
    },
  ];
}
