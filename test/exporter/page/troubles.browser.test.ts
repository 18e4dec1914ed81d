import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { openState } from '../../../src/exporter/state/open-state.ts';
import type { Status } from '../../../src/exporter/status-document.ts';
import { DEFAULT_TOKEN } from '../../../src/sandbox/sandbox.ts';
import { useBrowser, visit } from '../../browser-at-hand.ts';
import { type Simulation, type SimulationOptions, simulate } from '../../simulation/simulation.ts';
import { madeUpStatus } from './made-up-status.ts';

useBrowser();

const COLLECTORS = {
  metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'status_code', 'waf'] } } },
};

afterEach(() => void vi.useRealTimers());

async function healthy(options: SimulationOptions = {}): Promise<Simulation> {
  const account = { name: 'production', collectors: COLLECTORS, ...options.account };
  const sandbox = { configurations: 2, domainsPerConfiguration: 1 };
  const simulation = await simulate({ sandbox, ...options, account });
  onTestFinished(() => simulation.close());
  await simulation.minutes(30);
  return simulation;
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'troubles-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const TROUBLES: Readonly<Record<string, () => Promise<Simulation>>> = {
  async 'refused-token'() {
    const file = join(await folder(), 'token');
    await writeFile(file, DEFAULT_TOKEN.token);
    const simulation = await healthy({ account: { token_file: file } });
    await writeFile(file, 'revoked');
    await simulation.minutes(20);
    return simulation;
  },
  async 'rate-limited'() {
    const simulation = await healthy();
    simulation.sandbox.faults.set({ rate_limited: { retry_after: 120 } });
    await simulation.minutes(1.5);
    return simulation;
  },
  async 'platform-down'() {
    const simulation = await healthy();
    simulation.sandbox.faults.set({ server_error: { status: 503 } });
    await simulation.minutes(20);
    return simulation;
  },
  async 'missing-permission'() {
    const simulation = await healthy();
    simulation.sandbox.faults.set({ forbidden: {} });
    await simulation.minutes(20);
    return simulation;
  },
  async 'web-page'() {
    const simulation = await healthy();
    simulation.sandbox.faults.set({ html_error: {} });
    await simulation.minutes(20);
    return simulation;
  },
  async 'late-data'() {
    const simulation = await healthy();
    simulation.sandbox.faults.set({ late_data: { minutes: 25 } });
    await simulation.minutes(30);
    return simulation;
  },
  async attack() {
    const simulation = await healthy();
    const [job] =
      simulation
        .exporter()
        .accounts()[0]
        ?.jobs.slice()
        .filter(({ metric }) => metric === 'waf') ?? [];
    const from = simulation.clock.wall();
    simulation.sandbox.inject({
      kind: 'waf_attack',
      configuration: Number(job?.configuration_id),
      from,
      to: from + 3_600_000,
      per_minute: 5_000,
    });
    await simulation.minutes(10);
    return simulation;
  },
  async 'missing-state'() {
    const directory = join(await folder(), 'state');
    const quiet = { info: () => undefined, warn: () => undefined };
    const simulation = await healthy({ state: (clock) => openState(directory, quiet, { clock }) });
    await simulation.stop();
    await rm(directory, { recursive: true });
    await writeFile(directory, '');
    await simulation.start();
    await simulation.minutes(10);
    return simulation;
  },
};

const SHOWN_DIRECTORY = '/var/lib/edge-exporter';

function statusOf(simulation: Simulation): Status {
  const { kind, directory, note } = simulation.state;
  const exporter = simulation.exporter();
  return madeUpStatus({
    accounts: exporter.accounts(),
    series: exporter.seriesCount,
    state: {
      kind,
      ...(directory === undefined ? {} : { directory: SHOWN_DIRECTORY }),
      ...(note === undefined ? {} : { note: note.replaceAll(directory ?? note, SHOWN_DIRECTORY) }),
    },
  });
}

const SAID: readonly (readonly [trouble: string, cause: RegExp, next: RegExp])[] = [
  [
    'refused-token',
    /^production is down: the platform refuses the token \(since \d\d:\d\d UTC, next try in \d+ s\)\.$/,
    /^Renew the credentials\. The exporter reads a token file again by itself/,
  ],
  [
    'rate-limited',
    /^production is fresh in part: the platform refuses reads \(429\), next try in .*\.$/,
    /^The exporter sends requests again when the platform allows them\./,
  ],
  [
    'platform-down',
    /^production is down: the platform answers 503 \(since \d\d:\d\d UTC, next try in .*\)\.$/,
    /^The platform is at fault: see its status page\./,
  ],
  [
    'missing-permission',
    /^production is down: the token lacks the permission Analytics: HTTP 403: Forbidden\.$/,
    /^Grant Analytics to the token’s user/,
  ],
  [
    'web-page',
    /^production is down: answers 400 with HTML, unlike the platform's API: is api_url right\? \(since \d\d:\d\d UTC, (next try in .*|being tried now)\)\.$/,
    /^Run edge-exporter doctor to find where it breaks: name, network, proxy, TLS or address\./,
  ],
  [
    'late-data',
    // The platform is 25 min late. Data of a platform that is in time are up to 5 min old.
    /^production shows data up to (2[5-9]|30) min( \d+ s)? old: the platform is late\.$/,
    /^Polls succeed, but the platform has nothing newer, or answers slowly\. Counters catch up when it does\. See which\.$/,
  ],
  [
    'missing-state',
    /counters are withheld: the state directory \/var\/lib\/edge-exporter cannot be used\.$/,
    /^Make it exist, writable and with room: counters go on where they were/,
  ],
];

async function verdictIn(trouble: string) {
  const simulation = (await TROUBLES[trouble]?.()) as Simulation;
  vi.useFakeTimers({ toFake: ['Date'], now: simulation.clock.wall() });
  const { page } = await visit(() => statusOf(simulation), { width: 1000 });
  return page.locator('#verdict');
}

test.each(SAID)(
  '%s: the first sentence names the cause, the second what to do',
  async (trouble, cause, next) => {
    const box = await verdictIn(trouble);
    expect(await box.locator('.says').textContent()).toMatch(cause);
    expect(await box.locator('.next').first().textContent()).toMatch(next);
  },
);

test('attack: the page says that the exporter is well, since the trouble is in the traffic', async () => {
  const box = await verdictIn('attack');
  expect(await box.textContent()).toMatch(/^\s*production is fresh: the oldest data is [^;]* old\.\s*$/);
});
