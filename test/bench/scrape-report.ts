/** The results of `npm run bench`, as Markdown. */
import { cpus } from 'node:os';
import type { JobsMeasured } from './jobs.ts';
import type { Measured } from './scrape-measure.ts';
import { exponent, median, quantile } from './statistics.ts';

type Column = readonly [head: string, of: (one: Measured) => number | undefined, digits: number];

const SIZE: readonly Column[] = [
  ['series', ({ series }) => series, 0],
  ['accounts', ({ accounts }) => accounts, 0],
];

const floorOf = ({ quiet }: Measured) => median(quiet.get('file') ?? []);
const quietOf = ({ quiet }: Measured, share = 0.5) => quantile(quiet.get('exporter') ?? [], share);
const pollingOf = ({ polling }: Measured, share = 0.5) => quantile(polling, share);
const floorPollingOf = ({ floorPolling }: Measured, share = 0.5) => quantile(floorPolling, share);
const peerOf = (name: string) => (one: Measured) => median(one.quiet.get(name) ?? []);

const SCRAPES: readonly Column[] = [
  ...SIZE,
  ['kB gzip', ({ gzipBytes }) => gzipBytes / 1_000, 0],
  ['floor p50', floorOf, 2],
  ['quiet p50', quietOf, 2],
  ['x floor', (one) => quietOf(one) / floorOf(one), 2],
  ['quiet p99', (one) => quietOf(one, 0.99), 2],
  ['n', ({ quiet }) => quiet.get('exporter')?.length, 0],
  ['prom-client p50', peerOf('prom-client'), 2],
  ['Pushgateway p50', peerOf('pushgateway'), 2],
  ['Prometheus', ({ prometheus }) => prometheus.get('exporter'), 2],
  ['of the floor', ({ prometheus }) => prometheus.get('file'), 2],
];

const POLLING: readonly Column[] = [
  ...SIZE,
  ['polling p50', pollingOf, 2],
  ['floor while polling', floorPollingOf, 2],
  ['ratio', (one) => pollingOf(one) / floorPollingOf(one), 2],
  ['x quiet floor p50', (one) => pollingOf(one) / floorOf(one), 2],
  ['polling p99', (one) => pollingOf(one, 0.99), 2],
  ['floor while polling p99', (one) => floorPollingOf(one, 0.99), 2],
  ['ratio p99', (one) => pollingOf(one, 0.99) / floorPollingOf(one, 0.99), 2],
  ['x quiet floor p50', (one) => pollingOf(one, 0.99) / floorOf(one), 2],
  ['n', ({ polling }) => polling.length, 0],
  ['n of the floor', ({ floorPolling }) => floorPolling.length, 0],
];

const COSTS: readonly Column[] = [
  ...SIZE,
  ['CPU per scrape', ({ cpuPerScrape }) => cpuPerScrape.get('exporter'), 2],
  ['of the floor', ({ cpuPerScrape }) => cpuPerScrape.get('file'), 2],
  ['CPU per poll', ({ costs }) => costs.perPoll, 2],
  ['polls', ({ costs }) => costs.polls, 0],
  ['a bare read', ({ cpuPerRead }) => cpuPerRead, 2],
  ['JSON.parse', ({ parseMs }) => parseMs, 3],
  ['idle CPU a minute', ({ costs }) => costs.idlePerMinute, 0],
];

/** Steps by which points come from the platform to a scrape: what `JSON.parse` and what they take for an answer (CPU ms). */
const STEPS: readonly (readonly [
  step: string,
  of: (one: Measured) => readonly [number, number] | undefined,
])[] = [
  ['bare read', ({ parseMs, cpuPerRead }) => [parseMs, cpuPerRead]],
  ['decoded', ({ ingest }) => ingest && [ingest.parse, ingest.decode]],
  ['one by one', ({ ingest }) => ingest && [ingest.parse, ingest.singly]],
  ['16 at once', ({ ingest }) => ingest && [ingest.parse, ingest.together]],
  ['whole poll', ({ parseMs, costs }) => [parseMs, costs.perPoll]],
];

const POINTS: readonly Column[] = [
  ...SIZE,
  ['JSON.parse points/s', ({ points, parseMs }) => (1_000 * points) / parseMs, 0],
  ...STEPS.flatMap(([step, of]): Column[] => {
    const perSecond = (one: Measured) => (1_000 * one.points) / Number(of(one)?.[1]);
    const share = (one: Measured) => Number(of(one)?.[0]) / Number(of(one)?.[1]);
    return [
      [step, perSecond, 0],
      ['of JSON.parse', share, 3],
    ];
  }),
];

const memoryColumns = (base: Measured | undefined): readonly Column[] => {
  const perSeries = (one: Measured, key: 'rss' | 'heap') =>
    base === undefined || one === base ? undefined : (one[key] - base[key]) / (one.series - base.series);
  return [
    ['RSS B/series', (one) => perSeries(one, 'rss'), 0],
    ['heap B/series', (one) => perSeries(one, 'heap'), 0],
    ['RSS MB', ({ rss }) => rss / 1e6, 0],
    ['longest block ms', ({ block }) => block.longest, 0],
    ['of its own', ({ block }) => block.longestOwn, 0],
  ];
};

function cell(value: number | undefined, digits: number): string {
  return value !== undefined && Number.isFinite(value) ? value.toFixed(digits) : '–';
}

/** A row each of these; of numbers, but for the first column. */
function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...others] = rows;
  return [head, head.map(() => '--:'), ...others].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function tableOf(columns: readonly Column[], all: readonly Measured[]): string {
  const rows = all.map((one) => columns.map(([, of, digits]) => cell(of(one), digits)));
  return table([columns.map(([head]) => head), ...rows]);
}

function jobsTable(jobs: readonly JobsMeasured[]): string {
  const rows = jobs.map(({ what, ms, bytes, block, count }) => [
    what,
    cell(ms, 1),
    cell(bytes === undefined ? undefined : bytes / 1_000, 0),
    cell(block.longest, 1),
    cell(block.longestOwn, 1),
    `${count}`,
  ]);
  return table([['', 'ms', 'kB', 'longest block ms', 'of its own', 'n'], ...rows]);
}

export interface Results {
  readonly sizes: readonly Measured[];
  readonly jobs: readonly JobsMeasured[];
  /** How many jobs that was. */
  readonly jobCount: number;
}

export function report({ sizes, jobs, jobCount }: Results): string {
  const alone = sizes.filter(({ accounts }) => accounts === 1);
  const slopeOf = (of: (one: Measured) => number) =>
    cell(exponent(alone.map((one) => [one.series, of(one)] as const)), 2);
  return `# Scrapes of the process that users run

${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}. Made by \`npm run bench\`; [how](README.md#scrapes).

Times in ms, of compressed scrapes to the last byte, asked one after another. The floor is the same bytes from a static buffer on
node:http. A scrape is quiet when no answer of the platform came in the second before it. "Prometheus" is the median \`scrape_duration_seconds\` of a real one. n is how many were measured.

${tableOf(SCRAPES, sizes)}

While polling: an answer left the platform during the scrape or at most 5 ms before. The floor while polling is the same static buffer in a process
that reads the same answers at the same moments, and does nothing with them but \`JSON.parse\`.

${tableOf(POLLING, sizes)}

CPU in ms. That of polls is what the process used while they came, in a minute without scrapes, less what it uses in as long a time
without polls; the rest of the minute is the last column of this table. A bare read is a GET by undici and \`JSON.parse\`, of the same answer.

${tableOf(COSTS, sizes)}

Points that a second of CPU takes, and as a share of what \`JSON.parse\` alone takes: by a bare read; decoded, once they are parsed; inside the
process from bytes to the body of a scrape, without HTTP, one answer by one and 16 at once; by a whole poll, from the socket to ready bytes.
No poll can do better than a bare read.

${tableOf(POINTS, sizes)}

Memory per series is the difference to the first row; heap is that with external memory, at its least. The longest block is that of the
event loop over about a minute of polling and scraping, 1 ms of measuring included; the longest of its own is without what the main thread
waited for a CPU that other processes ran on; what it waited for the collector's helpers is in both.

${tableOf([...SIZE, ...memoryColumns(sizes[0])], sizes)}
${
  jobs.length === 0
    ? ''
    : `
An account of ${jobCount} jobs. The longest block is the longest turn of the event loop, in the median of n times.

${jobsTable(jobs)}
`
}
Exponents fitted over the rows of one account (1 is linear): floor ${slopeOf(floorOf)}, quiet scrape ${slopeOf(quietOf)}, scrape while polling ${slopeOf(pollingOf)}, CPU per poll ${slopeOf(({ costs }) => costs.perPoll)}, RSS ${slopeOf(({ rss }) => rss)}.
`;
}
