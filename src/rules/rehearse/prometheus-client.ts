import { z } from 'zod';
import { networkFailure } from '../../exporter/platform/network-failure.ts';
import { Pool } from '../../exporter/platform/undici.ts';
import type { Secret } from '../../exporter/secret.ts';
import { parsedJson } from '../../exporter/text/received.ts';
import { keyOf, type Labels } from '../promql/vector.ts';
import { RehearsalRefusal } from './history.ts';

/** URL of a Prometheus, and its login. */
export interface PrometheusAccess {
  /** URL, with a path prefix if needed. */
  readonly url: string;
  readonly login: Login | undefined;
  /** PEM of the authorities to trust instead of the well-known ones; undefined for the well-known ones. */
  readonly ca: string | undefined;
}

export type Login =
  | { readonly kind: 'basic'; readonly username: string; readonly password: Secret }
  | { readonly kind: 'bearer'; readonly token: Secret };

/** A series of a range query; times are ms since the epoch. */
export interface RangeSeries {
  readonly labels: Labels;
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** Start and end of a range, both inclusive (ms since the epoch). */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const MATRIX = z.object({
  status: z.literal('success'),
  data: z.object({
    resultType: z.literal('matrix'),
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        // Parsed in a loop: a schema for each of a million points costs more than reading them.
        values: z.array(z.unknown()),
      }),
    ),
  }),
});

const REFUSED = z.object({ status: z.literal('error'), errorType: z.string(), error: z.string() });

const NAMES = z.object({ status: z.literal('success'), data: z.array(z.string()) });

/** Error messages of Prometheus and compatible systems for a query that is too large. */
const TOO_MUCH = /too many samples|maximum resolution|timed? ?out|limit/i;

const STEP_S = 60;

function times({ from, to }: Range): { readonly start: string; readonly end: string } {
  return { start: String(from / 1_000), end: String(to / 1_000) };
}

/** Client of a Prometheus' HTTP API. It follows no redirects, so that the login is sent to no other host. */
export class PrometheusClient {
  readonly #access: PrometheusAccess;
  readonly #connections: Pool;
  readonly #signal: AbortSignal;
  /** Called after every successful query. */
  readonly #onAnswer: () => void;

  constructor(access: PrometheusAccess, signal: AbortSignal, onAnswer: () => void = () => undefined) {
    this.#access = access;
    this.#signal = signal;
    this.#onAnswer = onAnswer;
    const { origin } = new URL(access.url);
    this.#connections = new Pool(origin, access.ca === undefined ? {} : { connect: { ca: access.ca } });
  }

  /**
   * Returns the values of an expression at every minute of a range. Splits a range that is too large for one response in halves.
   * @throws RehearsalRefusal
   */
  async range(query: string, { from, to }: Range): Promise<readonly RangeSeries[]> {
    const answer = await this.#ask(query, { from, to });
    if ('series' in answer) return answer.series;
    const half = from + Math.floor((to - from) / 2 / (STEP_S * 1_000)) * STEP_S * 1_000;
    if (half <= from) throw new RehearsalRefusal(answer.refusal);
    const first = await this.range(query, { from, to: half });
    return joined([...first, ...(await this.range(query, { from: half + STEP_S * 1_000, to }))]);
  }

  /** Returns the names of all series with samples in a range. @throws RehearsalRefusal */
  async names(range: Range): Promise<readonly string[]> {
    const { status, text } = await this.#exchange(
      `label/__name__/values?${new URLSearchParams(times(range))}`,
    );
    const names = NAMES.safeParse(parsedJson(text));
    if (names.success) return names.data.data;
    throw new RehearsalRefusal(`${this.#access.url}: ${unlikePrometheus(status)}`);
  }

  close(): Promise<void> {
    return this.#connections.destroy();
  }

  async #ask(
    query: string,
    range: Range,
  ): Promise<{ readonly series: readonly RangeSeries[] } | { readonly refusal: string }> {
    const { url } = this.#access;
    const asked = new URLSearchParams({ query, ...times(range), step: String(STEP_S) });
    const { status, text } = await this.#exchange('query_range', asked.toString());
    const body = parsedJson(text);
    const matrix = MATRIX.safeParse(body);
    if (matrix.success) return { series: matrix.data.data.result.map(seriesOf) };
    const refused = REFUSED.safeParse(body);
    if (!refused.success) throw new RehearsalRefusal(`${url}: ${unlikePrometheus(status)}`);
    const { errorType, error } = refused.data;
    const refusal = `${url} refuses a query: ${error} (${errorType})`;
    if (TOO_MUCH.test(error)) return { refusal };
    throw new RehearsalRefusal(refusal);
  }

  async #exchange(path: string, form?: string): Promise<{ readonly status: number; readonly text: string }> {
    const { url } = this.#access;
    const headers = { accept: 'application/json', ...this.#authorization() };
    const asked = {
      path: `${new URL(url).pathname.replace(/\/$/, '')}/api/v1/${path}`,
      signal: this.#signal,
    };
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    try {
      const { statusCode, body } = await this.#connections.request(
        form === undefined
          ? { ...asked, method: 'GET', headers }
          : { ...asked, method: 'POST', headers: { ...headers, ...type }, body: form },
      );
      const text = await body.text();
      this.#onAnswer();
      return { status: statusCode, text };
    } catch (error) {
      this.#signal.throwIfAborted();
      const { message } = networkFailure(error);
      throw new RehearsalRefusal(
        `Prometheus cannot be reached at ${url}: ${message}. Check --prometheus.url, and that Prometheus runs`,
        { cause: error },
      );
    }
  }

  #authorization(): Readonly<Record<string, string>> {
    const { login } = this.#access;
    if (login === undefined) return {};
    if (login.kind === 'bearer') return { authorization: `Bearer ${login.token.reveal()}` };
    const pair = `${login.username}:${login.password.reveal()}`;
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  }
}

function joined(parts: readonly RangeSeries[]): readonly RangeSeries[] {
  const byLabels = new Map<string, RangeSeries>();
  for (const part of parts) {
    const key = keyOf(part.labels);
    const before = byLabels.get(key);
    byLabels.set(key, before === undefined ? part : after(before, part));
  }
  return [...byLabels.values()];
}

function after(before: RangeSeries, { times, values }: RangeSeries): RangeSeries {
  return {
    labels: before.labels,
    times: Float64Array.from([...before.times, ...times]),
    values: Float64Array.from([...before.values, ...values]),
  };
}

type Matrix = z.output<typeof MATRIX>;

function seriesOf({ metric, values: points }: Matrix['data']['result'][number]): RangeSeries {
  const { __name__: _, ...labels } = metric;
  const times = new Float64Array(points.length);
  const values = new Float64Array(points.length);
  for (let index = 0; index < points.length; index++) {
    const point = points[index];
    const [seconds, text]: readonly unknown[] = Array.isArray(point) ? point : [];
    times[index] = Math.round(Number(seconds) * 1_000);
    values[index] = numberOf(String(text));
  }
  return { labels, times, values };
}

function numberOf(text: string): number {
  if (text.endsWith('Inf')) return text.startsWith('-') ? -Infinity : Infinity;
  return Number(text);
}

function unlikePrometheus(status: number): string {
  if (status === 401 || status === 403) {
    return `the login is refused (status ${status}): give --prometheus.bearer-token-file, or --prometheus.username and --prometheus.password-file`;
  }
  if (status === 404)
    return 'there is no Prometheus API (status 404): --prometheus.url may lack a path prefix';
  if (status >= 300 && status < 400)
    return `redirects (status ${status}) are not followed: give the final address`;
  return `the answer is not Prometheus' (status ${status})`;
}
