/** Series of an answer: its labels, and its points as `[seconds, value]`. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [seconds: number, value: string])[];
}

/** Time range (ms since the epoch), and the distance (ms) between points. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

interface Answer {
  readonly error?: string;
  readonly data: {
    readonly result: readonly (Series & { readonly value?: readonly [number, string] })[];
  };
}

async function ask(url: string, path: string, parameters: Record<string, string>): Promise<Answer['data']> {
  const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters)}`);
  const { data, error } = (await response.json()) as Answer;
  if (error !== undefined) throw new Error(`${parameters['query']}: ${error}`);
  return data;
}

/** Returns the series of an expression over a range. */
export async function queryRange(url: string, query: string, range: Range): Promise<readonly Series[]> {
  const step = range.step / 1000;
  const aligned = (ms: number) => String(Math.floor(ms / range.step) * step);
  const parameters = { query, start: aligned(range.from), end: aligned(range.to), step: String(step) };
  return (await ask(url, 'query_range', parameters)).result;
}

/** Returns the samples of an expression at one time, each as a series of one point. */
export async function queryNow(url: string, query: string, at: number): Promise<readonly Series[]> {
  const { result } = await ask(url, 'query', { query, time: String(at / 1000) });
  return result.map(({ metric, value }) => ({ metric, values: value === undefined ? [] : [value] }));
}
