import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import type { IncidentKind } from '../../src/sandbox/traffic/incidents.ts';
import { startExporter } from '../../test/end-to-end/exporter-process.ts';
import { startPrometheus } from '../../test/end-to-end/prometheus.ts';
import { promtool } from '../../test/end-to-end/promtool.ts';
import { eventually } from '../../test/eventually.ts';
import { type Shown, writeHistory } from './history.ts';
import { learn } from './learn.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const COMPARED = /^edge_(requests|waf_threats|waf_requests)_per_minute$/;

const TOKEN = 'sandbox-token';

function sandboxes(): Map<string, Sandbox> {
  const tokens = [{ token: TOKEN }];
  return new Map([
    [
      'production',
      createSandbox({
        seed: 1,
        configurations: 12,
        tokens,
        rateLimit: { reads: 800, writes: 20, purges: 200 },
      }),
    ],
    ['staging', createSandbox({ seed: 2, configurations: 3, domainsPerConfiguration: 1, tokens })],
    ['training', createSandbox({ seed: 3, configurations: 2, domainsPerConfiguration: 1, tokens })],
  ]);
}

type Incident = readonly [IncidentKind, string, number, number, number];

const INCIDENTS: readonly Incident[] = [
  ['waf_attack', 'shop', 250, 35, 2_600],
  ['5xx_spike', 'api', 55, 150, 700],
  ['5xx_spike', 'shop', 180, 15, 3_000],
  ['4xx_spike', 'docs', 130, 40, 900],
  ['outage', 'news', 330, 20, 0],
  ['surge', 'video', 100, 60, 9_000],
];

/** Attack that begins when the rules start, so that they do not learn from it. */
const ATTACK: Incident = ['waf_attack', 'login', 2, 180, 900];

function happen(sandbox: Sandbox, now: number, incidents: readonly Incident[]): void {
  for (const [kind, site, before, minutes, per_minute] of incidents) {
    const application = [...sandbox.account.applications].find(({ name }) => name === site);
    if (application === undefined) throw new Error(`no site ${site}`);
    const from = now - before * MINUTE;
    sandbox.inject({ kind, configuration: application.id, from, to: from + minutes * MINUTE, per_minute });
  }
}

function change({ account }: Sandbox): void {
  const [ruleset] = account.wafRulesets;
  const domain = [...account.domains].at(-1);
  if (ruleset) account.wafRulesets.update(ruleset.id, { mode: 'counting' });
  if (domain) account.domains.update(domain.id, { is_active: false });
}

function shownIn(exposition: string): Shown[] {
  return [...exposition.matchAll(/^edge_data_until_timestamp_seconds\{(.*)\}/gm)].map(([, text = '']) =>
    Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value])),
  ) as unknown as Shown[];
}

/** True if the rules learn from hours instead of days, which saves minutes. */
const BRIEF = process.argv.includes('brief');

const now = Math.floor(Date.now() / MINUTE) * MINUTE;
const folder = await mkdtemp(join(tmpdir(), 'demonstration-'));
const accounts = sandboxes();
const production = accounts.get('production');
if (production) happen(production, now, INCIDENTS);
const urls = await Promise.all(
  [...accounts].map(async ([name, sandbox]) => ({ name, ...(await sandbox.listen(0)) })),
);
const config = join(folder, 'exporter.yaml');
const state = join(folder, 'state');
const tokenFile = join(folder, 'token');
await writeFile(tokenFile, TOKEN);
const entries = urls.map(({ name, url }) => ({
  name,
  api_url: url,
  token_file: tokenFile,
  quota: { reserve: 0.1 },
}));
await writeFile(config, JSON.stringify({ accounts: entries }));
const exporter = await startExporter({
  args: ['serve', `--config.file=${config}`, `--state.dir=${state}`],
  port: 0,
});
let [found, foundAt]: [Shown[], number] = [[], Date.now()];
const shown = await eventually(
  'every series is shown',
  async () => {
    const now = shownIn((await exporter.scrape()).body);
    if (now.length !== found.length) [found, foundAt] = [now, Date.now()];
    return found.length > 0 && Date.now() - foundAt >= 2 * MINUTE && found;
  },
  { within: 900_000, every: 5_000 },
);
const storage = join(folder, 'data');
await mkdir(storage);
const spans = [
  { from: now - 8 * DAY, to: now - 9 * HOUR, wanted: (name: string) => COMPARED.test(name) },
  { from: now - 9 * HOUR, to: Date.now() - MINUTE, wanted: () => true },
];
for (const [index, span] of spans.entries()) {
  const file = join(folder, `history-${index}.txt`);
  await writeHistory(file, shown, accounts, span);
  const built = await promtool(['tsdb', 'create-blocks-from', 'openmetrics', file, storage]);
  if (built.code !== 0) throw new Error(built.stderr);
  await rm(file);
}
const rules = [resolve('config', 'prometheus', '*.rules.yml')];
const scrapeConfigs = [
  {
    job_name: 'edge-exporter',
    static_configs: [{ targets: [exporter.target] }],
    relabel_configs: [{ target_label: 'instance', replacement: 'edge-exporter:9801' }],
  },
];
const prometheus = await startPrometheus({ storage, scrapeInterval: '15s', scrapeConfigs });
process.stdout.write(`Prometheus: ${prometheus.url}\nexporter: ${exporter.url}\n`);
const learnedFrom = BRIEF ? now - 9 * HOUR : now - 8 * DAY;
const lessons = [
  {
    groups: /^edge-minutes$/,
    records: /^configuration:/,
    from: learnedFrom,
    yields: 'configuration:edge_requests_per_minute:sum',
  },
  {
    groups: /^edge-minutes$/,
    records: /^account:/,
    from: learnedFrom,
    yields: 'account:edge_requests_per_minute:sum',
  },
  {
    groups: /^edge-(baseline|error-ratios)/,
    from: now - 8 * HOUR,
    yields: 'account:edge_requests_per_minute:avg1h',
  },
  {
    groups: /^edge-baseline/,
    from: now - 7 * HOUR,
    yields: 'account:edge_waf_threats_per_minute:usual',
  },
  {
    groups: /^edge-baseline/,
    from: now - 6 * HOUR,
    yields: 'account:edge_waf_threats_per_minute:threshold',
  },
];
// The alert thresholds appear within minutes after the rules start.
await learn(prometheus, { storage, to: Date.now() - MINUTE, lessons: BRIEF ? lessons.slice(0, 3) : lessons });
await prometheus.reconfigure({ storage, scrapeInterval: '15s', scrapeConfigs, rules });
if (production) {
  happen(production, Date.now(), [ATTACK]);
  // Changes the settings between two polls, so that the exporter reports both changes.
  change(production);
}
process.stdout.write('ready for pictures\n');
process.once('SIGINT', stop).once('SIGTERM', stop);

async function stop(): Promise<void> {
  await prometheus.stop();
  await exporter.stop();
  for (const { close } of urls) await close();
  await rm(folder, { recursive: true, force: true });
  process.exit();
}
