import { appendFile, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSpoolLine, type SpoolLine, type SpoolRecord } from './spool-record.ts';

const NEWLINE = 0x0a;

/**
 * What was read of one metric of one target, a window a line, in a file of its own. What is written stays, whenever
 * the process ends; a line that was cut off by its end is cut off whole, and its window read again.
 */
export class Spool {
  readonly #path: string;
  readonly #windows = new Set<number>();
  readonly #dimensions = new Set<string>();
  #vanished = false;
  /** Lines are written one after another, so that they cannot get into each other. */
  #writing: Promise<unknown> = Promise.resolve();

  readonly #isWhole: (record: SpoolRecord) => boolean;
  #lacking = 0;

  private constructor(path: string, isWhole: (record: SpoolRecord) => boolean) {
    this.#path = path;
    this.#isWhole = isWhole;
  }

  /**
   * Opens the spool with this number, which may have been begun before.
   * @param isWhole whether a window has all the buckets that it should
   */
  static async open(
    folder: string,
    number: number,
    isWhole: (record: SpoolRecord) => boolean,
  ): Promise<Spool> {
    const spool = new Spool(join(folder, `${String(number).padStart(5, '0')}.jsonl`), isWhole);
    await spool.#recover();
    return spool;
  }

  /** Whether the platform does not know what is read here. */
  get vanished(): boolean {
    return this.#vanished;
  }

  /** In how many windows the platform had fewer buckets than it should. */
  get lacking(): number {
    return this.#lacking;
  }

  get dimensions(): ReadonlySet<string> {
    return this.#dimensions;
  }

  has(window: number): boolean {
    return this.#windows.has(window);
  }

  /** How many of the windows need no more reading. */
  done(windows: number): number {
    return this.#vanished ? windows : this.#windows.size;
  }

  /**
   * Keeps a line; resolves with how many of the windows need no more reading because of it. Once there is nothing to
   * read, that is none: windows that were under way by then bring nothing.
   */
  append(line: SpoolLine, windows: number): Promise<number> {
    const written = this.#writing.then(() => this.#write(line, windows));
    // After a failure nothing more is written: half a line may be there, and what follows must not join it.
    this.#writing = written;
    return written;
  }

  /** Everything read, by the order of the windows. */
  async records(): Promise<SpoolRecord[]> {
    const records: SpoolRecord[] = [];
    for (const { line } of linesOf(await this.#bytes())) if ('window' in line) records.push(line);
    return records.sort((a, b) => a.window - b.window);
  }

  async #write(line: SpoolLine, windows: number): Promise<number> {
    if (this.#vanished) return 0;
    await appendFile(this.#path, `${JSON.stringify(line)}\n`);
    const before = this.done(windows);
    this.#note(line);
    return this.done(windows) - before;
  }

  async #recover(): Promise<void> {
    const bytes = await this.#bytes();
    let end = 0;
    for (const { line, endsAt } of linesOf(bytes)) {
      this.#note(line);
      end = endsAt;
    }
    if (end < bytes.length) await truncate(this.#path, end);
  }

  async #bytes(): Promise<Buffer> {
    try {
      return await readFile(this.#path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    }
  }

  #note(line: SpoolLine): void {
    if ('vanished' in line) {
      this.#vanished = true;
      return;
    }
    this.#windows.add(line.window);
    if (!this.#isWhole(line)) this.#lacking += 1;
    for (const dimension of Object.keys(line.series)) this.#dimensions.add(dimension);
  }
}

/** The lines that were written whole, up to the first that was not. */
function* linesOf(bytes: Buffer): Generator<{ readonly line: SpoolLine; readonly endsAt: number }> {
  let from = 0;
  for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
    const line = parseSpoolLine(bytes.toString('utf8', from, to));
    if (line === undefined) return;
    from = to + 1;
    yield { line, endsAt: from };
  }
}
