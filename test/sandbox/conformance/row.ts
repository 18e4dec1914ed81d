import { expect, it } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts';
import { basic, startBench } from '../client.ts';

/** A sentence of the specification, and the requests that show that the sandbox behaves so. */
export interface Row {
  readonly section: string;
  /** What the sentence says, in our own words. */
  readonly says: string;
  readonly options?: SandboxOptions;
  readonly steps: readonly Step[];
}

/** A request with what must come back; or time that passes. */
export type Step = Exchange | { readonly pass: number };

interface Exchange {
  /** Method and path; `{id}` is the id in the last answer that held one. */
  readonly send: string;
  readonly version?: number;
  readonly body?: unknown;
  /** Instead of those of an ordinary request; null leaves a header out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly status: number;
  /** A part of the JSON document. */
  readonly has?: unknown;
  /** The whole JSON document. */
  readonly is?: unknown;
  readonly answers?: Readonly<Record<string, unknown>>;
}

export const BASIC = { authorization: basic('operator@example.com', 'sandbox') };

/** One test for each row. */
export function conforms(rows: readonly Row[]): void {
  it.each(rows.map((row) => [row.section, row.says, row] as const))(
    '%s: %s',
    async (_section, _says, row) => {
      const bench = await startBench(row.options);
      const seen = { id: '' };
      try {
        for (const step of row.steps) {
          if ('pass' in step) bench.time += step.pass;
          else seen.id = (await check(bench.url, step, seen.id)) ?? seen.id;
        }
      } finally {
        await bench.close();
      }
    },
  );
}

async function check(url: string, step: Exchange, id: string): Promise<string | undefined> {
  const [method = '', path = ''] = step.send.split(' ');
  const answer = await fetch(url + path.replaceAll('{id}', id), {
    method,
    redirect: 'manual',
    headers: headersOf(step),
    ...(step.body === undefined ? {} : { body: JSON.stringify(step.body) }),
  });
  const text = await answer.text();
  expect([step.send, answer.status, answer.status === step.status || text]).toEqual([
    step.send,
    step.status,
    true,
  ]);
  if (step.has !== undefined) expect(JSON.parse(text)).toMatchObject(step.has as object);
  if (step.is !== undefined) expect(JSON.parse(text)).toEqual(step.is);
  for (const [name, value] of Object.entries(step.answers ?? {}))
    expect(answer.headers.get(name)).toEqual(value);
  if (step.status === 204) expect(text).toBe('');
  const [, found] = /"(?:id|token)":"?([0-9a-f]+)/.exec(text) ?? [];
  return found;
}

function headersOf({ version = 3, body, headers = {} }: Exchange): Record<string, string> {
  const all = {
    accept: `application/json; version=${version}`,
    authorization: 'Token sandbox-token',
    'content-type': body === undefined ? null : 'application/json',
    ...headers,
  };
  const sent = Object.entries(all).filter((header): header is [string, string] => header[1] !== null);
  return Object.fromEntries(sent);
}
