import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadWebConfig, WebConfigError } from '../../src/exporter/web/config-file.ts';
import { WEB_CONFIG_CORPUS } from '../exporter/web/config-corpus.ts';
import { runToEnd } from './child-process.ts';
import { temporaryFolder } from './config-file.ts';
import { type Tool, toolPath } from './tools.ts';

/** Errors about keys that the exporter-toolkit of Prometheus 2.42 does not have. */
const NEWER_THAN_2_42 = /field (rate_limit|client_allowed_sans|cert|key|client_ca) not found/;

/** Cases with cipher suites that Go has not considered safe since 2024. */
const NO_LONGER_SAFE = ['TLS: a suite with RSA key exchange', 'TLS: a suite with RSA key exchange and CBC'];

const JUDGED_OTHERWISE = [
  'a second document',
  'a directive of YAML 1.2',
  'TLS: names of clients that are numbers',
  'TLS: names without a policy',
  'TLS: an empty list of names without a policy',
  'TLS: TLS 1.0 to 1.3',
  'TLS: TLS 1.1 alone',
  'TLS: an empty version',
  'TLS: an upper bound below the lower',
  'TLS: an upper bound below the usual lower',
  'TLS: a null suite',
  'TLS: a null curve',
  'HTTP: empty X-Frame-Options',
  'HTTP: empty X-Content-Type-Options',
  'HTTP: a null policy',
  'HTTP: a truth as a header',
  'HTTP: a date as a header',
  'HTTP: a header with a line break',
  'HTTP: a header with foreign letters',
  'users: a hash of kind 2',
  'users: a hash of kind 1',
  'users: a hash of kind 1a',
  'users: a hash of cost +9',
  'users: a hash without its last character',
  'users: a hash that goes on',
  'users: a hash with a salt of other letters',
  'users: a name that JavaScript knows',
  'rate: empty',
  'rate: no burst',
  'rate: no interval',
  'rate: an interval of 0',
  'rate: a null interval',
  'rate: half seconds',
  'rate: units in odd order',
  'rate: microseconds',
  'rate: microseconds in Greek',
  'rate: nanoseconds',
  'rate: hours with a fraction',
  'rate: a point without a digit after it',
  'rate: a day',
  'rate: a duration with a plus sign',
  'rate: a negative interval',
  'rate: an interval that is a number',
  'rate: an interval that is a fraction',
  'rate: an interval beyond every measure',
  'rate: a burst of 0',
  'rate: a null burst',
  'rate: a negative burst',
  'rate: a burst with a fraction',
  'rate: a burst in octal of YAML 1.2',
  'rate: a burst beyond 64 bits',
  'rate: a burst in base 60',
];

type Verdicts = ReadonlyMap<string, string>;

async function writeCorpus(): Promise<Map<string, string>> {
  const folder = await temporaryFolder();
  const entries = Object.entries(WEB_CONFIG_CORPUS).map(async ([name, text], index) => {
    const path = join(folder, String(index), 'web.yaml');
    await mkdir(join(folder, String(index)));
    await writeFile(path, text);
    return [name, path] as const;
  });
  return new Map(await Promise.all(entries));
}

async function judgedBy(tool: Tool, files: ReadonlyMap<string, string>): Promise<Verdicts> {
  const run = { path: toolPath(tool), args: ['check', 'web-config', ...files.values()] };
  const { stdout, stderr } = await runToEnd(run);
  const said = `${stdout}${stderr}`;
  const verdicts = [...files].map(([name, path]) => {
    if (said.includes(`${path} SUCCESS`)) return [name, ''] as const;
    const [, reason] = said.split(`${path} FAILED: `);
    if (reason === undefined) throw new Error(`${tool} says nothing of "${name}":\n${said}`);
    return [name, reason.split(/\n\/|$/)[0]?.trim() || 'refused'] as const;
  });
  return new Map(verdicts);
}

function judgedByUs(files: ReadonlyMap<string, string>): Verdicts {
  const verdicts = [...files].map(([name, path]) => {
    try {
      loadWebConfig(path);
      return [name, ''] as const;
    } catch (error) {
      if (!(error instanceof WebConfigError)) throw error;
      return [name, error.message] as const;
    }
  });
  return new Map(verdicts);
}

function differences(ours: Verdicts, theirs: Verdicts) {
  return [...ours].flatMap(([name, our]) => {
    const their = theirs.get(name) ?? '';
    return (our === '') === (their === '') ? [] : [{ name, our, their }];
  });
}

it('the corpus of web configurations has at least 120 files, good and bad', async () => {
  const verdicts = [...judgedByUs(await writeCorpus()).values()];
  expect(verdicts.length).toBeGreaterThanOrEqual(120);
  expect(verdicts.filter((reason) => reason === '').length).toBeGreaterThan(100);
  expect(verdicts.filter((reason) => reason !== '').length).toBeGreaterThan(100);
});

it('promtool of Prometheus 3 accepts and refuses the same web configurations, but for those that are listed', async () => {
  const files = await writeCorpus();
  const found = differences(judgedByUs(files), await judgedBy('promtool3', files));
  expect(found.map(({ name }) => name)).toEqual(JUDGED_OTHERWISE);
});

it('promtool of Prometheus 2.42 differs only in what it does not know yet, and in what Go has dropped since', async () => {
  const files = await writeCorpus();
  const found = differences(judgedByUs(files), await judgedBy('promtool', files));
  const unexplained = found.filter(
    ({ name, their }) =>
      !NEWER_THAN_2_42.test(their) && ![...NO_LONGER_SAFE, ...JUDGED_OTHERWISE].includes(name),
  );
  expect(unexplained).toEqual([]);
});
