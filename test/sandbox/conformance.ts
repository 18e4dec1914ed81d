import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { expect } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { basic, startBench } from './client.ts';

/** Headers of the operations that require a login instead of a token. */
export const BASIC = { authorization: basic('operator@example.com', 'sandbox') };

/** Sentences of the specification, with the requests that check them. */
export interface Check {
  readonly section: string;
  readonly quotes: readonly string[];
  /** Name that distinguishes checks of the same sentence. */
  readonly variant: string;
  /** Families of the exporter that depend on the sentences, with a label in braces. */
  readonly families: readonly string[];
  readonly options: SandboxOptions;
  /** Requests with their expected answers; empty if nothing is checked. */
  readonly steps: readonly string[];
}

/** Returns the checks on a page of this folder. */
export function checksOf(name: string): readonly Check[] {
  const page = readFileSync(join(import.meta.dirname, name), 'utf8');
  return page
    .slice(page.indexOf('<!-- conformance -->'))
    .split(/^## /m)
    .slice(1)
    .flatMap((text) => {
      const [section = '', ...blocks] = text.split(/\n\n(?=> )/);
      return blocks.map((block) => checkOf(section, block));
    });
}

/** Checks of the specification. */
export const CHECKS = checksOf('conformance.md');

function checkOf(section: string, block: string): Check {
  const [head = '', requests = ''] = block.split(/\n```\n?/);
  const lines = head.split('\n');
  const listed = (name: string) =>
    lines.find((line) => line.startsWith(`- ${name}: `))?.slice(name.length + 4) ?? '';
  return {
    section,
    quotes: lines.filter((line) => line.startsWith('> ')).map((line) => line.slice(2)),
    variant: listed('variant'),
    families: [...listed('exporter').matchAll(/`([^`]+)`/g)].map(([, family = '']) => family),
    options: JSON.parse(/`(.*)`/.exec(listed('options'))?.[1] ?? '{}') as SandboxOptions,
    steps: requests.split('\n').filter((line) => line !== ''),
  };
}

/** Sends the requests of a check to a new sandbox, and compares the answers. */
export async function run({ options, steps }: Check): Promise<void> {
  const bench = await startBench(options);
  let id = '';
  for (const step of steps) {
    const [, wait] = /^WAIT (\d+)$/.exec(step) ?? [];
    if (wait !== undefined) bench.time += Number(wait);
    else id = (await exchange(bench.url, step.replaceAll('{id}', id))) ?? id;
  }
}

const STEP =
  /^(?<method>[A-Z]+) (?<path>\S+)(?: version (?<version>\d+))?(?<user> as user)?(?: with (?<headers>\{.*?\}))?(?: (?:body|raw) (?<body>.*?))? => (?<status>\d+)(?: is (?<is>[{["].*?))?(?: has (?<has>[{["].*?))?(?: says (?<says>".*?"))?(?: headers (?<answers>\{.*\}))?$/;

async function exchange(url: string, step: string): Promise<string | undefined> {
  const parts = STEP.exec(step)?.groups;
  if (parts === undefined) throw new Error(`not a request: ${step}`);
  const {
    method,
    path,
    version = 3,
    user,
    headers = '{}',
    body,
    status,
    is,
    has,
    says,
    answers = '{}',
  } = parts;
  const sent: Record<string, string | null> = {
    accept: `application/json; version=${version}`,
    authorization: user === undefined ? 'Token sandbox-token' : BASIC.authorization,
    'content-type': body === undefined ? null : 'application/json',
    ...(JSON.parse(headers) as object),
  };
  // `fetch` would add its own Accept header.
  const answer = await request(`${url}${path}`, {
    method: method as 'GET',
    headers: Object.entries(sent).flatMap(([name, value]) => (value === null ? [] : [name, value])),
    ...(body !== undefined && { body }),
  });
  const text = await answer.body.text();
  expect(`${answer.statusCode} ${answer.statusCode === Number(status) ? '' : text}`, step).toBe(`${status} `);
  if (is !== undefined) expect(JSON.parse(text), step).toEqual(expected(is));
  if (has !== undefined) expect(JSON.parse(text), step).toMatchObject(expected(has) as object);
  if (says !== undefined) expect(text, step).toEqual(expected(says));
  if (status === '204') expect(text).toBe('');
  for (const [name, value] of Object.entries(expected(answers) as object))
    expect(answer.headers[name.toLowerCase()] ?? null, `${step}: ${name}`).toEqual(value);
  return /"(?:id|token)":"?([0-9a-f]+)/.exec(text)?.[1];
}

function expected(json: string): unknown {
  return JSON.parse(json, (_, value: unknown) => {
    if (typeof value === 'string' && value.startsWith('<')) return matcher(value);
    if (Array.isArray(value) && value[0] === '...') return expect.arrayContaining(value.slice(1));
    if (typeof value !== 'object' || value === null || !('...' in value)) return value;
    const { '...': _more, ...part } = value;
    return expect.objectContaining(part);
  });
}

const isSeries = (value: unknown) =>
  Array.isArray(value) &&
  value.length === 60 &&
  value.every(
    (point: unknown, minute) =>
      Array.isArray(point) &&
      point.length === 2 &&
      point[0] === Date.UTC(2026, 10, 20, 10, minute) &&
      typeof point[1] === 'number',
  );
const isListOf = (holds: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(holds);

const MATCHERS: Readonly<Record<string, unknown>> = {
  '<string>': expect.any(String),
  '<boolean>': expect.any(Boolean),
  '<object>': expect.any(Object),
  '<array>': expect.any(Array),
  '<integer>': expect.toSatisfy(Number.isInteger, 'is an integer'),
  '<integers>': expect.toSatisfy(isListOf(Number.isInteger), 'is an array of integers'),
  '<strings>': expect.toSatisfy(
    isListOf((item) => typeof item === 'string'),
    'is an array of strings',
  ),
  '<timestamp>': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
  /** Timestamp of a change that the check makes. */
  '<now>': expect.stringMatching(/^2026-11-20T12:34:20(\.\d+)?Z$/),
  '<series>': expect.toSatisfy(isSeries, 'is a series'),
  '<series of each dimension>': expect.toSatisfy(
    (answer: object) => Object.values(answer).every(isSeries),
    'has a series for each dimension',
  ),
};

function matcher(text: string): unknown {
  if (Object.hasOwn(MATCHERS, text)) return MATCHERS[text];
  const [, pattern] = /^<\/(.*)\/>$/.exec(text) ?? [];
  if (pattern !== undefined) return expect.stringMatching(new RegExp(pattern));
  const [, part] = /^<… (.*) …>$/.exec(text) ?? [];
  if (part !== undefined) return expect.stringContaining(part);
  const [, first = '', last = ''] = /^<points from (\S+) to (\S+)>$/.exec(text) ?? [];
  if (first !== '')
    return expect.toSatisfy(
      (points: number[][]) => points[0]?.[0] === Date.parse(first) && points.at(-1)?.[0] === Date.parse(last),
      text,
    );
  const [, items] = /^<in another order: (.*)>$/.exec(text) ?? [];
  if (items === undefined) throw new Error(`nothing is called ${text}`);
  return expect.toSatisfy(
    (found: string[]) => found.join(' ') !== items && found.toSorted().join(' ') === items,
    text,
  );
}
