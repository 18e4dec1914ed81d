import { request } from 'undici';
import { expect, it } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { basic, startBench } from '../client.ts';

/** Sentences of the specification: the requests that check them, or why nothing does. */
export type Row = Checked | Unchecked;

interface Quoted {
  /** The section, or a numbered rule of it: `3.1` is rule 1 of section 3. */
  readonly section: string;
  /** Word for word; the cells of a row of a table are joined by ` · `. */
  readonly quotes: readonly string[];
  /** Families of the exporter that show it, with the label in braces where it is a label. */
  readonly families?: readonly string[];
}

export interface Checked extends Quoted {
  /** Tells rows apart that check the same sentence. */
  readonly variant?: string;
  /** What the embedded platform does where the specification leaves it open. */
  readonly embedded?: string;
  readonly options?: SandboxOptions;
  readonly steps: readonly Step[];
}

interface Unchecked extends Quoted {
  readonly embedded: string;
  readonly steps?: never;
}

/** A request with what must come back; or time that passes, in ms. */
export type Step = Exchange | { readonly pass: number };

export interface Exchange {
  /** Method and path; `{id}` is the id or token in the last answer that held one. */
  readonly send: string;
  /** 3 unless told. */
  readonly version?: number;
  readonly body?: unknown;
  /** Instead of those of an ordinary request, `{id}` as in the path; null leaves a header out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly status: number;
  /** A part of the JSON document. */
  readonly has?: unknown;
  /** The whole JSON document. */
  readonly is?: unknown;
  readonly answers?: Readonly<Record<string, unknown>>;
}

export const BASIC = { authorization: basic('operator@example.com', 'sandbox') };

/** One test for each row that can be checked. */
export function conforms(rows: readonly Row[]): void {
  for (const row of rows) {
    if (row.steps === undefined) continue;
    const { variant = '' } = row;
    it([`${row.section}: ${row.quotes[0]}`, variant].join(' ').trim(), () => run(row));
  }
}

async function run({ options, steps }: Checked): Promise<void> {
  const bench = await startBench(options);
  let id = '';
  try {
    for (const step of steps) {
      if ('pass' in step) bench.time += step.pass;
      else id = (await check(bench.url, step, id)) ?? id;
    }
  } finally {
    await bench.close();
  }
}

/** @returns the id in the answer, if any */
async function check(url: string, step: Exchange, id: string): Promise<string | undefined> {
  const [method = '', path = ''] = step.send.split(' ');
  // Not fetch, which adds an Accept header of its own.
  const answer = await request(url + path.replaceAll('{id}', id), {
    method: method as 'GET',
    headers: headersOf(step, id),
    ...(step.body === undefined ? {} : { body: JSON.stringify(step.body) }),
  });
  const text = await answer.body.text();
  expect(`${step.send} ${answer.statusCode} ${answer.statusCode === step.status ? '' : text}`).toBe(
    `${step.send} ${step.status} `,
  );
  if (step.has !== undefined) expect(JSON.parse(text), step.send).toMatchObject(step.has as object);
  if (step.is !== undefined) expect(JSON.parse(text), step.send).toEqual(step.is);
  for (const [name, value] of Object.entries(step.answers ?? {}))
    expect(answer.headers[name.toLowerCase()], name).toEqual(value);
  if (step.status === 204) expect(text).toBe('');
  const [, found] = /"(?:id|token)":"?([0-9a-f]+)/.exec(text) ?? [];
  return found;
}

function headersOf({ version = 3, body, headers = {} }: Exchange, id: string): Record<string, string> {
  const all = {
    accept: `application/json; version=${version}`,
    authorization: 'Token sandbox-token',
    'content-type': body === undefined ? null : 'application/json',
    ...headers,
  };
  const sent = Object.entries(all).filter((header): header is [string, string] => header[1] !== null);
  return Object.fromEntries(sent.map(([name, value]) => [name, value.replace('{id}', id)]));
}
