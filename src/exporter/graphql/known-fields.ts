import { z } from 'zod';
import { unlessAborted } from '../clock.ts';
import { PlatformFailure, QUESTIONS, type Read } from '../platform/read.ts';
import { resourceOf, SCHEMA_QUESTION } from './question.ts';

/** The parts of a schema response that are used. */
const ANSWER = z.object({
  data: z.object({
    __schema: z.object({
      queryType: z.object({ fields: z.array(z.object({ name: z.string(), type: z.unknown() })) }),
      types: z.array(
        z.object({ name: z.string().nullish(), fields: z.array(z.object({ name: z.string() })).nullish() }),
      ),
    }),
  }),
});

/** Schema of a named type. The name is below one level for each list and non-null wrapper. */
const TYPE = z.object({ name: z.unknown().optional(), ofType: z.unknown().optional() });

/** The fields of each dataset that an account's endpoint serves. */
type Datasets = ReadonlyMap<string, ReadonlySet<string>>;

/** Name of a summed measure in responses. */
const SUM = 'sum';

/** Interval (ms) at which the schema is read again: platforms gain fields, and tokens gain permissions. */
const KEPT_MS = 24 * 3_600_000;

/** Interval (ms) of schema reads while a field is missing or the last read failed: an upgrade may remove it for a minute. */
const LACKING_MS = 3_600_000;

/** Fields that the datasets of an account lack, according to the schema and to refused requests. */
export class KnownFields {
  readonly #now: () => number;
  #datasets: Datasets | undefined;
  /** Refused fields and sums, as `dataset.field`. */
  #refused: ReadonlySet<string> = new Set();
  #askedAt: number | undefined;
  #isLacking = false;
  #asking: Promise<void> | undefined;
  /** Number that grows with each change of the known fields. */
  version = 0;

  /** @param now returns the local time (ms) */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Reads the schema if a read is due. A failure is not fatal: an endpoint may answer questions without a readable schema. */
  async ask(read: Read, signal: AbortSignal): Promise<void> {
    // Only the caller that started the read handles its failure.
    if (this.#asking !== undefined)
      return unlessAborted(
        this.#asking.catch(() => undefined),
        signal,
      );
    const kept = this.#isLacking ? LACKING_MS : KEPT_MS;
    if (this.#askedAt !== undefined && Math.abs(this.#now() - this.#askedAt) <= kept) return;
    this.#asking = this.#ask(read, signal);
    try {
      await this.#asking;
    } finally {
      this.#asking = undefined;
    }
  }

  async #ask(read: Read, signal: AbortSignal): Promise<void> {
    const before = this.#refused;
    let datasets: Datasets | undefined;
    try {
      const { body } = await read(() => resourceOf(SCHEMA_QUESTION), signal, QUESTIONS.group);
      datasets = datasetsIn(body);
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) throw failure;
    }
    this.#askedAt = this.#now();
    this.#datasets = datasets ?? this.#datasets;
    this.#isLacking = datasets === undefined;
    // Forgets earlier refusals. Those that persist are found again.
    this.#refused = new Set([...this.#refused].filter((field) => !before.has(field)));
    this.version += 1;
  }

  /** Returns true if a dataset is known to be unavailable. */
  lacksDataset(dataset: string): boolean {
    return this.#noted(this.#datasets?.has(dataset) === false);
  }

  /** Returns true if a field is known to be missing. */
  lacks(dataset: string, field: string): boolean {
    // Every response to `aggregate` has this field, but the schema does not list it.
    if (field === SUM) return false;
    return this.#noted(this.refuses(dataset, field) || this.#datasets?.get(dataset)?.has(field) === false);
  }

  /** Returns true if a field or a sum was refused. A measure that can be summed need not be a field of the rows. */
  refuses(dataset: string, name: string): boolean {
    return this.#noted(this.#refused.has(`${dataset}.${name}`));
  }

  #noted(isLacking: boolean): boolean {
    this.#isLacking ||= isLacking;
    return isLacking;
  }

  /** Records that the platform refuses some fields or sums. */
  lack(dataset: string, names: readonly string[]): void {
    if (names.length === 0) return;
    this.#refused = new Set([...this.#refused, ...names.map((name) => `${dataset}.${name}`)]);
    this.version += 1;
  }
}

/** Returns the fields of each dataset in a schema response; undefined if there are none. */
function datasetsIn(body: unknown): Datasets | undefined {
  const { success, data: answer } = ANSWER.safeParse(body);
  if (!success) return undefined;
  const { queryType, types } = answer.data.__schema;
  const fieldsByType = new Map(types.map(({ name, fields }) => [name, fields ?? []]));
  const datasets = queryType.fields.flatMap(({ name, type }) => {
    const fields = fieldsByType.get(typeNameIn(type)) ?? [];
    return fields.length === 0 ? [] : [[name, new Set(fields.map((field) => field.name))] as const];
  });
  return datasets.length === 0 ? undefined : new Map(datasets);
}

function typeNameIn(type: unknown): string {
  let found = TYPE.safeParse(type).data;
  while (found !== undefined && typeof found.name !== 'string') found = TYPE.safeParse(found.ofType).data;
  return String(found?.name ?? '');
}
