import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Receiver } from '../configuration/push-settings.ts';
import { parsedJson } from '../text/json.ts';
import { LineFile } from './spool.ts';

const pushedLine = z.strictObject({
  /** Which of the plan's series, by its number. */
  series: z.int().nonnegative(),
  /** So many of its buckets the receiver has answered for. */
  buckets: z.int().nonnegative(),
  sent: z.int().nonnegative(),
  /** By reason. */
  refused: z.record(z.string(), z.int().nonnegative()),
});

/** What a receiver has answered for. */
type PushedLine = z.output<typeof pushedLine>;

/** The files that these records are kept in. */
export function isPushedRecord(name: string): boolean {
  return /^pushed-[0-9a-f]{16}\.jsonl$/.test(name);
}

/**
 * How much of a history one receiver has, kept beside what was read. A line is written after the receiver has answered:
 * what was under way when the process ended is sent again, and is the same.
 */
export class PushedRecord {
  readonly #file: LineFile<PushedLine>;
  readonly #buckets = new Map<number, number>();
  readonly #refused = new Map<string, number>();
  #sent = 0;

  private constructor(path: string) {
    this.#file = new LineFile(path, (text) => pushedLine.safeParse(parsedJson(text)).data);
  }

  /** Opens the record of a receiver, which is another's when it takes other samples or is somewhere else. */
  static async open(folder: string, receiver: Receiver): Promise<PushedRecord> {
    const { name, kind, url, families, accounts, labels } = receiver;
    const identity = JSON.stringify([name, kind, url, families, accounts, labels]);
    const digest = createHash('sha256').update(identity).digest('hex').slice(0, 16);
    const record = new PushedRecord(join(folder, `pushed-${digest}.jsonl`));
    for (const line of await record.#file.recover()) record.#note(line);
    return record;
  }

  /** How many buckets of a series need no sending. */
  buckets(series: number): number {
    return this.#buckets.get(series) ?? 0;
  }

  /** How many samples the receiver has taken. */
  get sent(): number {
    return this.#sent;
  }

  /** How many it has refused for good, by reason. */
  get refused(): ReadonlyMap<string, number> {
    return this.#refused;
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
    this.#sent += sent;
    for (const [reason, samples] of Object.entries(refused)) {
      this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + samples);
    }
  }
}
