/** Sample of a query's answer, with its value as a number. */
export interface QueriedSample {
  /** Labels of the sample. They include `__name__` if the expression keeps it. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Series of a range query's answer. */
export interface QueriedSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly samples: readonly { readonly at: number; readonly value: number }[];
}

/** Time range and step of a range query, in milliseconds. */
export interface QueryRange {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/** A scrape target. */
export interface Target {
  readonly labels: Readonly<Record<string, string>>;
  readonly scrapeUrl: string;
  readonly health: 'up' | 'down' | 'unknown';
  readonly lastError: string;
  /** Time of the last scrape (RFC 3339). */
  readonly lastScrape: string;
}

/** Alert that is pending or firing. */
export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
}

/** Recording or alerting rule, with the result of its last evaluation. */
export interface Rule {
  readonly name: string;
  readonly health: 'ok' | 'err' | 'unknown';
  readonly lastError?: string;
}

/** HTTP API of a Prometheus. Each method rejects with Prometheus' own message if it refuses the request. */
export interface PrometheusApi {
  /**
   * Returns the vector of an expression, now or at a time in ms since the epoch. A scalar becomes a vector of
   * one sample.
   */
  readonly query: (expression: string, at?: number) => Promise<QueriedSample[]>;
  /** Returns the value of an expression that yields exactly one sample. */
  readonly value: (expression: string, at?: number) => Promise<number>;
  readonly queryRange: (expression: string, range: QueryRange) => Promise<QueriedSeries[]>;
  /** Returns the label sets of all series that a selector matches. */
  readonly series: (selector: string) => Promise<Readonly<Record<string, string>>[]>;
  readonly targets: () => Promise<Target[]>;
  readonly alerts: () => Promise<Alert[]>;
  readonly rules: () => Promise<Rule[]>;
}

type Labels = Readonly<Record<string, string>>;
type Point = readonly [seconds: number, value: string];
type QueryData =
  | { readonly resultType: 'vector'; readonly result: readonly { metric: Labels; value: Point }[] }
  | { readonly resultType: 'scalar'; readonly result: Point };

/** Returns the API of the Prometheus at a base address. */
export function prometheusApi(url: string): PrometheusApi {
  const get = async <T>(path: string, parameters: Record<string, string> = {}): Promise<T> => {
    const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const body = (await response.json()) as { readonly data: T; readonly error?: string };
    if (body.error !== undefined) throw new Error(`${parameters['query'] ?? path}: ${body.error}`);
    return body.data;
  };
  const query: PrometheusApi['query'] = async (expression, at) =>
    samples(await get('query', { query: expression, ...(at === undefined ? {} : { time: seconds(at) }) }));
  return {
    query,
    async value(expression, at) {
      const found = await query(expression, at);
      const [only] = found;
      if (only === undefined || found.length > 1)
        throw new Error(`${expression}: ${found.length} samples, not one`);
      return only.value;
    },
    async queryRange(expression, { start, end, step }) {
      const range = { start: seconds(start), end: seconds(end), step: seconds(step) };
      type Matrix = { readonly result: readonly { metric: Labels; values: readonly Point[] }[] };
      const { result } = await get<Matrix>('query_range', { query: expression, ...range });
      return result.map(({ metric, values }) => ({ labels: metric, samples: values.map(sample) }));
    },
    series: (selector) => get('series', { 'match[]': selector }),
    targets: async () => (await get<{ activeTargets: Target[] }>('targets')).activeTargets,
    rules: async () =>
      (await get<{ groups: { rules: Rule[] }[] }>('rules')).groups.flatMap(({ rules }) => rules),
    alerts: async () => (await get<{ alerts: Alert[] }>('alerts')).alerts,
  };
}

function samples(data: QueryData): QueriedSample[] {
  if (data.resultType === 'scalar') return [{ labels: {}, ...sample(data.result) }];
  return data.result.map(({ metric, value }) => ({ labels: metric, ...sample(value) }));
}

function sample([at, text]: Point): { at: number; value: number } {
  return { at: Math.round(at * 1000), value: Number(text.replace('Inf', 'Infinity')) };
}

function seconds(ms: number): string {
  return String(ms / 1000);
}
