import { expect, it, onTestFinished } from 'vitest';
import { isBucketFamily } from '../../src/exporter/push/protocol.ts';
import { DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { type Simulation, simulate } from '../simulation/simulation.ts';
import { compareSamples, type Difference } from './expected-samples.ts';
import { PUSH_RECEIVERS, type PushReceiver } from './push-receivers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const ACCOUNT = {
  collectors: {
    metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } },
    digital_certificates: { schedule: '*/2 * * * *' },
    waf_rulesets: { schedule: '*/2 * * * *' },
  },
};

async function startReceivers() {
  const started = Object.entries(PUSH_RECEIVERS).map(async ([name, start]) => {
    const receiver = await start();
    onTestFinished(() => receiver.stop());
    return { name, receiver };
  });
  return await Promise.all(started);
}

const nameOf = (key: string): string => JSON.parse(key)[0];

async function shownNow(simulation: Simulation): Promise<ReadonlyMap<string, number>> {
  const { samples } = await simulation.scrape();
  return new Map(
    [...samples].filter(([key]) => !isBucketFamily(nameOf(key)) && !nameOf(key).startsWith('edge_exporter_')),
  );
}

async function watch(simulation: Simulation, minutes: number) {
  const shown = new Map<string, (readonly [number, number])[]>();
  for (let minute = 0; minute < minutes; minute++) {
    const at = Math.floor(simulation.clock.wall() / MINUTE) * MINUTE + MINUTE / 2;
    await simulation.minutes((at - simulation.clock.wall()) / MINUTE);
    for (const [key, value] of await shownNow(simulation))
      shown.set(key, [...(shown.get(key) ?? []), [at, value]]);
    await simulation.minutes(0.5);
  }
  return shown;
}

async function renameCertificate({ sandbox }: Simulation, id: number, name: string): Promise<void> {
  const platform = await sandbox.listen(0);
  onTestFinished(() => platform.close());
  const response = await fetch(`${platform.url}/digital_certificates/${id}`, {
    method: 'PATCH',
    headers: {
      accept: 'application/json; version=3',
      authorization: `Token ${DEFAULT_TOKEN.token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name }),
  });
  expect(response.ok).toBe(true);
}

async function certificatesAt({ query }: PushReceiver, id: number, at: number): Promise<string[]> {
  const found = await query(`edge_certificate_info{certificate_id="${id}"}`, at);
  return [...found.keys()].map((key) => Object.fromEntries(JSON.parse(key)[1])['certificate']);
}

it('pushes what /metrics shows besides buckets at each minute, and ends what it shows no more', async () => {
  const receivers = await startReceivers();
  const simulation = await simulate({
    start: Math.floor((Date.now() - HOUR) / MINUTE) * MINUTE,
    account: ACCOUNT,
    push: receivers.map(({ name, receiver: { kind, url } }) => ({
      name,
      kind,
      url,
      families: ['edge_*', 'up'],
      labels: { job: 'edge-exporter' },
      // The request timeout is real time. A receiver on a busy machine could otherwise delay the next
      // snapshot.
      request: { timeout: '5m' },
    })),
  });
  const [certificate] = simulation.sandbox.account.certificates;
  if (certificate === undefined) throw new Error('the sandbox has no certificates');
  const { id, name: former } = certificate;
  const before = await watch(simulation, 8);
  await renameCertificate(simulation, id, 'another');
  const after = await watch(simulation, 5);
  await simulation.minutes(0.5);
  const own = [...(await simulation.scrape()).samples.keys()].filter((key) =>
    nameOf(key).startsWith('edge_exporter_'),
  );
  await simulation.minutes(0.5);
  const ended = simulation.clock.wall();

  const expected = new Map(
    [...new Set([...before.keys(), ...after.keys()])].map((key) => [
      key,
      [...(before.get(key) ?? []), ...(after.get(key) ?? [])],
    ]),
  );
  expect([...expected.keys()].map(nameOf)).toEqual(
    expect.arrayContaining(['edge_up', 'edge_waf_ruleset_info', 'edge_data_until_timestamp_seconds']),
  );
  for (const { name, receiver } of receivers) {
    const stored = new Map(
      [...(await receiver.stored())].map(([key, samples]) => [withoutJob(key), samples] as const),
    );
    const { samples, ...difference }: Difference = compareSamples(stored, expected);
    expect(difference, name).toEqual({ missing: [], doubled: [], wrong: [] });
    expect(samples).toBeGreaterThan(13 * 60);
    expect(own.filter((key) => !stored.has(key)).map(nameOf), name).toEqual([]);
    expect(await certificatesAt(receiver, id, ended - 6 * MINUTE), name).toEqual([former]);
    expect(await certificatesAt(receiver, id, ended), name).toEqual(['another']);
    expect(new Set((await receiver.query('up{job="edge-exporter"}', ended)).values()), name).toEqual(
      new Set([1]),
    );
  }
  expect(simulation.log.filter(({ level }) => level === 'error')).toEqual([]);
});

function withoutJob(key: string): string {
  const [name, labels] = JSON.parse(key) as [string, [string, string][]];
  return JSON.stringify([name, labels.filter(([label]) => label !== 'job')]);
}
