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

function counted(family: string, floor: number, detail: Partial<Measure> & { selector?: string } = {}): Measure {
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

/** The responses by class, from which the ratios are made. */
export const RESPONSES = 'edge_responses_by_class_per_minute';

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
      value: (scope) => ratioOf('4xx', (selector) => `${scope}:${RESPONSES}:sum${selector}`),
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

/** The share of a class in responses that `of` gives for a selector of classes. Without traffic there is no share. */
export function ratioOf(errorClass: string, of: (selector: string) => string): string {
  return `sum without (class) (${of(`{class="${errorClass}"}`)})\n/\nsum without (class) (${of('')})`;
}
