import { createHash } from 'node:crypto';
import {
  access,
  appendFile,
  constants,
  mkdir,
  opendir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Receiver } from '../configuration/push-settings.ts';
import type { Points } from '../decode/points.ts';
import { LOCK_FILE, StateInUse, unlessMissing } from '../state/directory.ts';
import { LockedDirectory } from '../state/sqlite.ts';
import { parsedJson } from '../text/received.ts';
import { type HistoryPlan, type HistoryWindow, parsePlan } from './history-plan.ts';
import { BackfillRefusal, fileTrouble, Misuse } from './refusal.ts';

const NEWLINE = 0x0a;

/** A file with a JSON document a line. What is written stays; a line that was cut off by a sudden end is cut off whole. */
function lineFile<Line>(path: string, parse: (text: string) => Line | undefined) {
  return {
    path,
    /** The lines that were written whole, up to the first that was not; that is cut off, so that no further line joins it. */
    async lines(): Promise<Line[]> {
      const bytes = (await unlessMissing(readFile(path))) ?? Buffer.alloc(0);
      const lines: Line[] = [];
      let end = 0;
      for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, end)) {
        const line = parse(bytes.toString('utf8', end, to));
        if (line === undefined) break;
        lines.push(line);
        end = to + 1;
      }
      if (end < bytes.length) await truncate(path, end);
      return lines;
    },
    append: (line: Line): Promise<void> => appendFile(path, `${JSON.stringify(line)}\n`),
  };
}

/** What was read of one metric of one target, a window a line, in a file of its own. */
export class Spool {
  readonly #file: ReturnType<typeof lineFile<SpoolLine>>;
  readonly #windows = new Set<number>();
  readonly dimensions = new Set<string>();
  /** Whether the platform does not know what is read here. */
  vanished = false;
  /** In how many windows the platform had fewer buckets than it should. */
  lacking = 0;
  /** Lines are written one after another, so that they cannot get into each other. */
  #writing: Promise<unknown> = Promise.resolve();

  readonly #isWhole: (record: SpoolRecord) => boolean;

  private constructor(path: string, isWhole: (record: SpoolRecord) => boolean) {
    this.#file = lineFile(path, parseSpoolLine);
    this.#isWhole = isWhole;
  }

  /** Opens the spool with this number, which may have been begun before. @param isWhole whether a window has all its buckets */
  static async open(
    folder: string,
    number: number,
    isWhole: (record: SpoolRecord) => boolean,
  ): Promise<Spool> {
    const spool = new Spool(join(folder, `${String(number).padStart(5, '0')}.jsonl`), isWhole);
    for (const line of await spool.#file.lines()) spool.#note(line);
    return spool;
  }

  has(window: number): boolean {
    return this.#windows.has(window);
  }

  /** How many of the windows need no more reading. */
  done(windows: number): number {
    return this.vanished ? windows : this.#windows.size;
  }

  /** Keeps a line; resolves with how many windows need no more reading because of it: none where there is nothing to read. */
  append(line: SpoolLine, windows: number): Promise<number> {
    const written = this.#writing.then(() => this.#write(line, windows));
    // After a failure nothing more is written: half a line may be there, and what follows must not join it.
    this.#writing = written;
    return written;
  }

  /** Everything read, by the order of the windows. */
  async records(): Promise<SpoolRecord[]> {
    const lines = await this.#file.lines();
    return lines.filter((line) => 'window' in line).sort((a, b) => a.window - b.window);
  }

  async #write(line: SpoolLine, windows: number): Promise<number> {
    if (this.vanished) return 0;
    await this.#file.append(line);
    const before = this.done(windows);
    this.#note(line);
    return this.done(windows) - before;
  }

  #note(line: SpoolLine): void {
    if ('vanished' in line) {
      this.vanished = true;
      return;
    }
    this.#windows.add(line.window);
    if (!this.#isWhole(line)) this.lacking += 1;
    for (const dimension of Object.keys(line.series)) this.dimensions.add(dimension);
  }
}

const spoolRecord = z.strictObject({
  window: z.int().nonnegative(),
  /** Of the buckets, in ms; null when the answer did not show it. */
  width: z.number().positive().nullable(),
  /** Starts of the buckets, ascending. */
  times: z.array(z.number()),
  /** A value for each of the times, by dimension; null where the platform has none. */
  series: z.record(z.string(), z.array(z.number().nullable())),
});

const vanished = z.strictObject({ vanished: z.literal(true) });

/** The buckets that start within one window, of all dimensions of a metric. */
export type SpoolRecord = z.output<typeof spoolRecord>;

/** A line of a spool: a window, or that the platform does not know the metric or its configuration. */
export type SpoolLine = SpoolRecord | z.output<typeof vanished>;

const spoolLine = z.union([spoolRecord, vanished]);

/** The line of a text, or undefined when it was not written to its end. */
export function parseSpoolLine(text: string): SpoolLine | undefined {
  return spoolLine.safeParse(parsedJson(text)).data;
}

/** Of an answer what belongs to a window. */
export function recordOf(
  { index, from, to }: HistoryWindow,
  series: ReadonlyMap<string, Points>,
  width: number | undefined,
): SpoolRecord {
  const starts = new Set<number>();
  for (const { timestamps } of series.values()) {
    for (const time of timestamps) if (time >= from && time < to) starts.add(time);
  }
  const times = [...starts].sort((a, b) => a - b);
  const places = new Map(times.map((time, place) => [time, place]));
  const columns = [...series].map(([dimension, points]) => [dimension, column(points, places)] as const);
  return { window: index, width: width ?? null, times, series: Object.fromEntries(columns) };
}

function column({ timestamps, values }: Points, places: ReadonlyMap<number, number>): (number | null)[] {
  const filled = new Array<number | null>(places.size).fill(null);
  for (let index = 0; index < timestamps.length; index += 1) {
    const place = places.get(Number(timestamps[index]));
    if (place !== undefined) filled[place] = values[index] ?? null;
  }
  return filled;
}

/** What two answers to a window have brought; where both have a bucket, or their widths differ, the later one holds. */
export function together(earlier: SpoolRecord | undefined, later: SpoolRecord): SpoolRecord {
  if (earlier === undefined || earlier.width !== later.width) return later;
  const times = [...new Set([...earlier.times, ...later.times])].sort((a, b) => a - b);
  const names = [...new Set([...Object.keys(earlier.series), ...Object.keys(later.series)])];
  const columns = names.map((name) => {
    const values = new Map([...valuesOf(earlier, name), ...valuesOf(later, name)]);
    return [name, times.map((time) => values.get(time) ?? null)] as const;
  });
  return { ...later, times, series: Object.fromEntries(columns) };
}

function valuesOf({ times, series }: SpoolRecord, name: string): [time: number, value: number][] {
  return (series[name] ?? []).flatMap((value, index) => {
    return value === null ? [] : [[Number(times[index]), value] as [number, number]];
  });
}

/** Whether every dimension has every bucket that starts in the window and ends by `end`. */
export function isWhole(
  { width, times, series }: SpoolRecord,
  { from, to }: HistoryWindow,
  end: number,
): boolean {
  const [first] = times;
  const columns = Object.values(series);
  if (first === undefined || columns.length === 0) return false;
  if (columns.some((values) => values.includes(null))) return false;
  // A bucket as long as the window: its width shows only beside its neighbours.
  if (width === null) return true;
  const start = from + ((((first - from) % width) + width) % width);
  const expected = Math.min(Math.ceil((to - start) / width), Math.floor((end - start) / width));
  return times.filter((time) => time + width <= end).length === expected;
}

const pushedLine = z.strictObject({
  /** Which of the plan's series, by its number. */
  series: z.int().nonnegative(),
  /** So many of its buckets the receiver has answered for. */
  buckets: z.int().nonnegative(),
  sent: z.int().nonnegative(),
  /** By reason. */
  refused: z.record(z.string(), z.int().nonnegative()),
});

type PushedLine = z.output<typeof pushedLine>;

/** How much of a history one receiver has: a line is written after it has answered, so that what is sent again is the same. */
export class PushedRecord {
  readonly #file: ReturnType<typeof lineFile<PushedLine>>;
  readonly #buckets = new Map<number, number>();
  /** How many samples the receiver has refused for good, by reason, and how many it has taken. */
  readonly refused = new Map<string, number>();
  sent = 0;

  private constructor(path: string) {
    this.#file = lineFile(path, (text) => pushedLine.safeParse(parsedJson(text)).data);
  }

  /** Opens the record of a receiver, which is another's when it takes other samples or is somewhere else. */
  static async open(folder: string, receiver: Receiver): Promise<PushedRecord> {
    const { name, kind, url, families, accounts, labels } = receiver;
    const identity = JSON.stringify([name, kind, url, families, accounts, labels]);
    const digest = createHash('sha256').update(identity).digest('hex').slice(0, 16);
    const record = new PushedRecord(join(folder, `pushed-${digest}.jsonl`));
    for (const line of await record.#file.lines()) record.#note(line);
    return record;
  }

  /** How many buckets of a series need no sending. */
  buckets(series: number): number {
    return this.#buckets.get(series) ?? 0;
  }

  async append(line: PushedLine): Promise<void> {
    await this.#file.append(line);
    this.#note(line);
  }

  /** Forgets all of it: the next run sends everything again. */
  async forget(): Promise<void> {
    await rm(this.#file.path, { force: true });
  }

  #note({ series, buckets, sent, refused }: PushedLine): void {
    this.#buckets.set(series, buckets);
    this.sent += sent;
    for (const [reason, samples] of Object.entries(refused)) {
      this.refused.set(reason, (this.refused.get(reason) ?? 0) + samples);
    }
  }
}

const PLAN_FILE = 'plan.json';

/** The folder beside the output, or where it would be, in which a history grows, so that it is only ever seen whole under its own name. */
export class WorkFolder {
  readonly path: string;
  readonly #output: string;
  #lock: LockedDirectory | undefined;

  constructor(output: string) {
    this.#output = output;
    this.path = join(dirname(output), `${basename(output)}.partial`);
  }

  /** Where the text is written before it is whole. */
  get unfinished(): string {
    return join(this.path, basename(this.#output));
  }

  /** Looks, before the platform is asked, whether there is a place for the output. @throws BackfillRefusal where not */
  async checkPlace(): Promise<void> {
    const parent = resolve(dirname(this.#output));
    try {
      await (await opendir(parent)).close();
      await access(parent, constants.W_OK | constants.X_OK);
    } catch (error) {
      const trouble = fileTrouble(error);
      if (trouble === undefined) throw error;
      throw new Misuse(`the folder of --output: ${trouble}`);
    }
  }

  /** What is under the output's name now. */
  async output(): Promise<'nothing' | 'file' | 'folder' | 'no file'> {
    const found = await unlessMissing(stat(this.#output));
    if (found === undefined) return 'nothing';
    if (found.isFile()) return 'file';
    return found.isDirectory() ? 'folder' : 'no file';
  }

  /** The plan of a history that was begun here; undefined when there is none. */
  async begun(): Promise<HistoryPlan | undefined> {
    if ((await unlessMissing(stat(this.path))) === undefined) return undefined;
    const text = await unlessMissing(readFile(join(this.path, PLAN_FILE), 'utf8'));
    const plan = text === undefined ? undefined : parsePlan(text);
    if (plan === undefined && (await this.#isForeign(text))) {
      throw new Misuse(`${this.path} exists and was not created by backfill`);
    }
    return plan;
  }

  /** Keeps other backfills out until `release`. @param begun what `begun` said before: another may have been at work since */
  async lock(begun: HistoryPlan | undefined): Promise<void> {
    await makeFolder(this.path);
    try {
      this.#lock = await LockedDirectory.lock(this.path);
    } catch (error) {
      if (!(error instanceof StateInUse)) throw error;
      throw new BackfillRefusal(`another backfill is running in ${this.path}`);
    }
    if (isDeepStrictEqual(begun, await this.begun())) return;
    throw new BackfillRefusal(`another backfill has used ${this.path} in the meantime`);
  }

  async release(): Promise<void> {
    await this.#lock?.release();
    this.#lock = undefined;
  }

  /** Starts over with a plan. */
  async begin(plan: HistoryPlan): Promise<void> {
    for (const name of await readdir(this.path)) {
      if (isKept(name)) await rm(join(this.path, name));
    }
    const path = join(this.path, PLAN_FILE);
    await writeFile(`${path}.new`, `${JSON.stringify(plan, undefined, 2)}\n`, { flush: true });
    await rename(`${path}.new`, path);
  }

  /** Renames the complete file, which is on disk, to its final name, and cleans up. */
  async finish(): Promise<void> {
    await rename(this.unfinished, this.#output);
    await this.remove();
  }

  /** Removes what was kept of a history that is complete. */
  async remove(): Promise<void> {
    // First what makes it a history that was begun: whatever is left after a sudden end is only remains.
    await rm(join(this.path, PLAN_FILE));
    await this.release();
    await rm(this.path, { recursive: true });
  }

  /** Whether a folder without a readable plan holds anything that a backfill does not leave. */
  async #isForeign(planText: string | undefined): Promise<boolean> {
    if (planText !== undefined) return true;
    const own = new Set([LOCK_FILE, `${PLAN_FILE}.new`, basename(this.#output)]);
    return (await readdir(this.path)).some((name) => !own.has(name) && !isKept(name));
  }
}

/** The files of spools, and of what receivers have. */
function isKept(name: string): boolean {
  return /^(\d{5,}|pushed-[0-9a-f]{16})\.jsonl$/.test(name);
}

/** Creates a folder whose parent must exist: a mistyped path must not create folders. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
