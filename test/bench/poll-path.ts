import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { simulate } from '../simulation/simulation.ts';

/**
 * How much code one steady poll of one metric enters, from its being due to its result's being exposed; apart from it,
 * the tick that makes it due, and what the rest of a minute does anyway: `npm run bench -- poll-path`.
 */
const SECOND = 1 / 60;

/** Longer (ms) than changes wait to be rendered together. */
const RENDERED_MS = 300;

const simulation = await simulate({
  // The exporter's clock is ahead, so that buckets close five seconds after its minutes begin: nothing else falls due then.
  skew: 5_000,
  sandbox: { configurations: 1 },
  // As in the process that users run: what a poll has found is rendered soon, unasked.
  rendersAhead: true,
  account: {
    reconciliation_share: 0,
    collectors: {
      metrics: {
        schedule: '2 * * * * *',
        // The one configuration has two domains, each of which is read for itself.
        products: { edge_applications: { metrics: ['waf'] } },
      },
    },
  },
});
// Away from the minute in which the lists of configurations are read.
await simulation.minutes(35 - 4 * SECOND);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

interface Entered {
  readonly file: string;
  readonly functions: ReadonlyMap<string, number>;
}

/** The functions of the program that are entered within so many seconds. */
async function enteredWithin(seconds: number): Promise<readonly Entered[]> {
  await session.post('Profiler.takePreciseCoverage');
  await simulation.minutes(seconds * SECOND);
  await sleep(RENDERED_MS);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.includes('/src/') && !/\/(node_modules|src\/sandbox)\//.test(url))
    .map(({ url, functions }) => ({
      file: url.replace(/^.*\/src\//, ''),
      functions: new Map(
        functions
          .map(({ functionName, ranges }) => [functionName, ranges[0]?.count ?? 0] as const)
          .filter(([name, count]) => name !== '' && count > 0),
      ),
    }))
    .filter(({ functions }) => functions.size > 0);
}

const requests = () => simulation.sandbox.requests.total;
const atFirst = requests();
const tick = await enteredWithin(2);
const beforePolls = requests();
const poll = await enteredWithin(4);
const polls = requests() - beforePolls;
const upkeep = await enteredWithin(54);
if (beforePolls !== atFirst || polls !== 2 || requests() !== beforePolls + polls)
  throw new Error('the seconds of the polls have something else in them, or the polls are elsewhere');
await simulation.close();

show(`${polls} polls of one metric`, poll);
show('the tick that makes them due', tick);
show('the rest of the minute', upkeep);

function show(what: string, entered: readonly Entered[]): void {
  const calls = entered.flatMap(({ functions }) => [...functions.values()]);
  const sum = calls.reduce((all, count) => all + count, 0);
  process.stdout.write(`${what}: ${entered.length} files, ${calls.length} functions, ${sum} calls\n`);
  const folders = new Map<string, number>();
  for (const { file } of entered) {
    const folder = file.includes('/') ? file.replace(/\/.*$/, '') : '.';
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const counts = [...folders].map(([folder, files]) => `${folder} ${files}`).sort();
  process.stdout.write(`  ${counts.join(', ')}\n`);
  if (!process.argv.includes('--files')) return;
  for (const { file, functions } of entered.toSorted((a, b) => a.file.localeCompare(b.file)))
    process.stdout.write(`  ${file}: ${[...functions.keys()].join(' ')}\n`);
}
