import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

const EXCLUDED =
  /^(test\/(reference\/vocabulary\.test\.ts|fixtures\/|payloads\/)|config\/helm\/.*\.json|package-lock\.json|CHANGELOG\.md|LICENSE)|\.(png|mdb|key|pem|crt)$/;

interface Retired {
  readonly pattern: RegExp;
  /** Term of the field to use instead. */
  readonly instead: string;
  readonly except?: RegExp;
  readonly within?: RegExp;
}

const QUEUEING = /^(src|test)\/exporter\/(rate-limit|account|poll|plan)\//;
const LIMITING = /^(src|test)\/exporter\/rate-limit\//;

const RETIRED: readonly Retired[] = [
  { pattern: /\btickets?\b/i, instead: 'queued request', within: QUEUEING },
  { pattern: /\bwish(es|ed|of)?\b/i, instead: 'queued request, or what it is' },
  { pattern: /waiting.?room/i, instead: 'request queue' },
  {
    pattern: /\b(lines?|lined|places?)\b/i,
    instead: 'list; concurrency limit, connection',
    within: LIMITING,
  },
  { pattern: /\blook(s|ed|ing)?\b/i, instead: 'probe', within: LIMITING },
  { pattern: /\b(holds?|held|kept)\b/i, instead: 'wait reason', within: LIMITING },
  { pattern: /\b(met|meets?|about)\b.*\bothers?\b/i, instead: 'other clients', within: LIMITING },
  { pattern: /\bother users\b/i, instead: 'other clients of the token' },
  { pattern: /\bblind(ly)?\b|\bunseen\b/i, instead: 'since the last answer', within: LIMITING },
  { pattern: /\bwires?\b|\bwire[A-Z]|Wire[A-Z]/, instead: 'concurrency limit, in flight' },
  {
    pattern: /(?<!X-|x-|"|')\bframes?\b(?!-(ancestors|options))|[a-z]Frame\b|\bFrame[A-Z]|FRAME_/,
    instead: 'rate-limit window',
    // The specification uses the word in quoted sentences. SQLite's log consists of frames, and
    // X-Frame-Options is a header.
    except:
      /conformance|^src\/exporter\/state\/database-thread\.js$|^test\/exporter\/web\/config-(corpus|file\.test)\.ts$/,
  },
  { pattern: /\brooms?\b|makeRoom/i, instead: 'allowance', within: QUEUEING },
  { pattern: /\bopening\b/i, instead: 'start of the window', within: QUEUEING },
  { pattern: /\b(obstacle|shortage)s?\b/i, instead: 'wait reason' },
  { pattern: /better.?moment/i, instead: 'pacing' },
  { pattern: /\bfear(s|ed)?\b/i, instead: 'assumed worst case' },
  {
    pattern: /\balarm(s|ed)?\b/i,
    instead: 'timer, alert',
    // "False alarms" is the term for alerts without a cause.
    except: /^config\/prometheus\/quality\.md$|^test\/bench\/alert/,
  },
  { pattern: /foresight/i, instead: 'demand forecast' },
  { pattern: /\b(standing|likeness|stranger)s?\b/i, instead: 'reachability, response origin' },
  { pattern: /\bbeats? of\b/i, instead: 'scheduled run' },
  {
    pattern: /\bmarks\b|\bmark:|\bbookkeep|\bbooks\b/,
    instead: 'watermark, counters',
    within: /^(src|test)\/exporter\/(series|state)\//,
  },
  { pattern: /posting/i, instead: 'counter, update' },
  { pattern: /\bkeepers?\b|[a-z]Keeper/, instead: 'counter store' },
  { pattern: /\bdrafts?\b(?!-|\/)|[a-z]Draft|Draft[A-Z]/, instead: 'update, or what it is' },
  {
    pattern: /patien(ce|t)|PATIEN/i,
    instead: 'timeout, retries; missing-bucket timeout',
  },
  { pattern: /given.?up/i, instead: 'skipped, aborted' },
  { pattern: /\bvouch/i, instead: 'confirmed' },
  {
    pattern: /\boverview\b/i,
    instead: 'coarse read',
    within: /^src\/(?!rules\/shipped\/)|^test\/exporter\/(series|settling|backfill|page)\//,
  },
  { pattern: /\b(il)?legible|\bunreadable\b/i, instead: 'lenient, invalid, readable' },
  { pattern: /\bsurroundings\b/i, instead: 'process context' },
  { pattern: /\bestates?\b|[a-z]Estate\b/, instead: 'settings' },
];

const files = ['src', 'test', 'docs', 'config', 'grafana/source', '.']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: folder !== '.', withFileTypes: true })
      .filter((entry) => entry.isFile() && (folder !== '.' || entry.name.endsWith('.md')))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
  )
  .filter((name) => !EXCLUDED.test(name))
  .map((name) => ({ name, lines: [name, ...readFileSync(join(ROOT, name), 'utf8').split('\n')] }));

describe('a retired word is found nowhere', () => {
  it.each(RETIRED)('$pattern: $instead', ({ pattern, except, within }) => {
    const found = files
      .filter(({ name }) => except?.test(name) !== true && within?.test(name) !== false)
      .flatMap(({ name, lines }) =>
        lines.flatMap((line, number) => (pattern.test(line) ? [`${name}:${number}: ${line.trim()}`] : [])),
      );
    expect(found).toEqual([]);
  });
});

const TABLES = /^src\/(commands|exporter\/collectors|sandbox\/resources)\//;

it('no two files of the sources have one name, but for tables of like things', () => {
  const byName = new Map<string, string[]>();
  for (const { name } of files) {
    if (!/^src\/.*\.ts$/.test(name) || TABLES.test(name)) continue;
    const base = name.replace(/^.*\//, '');
    byName.set(base, [...(byName.get(base) ?? []), name]);
  }
  expect([...byName.values()].filter(({ length }) => length > 1)).toEqual([]);
});
