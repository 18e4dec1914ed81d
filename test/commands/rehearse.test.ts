import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { EXIT } from '../../src/exporter/command-line/command.ts';
import { createSandbox, DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { temporaryFolder } from '../end-to-end/config-file.ts';
import { ATTACKED_MINUTES, attackedSeries } from '../rules/rehearse/history-of.ts';
import { openMetrics } from '../rules/rehearse/open-metrics.ts';
import { callProgram } from './call-program.ts';

const HISTORIES_TAKE_MS = 300_000;

const call = (args: readonly string[], env: Record<string, string> = {}) =>
  callProgram(['rehearse', ...args], { env });

it(
  'rehearses a file that backfill has written: text, JSON, and a page',
  async () => {
    const at = await temporaryFolder();
    const [file, deaf, page] = ['history.om', 'deaf.yaml', 'page.html'].map((name) => join(at, name)) as [
      string,
      string,
      string,
    ];
    // A character that changes the direction of the following text.
    writeFileSync(file, openMetrics(attackedSeries()).replaceAll('production', 'produc\u202etion'));
    writeFileSync(deaf, 'alerts: { EdgeWafSpike: { enabled: false } }\n');
    const text = await call([`--history.file=${file}`, `--compare=${deaf}`, `--output=${page}`]);
    expect(text.exitCode, text.err).toBe(EXIT.ok);
    expect(text.out).toMatch(/EdgeWafSpike +produc\\u202etion, shop/);
    expect(text.out).toContain(`With ${deaf} instead: 0 pages`);
    expect(text.out).toContain(`With charts: ${page}`);
    const markup = readFileSync(page, 'utf8');
    expect(markup).toContain('<svg class="chart"');
    expect(markup).toContain('produc\\u202etion, shop');
    expect(markup).not.toContain('\u202e');
    const json = await call([`--history.file=${file}`, '--format=json', `--alerts.file=${deaf}`]);
    expect(JSON.parse(json.out)).toMatchObject({ rules: deaf, counts: { page: 0 } });
    const recorded = join(at, 'recorded.om');
    expect(await call([`--history.file=${file}`, `--recorded=${file}`])).toMatchObject({
      exitCode: EXIT.misused,
      err: expect.stringContaining('--recorded needs a file of its own'),
    });
    expect((await call([`--history.file=${file}`, `--recorded=${recorded}`])).exitCode).toBe(EXIT.ok);
    const lines = readFileSync(recorded, 'utf8').split('\n');
    const hours = lines.filter((line) => line.startsWith('configuration:edge_requests_per_minute:avg1h{'));
    // Queries return the last sample for five minutes.
    expect(hours).toHaveLength(ATTACKED_MINUTES / 5 + 1);
    expect(hours[0]).toMatch(/^\S+configuration="shop"\S* 1000 \d+$/);
    // The file contains the minutes of a week that judge a drop, and none of the series that only the
    // rehearsal shows.
    const minutes = lines.filter((line) => line.startsWith('configuration:edge_requests_per_minute:sum{'));
    expect(minutes.length).toBeGreaterThan(59);
    expect(lines.filter((line) => line.startsWith('rehearsal:'))).toEqual([]);
    expect(lines.slice(-2)).toEqual(['# EOF', '']);
  },
  HISTORIES_TAKE_MS,
);

it('reports every mistake at once and ends with 2', async () => {
  const at = await temporaryFolder();
  const alerts = join(at, 'alerts.yaml');
  writeFileSync(alerts, 'alerts:\n  EdgeWafSpike:\n    floor: many\n  EdgeNothing: {}\n');
  const { exitCode, err } = await call([
    `--alerts.file=${alerts}`,
    '--from=2026-01-05',
    '--to=2026-01-04',
    '--days=3',
    '--sandbox',
    '--prometheus.url=http://127.0.0.1:1',
    '--prometheus.username=me',
    `--prometheus.ca-file=${at}/missing.pem`,
  ]);
  expect(exitCode).toBe(EXIT.misused);
  for (const sentence of [
    'give --from or --days, not both',
    '--from must be before --to',
    'give one history: --prometheus.url or --sandbox',
    'give --prometheus.username and --prometheus.password-file together',
    '--prometheus.ca-file cannot be read: no such file',
    `${alerts}:3`,
    `${alerts}:4`,
  ]) {
    expect(err).toContain(sentence);
  }
});

it.each([
  [['--format=prometheus'], 'flag --format: expected text, json'],
  [
    ['--prometheus.url=http://me:secret@localhost:9090'],
    'expected an address such as "http://localhost:9090", without a login',
  ],
  [
    ['--prometheus.bearer-token-file=/nowhere'],
    '--prometheus.bearer-token-file is given without --prometheus.url',
  ],
  [['--days=0'], 'expected a whole number from 1'],
  [['--prometheus.url=http://127.0.0.1:1', '--days=99999999999'], 'expected at most 3650 days'],
  [['--prometheus.url=http://127.0.0.1:1', '--from=2999-01-01'], '--from must be before --to, which is now'],
])('%j is a mistake', async (args, sentence) => {
  const { exitCode, err } = await call(args);
  expect(exitCode).toBe(EXIT.misused);
  expect(err).toContain(sentence);
});

it('without any history it says what to give', async () => {
  const { exitCode, err } = await call([]);
  expect(exitCode).toBe(EXIT.misused);
  expect(err).toContain('--prometheus.url');
});

it('of a folder in the place of the file it is told which', async () => {
  const folder = await temporaryFolder();
  const { exitCode, err } = await call([`--history.file=${folder}`]);
  expect(exitCode).toBe(EXIT.failed);
  expect(err).toContain(`error: ${folder} cannot be used: it is a folder`);
});

it('a file without anything that alerts are made of is told', async () => {
  const file = join(await temporaryFolder(), 'history.om');
  writeFileSync(file, '# EOF\n');
  const { exitCode, err } = await call([`--history.file=${file}`]);
  expect(exitCode).toBe(EXIT.failed);
  expect(err).toContain('has none of the metrics that alerts are made of');
});

it(
  'reads from the platform only what rules need, and keeps it where it is told to',
  async () => {
    const NOW = Date.UTC(2026, 0, 5, 10, 20);
    const sandbox = createSandbox({
      now: () => NOW,
      configurations: 1,
      domainsPerConfiguration: 1,
      rateLimit: { reads: 10_000, writes: 1, purges: 1 },
    });
    const { url, close } = await sandbox.listen(0);
    onTestFinished(close);
    const file = join(await temporaryFolder(), 'history.om');
    const env = { EDGE_API_URL: url, EDGE_TOKEN: DEFAULT_TOKEN.token };
    const range = ['--from=2026-01-05T04:00:00Z', '--to=2026-01-05T10:00:00Z'];
    const { exitCode, out, err } = await call([...range, `--history.file=${file}`], env);
    expect(exitCode, err).toBe(EXIT.ok);
    expect(err).toMatch(/msg="history started".* metrics=3 windows=18/);
    expect(out).toContain('2026-01-05 04:01 to 2026-01-05 10:0');
    const families = readFileSync(file, 'utf8').matchAll(/^# TYPE \S+ (\S+)$/gm);
    // No rule uses the traffic counters, which would be half of the history.
    expect(new Set([...families].map(([, type]) => type))).toEqual(new Set(['gauge']));
    const operations = sandbox.requests.total;
    const again = await call([`--history.file=${file}`], env);
    expect(again.exitCode, again.err).toBe(EXIT.ok);
    expect(sandbox.requests.total).toBe(operations);
  },
  HISTORIES_TAKE_MS,
);
