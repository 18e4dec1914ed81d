/**
 * How much code one steady poll of one metric enters, in the process that users run, with its state on disk, against the
 * embedded platform in another process: `npm run bench -- poll-path [--files] [--changes] [--minutes=4]`. The process is a copy in which
 * every function says when it is entered (`call-trace.ts`), so that all figures are exact. Left out are the database's
 * thread, and what is measured every second whether or not anything is polled.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Recorded } from './call-recorder.ts';
import { type Traced, traceInto } from './call-trace.ts';
import { ROOT } from './programs.ts';
import { pause } from './statistics.ts';

const { values } = parseArgs({
  options: {
    files: { type: 'boolean', default: false },
    changes: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '4' },
  },
});

const MINUTE_MS = 60_000;

/** So many polls are compared, those of the last minutes: the one with the fewest calls has the least of something else in it. */
const POLLS = 3;

/** From a tick on, all that is entered within this time (ms) is the poll's: other things happen every ten seconds. */
const WITHIN_MS = 8_000;

/** A timer may be early by so much (ms). */
const EARLY_MS = 50;

const PROGRAM = join(ROOT, '.cache', 'bench', 'traced');

const functions = traceInto(join(ROOT, '.cache', 'bench', 'src'), join(PROGRAM, 'src'));
cpSync(join(ROOT, 'package.json'), join(PROGRAM, 'package.json'));
const folder = mkdtempSync(join(tmpdir(), 'poll-path-'));
try {
  const polls = pollsOf(await record(Number(values.minutes)));
  const [fewest] = polls.toSorted((a, b) => a.fromTick.length - b.fromTick.length);
  if (fewest === undefined) throw new Error('no poll was alone in its minute');
  const calls = polls.map(({ fromTick }) => fromTick.length).join(', ');
  print(`The one with the fewest calls of ${polls.length} polls (from their ticks ${calls} calls):\n`);
  print(
    '| one steady poll | files | functions | calls | lines in those files | in those functions | changes of folder |',
  );
  print('|---|---|---|---|---|---|---|');
  print(row('request leaves → body rendered', fewest.fromRequest));
  print(row('cron tick → body rendered', fewest.fromTick));
  print(`\nFrom the tick:\n\n${byFolder(fewest.fromTick)}`);
  if (values.files) print(`\nFrom the request:\n\n${byFile(fewest.fromRequest)}`);
  if (values.changes) print(`\n${folderChanges(fewest.fromRequest)}`);
} finally {
  rmSync(folder, { recursive: true });
}

/** Runs the exporter for at least so many minutes, of one metric of one domain. */
async function record(minutes: number): Promise<Recorded> {
  const started: ChildProcess[] = [];
  const start = (path: string, args: readonly string[], preload: readonly string[]) => {
    const child = fork(path, args, { execArgv: [...preload], serialization: 'advanced', silent: true });
    started.push(child);
    child.stderr?.pipe(process.stderr);
    return child;
  };
  try {
    const options = join(folder, 'sandbox.yaml');
    writeFileSync(options, JSON.stringify({ configurations: 1, domains_per_configuration: 1 }));
    const platform = start(
      join(ROOT, 'dist', 'main.js'),
      ['sandbox', '--sandbox.listen-address=127.0.0.1:0', `--sandbox.config.file=${options}`],
      [],
    );
    if (platform.stdout === null) throw new Error('the platform says nothing');
    const [introduction] = await once(platform.stdout, 'data');
    const [url, token] = [/EDGE_API_URL=(\S+)/, /EDGE_TOKEN=(\S+)/].map(
      (pattern) => pattern.exec(String(introduction))?.[1],
    );
    const configuration = join(folder, 'exporter.yaml');
    const metrics = { products: { edge_applications: { metrics: ['waf'] } } };
    const account = { name: 'traced', api_url: url, token, collectors: { metrics } };
    writeFileSync(configuration, JSON.stringify({ accounts: [account] }));
    const exporter = start(
      join(PROGRAM, 'src', 'main.js'),
      [
        'serve',
        `--config.file=${configuration}`,
        `--state.dir=${join(folder, 'state')}`,
        '--web.listen-address=127.0.0.1:0',
        '--log.level=error',
      ],
      [`--import=${join(import.meta.dirname, 'call-recorder.js')}`],
    );
    // A few seconds into a minute, when its poll is over.
    const ends = Math.ceil(Date.now() / MINUTE_MS + minutes - 1) * MINUTE_MS + 10_000;
    process.stderr.write(`recording until ${new Date(ends).toISOString()} …\n`);
    await pause(ends - Date.now());
    exporter.send('what was entered?');
    const [recorded] = (await once(exporter, 'message')) as [Recorded];
    return recorded;
  } finally {
    for (const child of started) child.kill('SIGKILL');
  }
}

interface Poll {
  /** The functions entered, in their order. */
  readonly fromTick: readonly number[];
  readonly fromRequest: readonly number[];
}

/** The last polls, each the only one of its minute. */
function pollsOf({ entries, times }: Recorded): readonly Poll[] {
  const lastMinute = Math.floor((times.at(-1) ?? 0) / MINUTE_MS);
  return Array.from({ length: POLLS }, (_, index) => (lastMinute - index) * MINUTE_MS).flatMap((minute) => {
    const entered = entries.filter((_, index) => {
      const sinceTick = (times[index] ?? 0) - minute;
      return sinceTick >= -EARLY_MS && sinceTick < WITHIN_MS;
    });
    const requests = entered.filter((entry) => entry < 0);
    if (requests.length !== 1) return [];
    const isFunction = (entry: number) => entry >= 0;
    const leaves = entered.findIndex((entry) => entry < 0);
    return {
      fromTick: [...entered.filter(isFunction)],
      fromRequest: [...entered.slice(leaves).filter(isFunction)],
    };
  });
}

function row(name: string, entries: readonly number[]): string {
  const files = new Set(entries.map(fileOf));
  const lines = [...files].map(linesIn);
  const folders = entries.map(folderOf);
  const changes = folders.filter((each, index) => index > 0 && each !== folders[index - 1]).length;
  const figures = [
    files.size,
    new Set(entries).size,
    entries.length,
    lines.reduce((sum, count) => sum + count, 0),
    linesOf(new Set(entries)),
    changes,
  ];
  return `| ${[name, ...figures.map((figure) => figure.toLocaleString('en'))].join(' | ')} |`;
}

/** How many lines the functions have, as compiled: one within another counts once. */
function linesOf(entries: ReadonlySet<number>): number {
  const lines = new Set<string>();
  for (const entry of entries) {
    const { file, from, to } = tracedBy(entry);
    for (let line = from; line < to; line += 1) lines.add(`${file} ${line}`);
  }
  return lines.size;
}

/** From which function of one folder to which of another the path changes, the most often first. */
function folderChanges(entries: readonly number[]): string {
  const counts = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1];
    if (before === undefined || folderOf(before) === folderOf(entry)) continue;
    const change = `${nameOf(before)} | ${nameOf(entry)}`;
    counts.set(change, (counts.get(change) ?? 0) + 1);
  }
  const rows = [...counts].toSorted(([, a], [, b]) => b - a);
  return table(['from', 'to', 'times'], rows);
}

function byFolder(entries: readonly number[]): string {
  const rows = byPlace(entries, folderOf).map(([folder, entered]) => [
    folder,
    new Set(entered.map(fileOf)).size,
    new Set(entered).size,
    entered.length,
  ]);
  return table(['folder', 'files', 'functions', 'calls'], rows);
}

/** A file of which few lines are in functions entered may have two roles, of which one is not on the path. */
function byFile(entries: readonly number[]): string {
  const rows = byPlace(entries, fileOf).map(([file, entered]) => {
    const functions = new Set(entered);
    return [file, functions.size, entered.length, linesIn(file), linesOf(functions)];
  });
  return table(['file', 'functions', 'calls', 'lines', 'in those functions'], rows);
}

/** How often functions of each place are entered, the most often first. */
function byPlace(
  entries: readonly number[],
  placeOf: (entry: number) => string,
): readonly (readonly [place: string, entered: readonly number[]])[] {
  const places = new Map<string, number[]>();
  for (const entry of entries) {
    const place = placeOf(entry);
    const entered = places.get(place);
    if (entered === undefined) places.set(place, [entry]);
    else entered.push(entry);
  }
  return [...places].toSorted(([, a], [, b]) => b.length - a.length);
}

function table(names: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.toLocaleString('en')));
  const ruler = names.map(() => '---');
  return [names, ruler, ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** How many lines a file of the sources has. */
function linesIn(file: string): number {
  return readFileSync(join(ROOT, 'src', file), 'utf8').split('\n').length - 1;
}

function tracedBy(entry: number): Traced {
  const traced = functions[entry];
  if (traced === undefined) throw new Error(`no function ${entry}`);
  return traced;
}

function fileOf(entry: number): string {
  return tracedBy(entry).file;
}

function folderOf(entry: number): string {
  return dirname(fileOf(entry));
}

function nameOf(entry: number): string {
  const { file, name } = tracedBy(entry);
  return `${file.replace(/\.ts$/, '')} ${name}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
