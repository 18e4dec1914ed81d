import { z } from 'zod';
import { unlessAborted } from '../clock.ts';
import { PlatformFailure, QUESTIONS, type Read } from '../platform/read.ts';
import { type AccountMemory, changed, type SavedPart } from '../state/account-memory.ts';
import { resourceOf, SCHEMA_QUESTION } from './question.ts';

/** Used part of the answer. */
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

/** The name of a type lies below as many lists and not-nulls as there are. */
const TYPE = z.object({ name: z.unknown().optional(), ofType: z.unknown().optional() });

/** The fields of each dataset that an account's endpoint serves. */
type Datasets = ReadonlyMap<string, ReadonlySet<string>>;

/** Known fields of an account. */
interface FieldsMemory {
  /** Time (local ms) of the endpoint's last answer or refusal; undefined before. */
  readonly askedAt: number | undefined;
  /** Undefined where it does not say. */
  readonly datasets: Datasets | undefined;
  /** As `dataset.field`: those that were refused. */
  readonly refused: ReadonlySet<string>;
}

const NOTHING_KNOWN: FieldsMemory = { askedAt: undefined, datasets: undefined, refused: new Set() };

const storedFields = z.strictObject({
  version: z.literal(1),
  askedAt: z.number(),
  datasets: z.array(z.tuple([z.string(), z.array(z.string())])).optional(),
  refused: z.array(z.string()),
});

/** Name of a summed measure in answers. */
const SUM = 'sum';

/** The endpoint is asked again after this time (ms): platforms gain fields, and tokens gain permissions. */
const KEPT_MS = 24 * 3_600_000;

/**
 * If a wanted field is missing, the endpoint is asked again after this time (ms), then after twice as long each time: an
 * upgrade of the platform may remove it for a minute.
 */
const FIRST_AGAIN_MS = 15 * 60_000;

function storeFields({ askedAt, datasets, refused }: FieldsMemory): unknown {
  if (askedAt === undefined) return undefined;
  const named = datasets && [...datasets].map(([name, fields]) => [name, [...fields]]);
  return { version: 1, askedAt, datasets: named, refused: [...refused] };
}

function restoreFields(stored: unknown, now: number): FieldsMemory {
  const data = stored === undefined ? undefined : storedFields.safeParse(stored).data;
  if (data === undefined || Math.abs(now - data.askedAt) > KEPT_MS) return NOTHING_KNOWN;
  const { askedAt, datasets, refused } = data;
  const named = datasets && new Map(datasets.map(([name, fields]) => [name, new Set(fields)]));
  return { askedAt, datasets: named, refused: new Set(refused) };
}

/** Fields that an account's datasets lack, as the endpoint says, and as refusals show later. */
export class KnownFields {
  /** Memory of the account. */
  readonly part: SavedPart<FieldsMemory>;
  readonly #memory: Pick<AccountMemory, 'of' | 'adopt'>;
  readonly #now: () => number;
  #asking: Promise<void> | undefined;
  /** True if this process has asked. A kept answer may have been given to another token. */
  #isOwn = false;
  /** Since when (local ms) something that was wanted is known to be lacking; undefined where nothing is. */
  #missedSince: number | undefined;
  /** Time (ms) after which the endpoint is asked again. */
  #againAfter = FIRST_AGAIN_MS;

  /** @param account and address whose endpoint it is @param now local ms */
  constructor(
    account: { readonly name: string; readonly address: string },
    memory: Pick<AccountMemory, 'of' | 'adopt'>,
    now: () => number,
  ) {
    this.#memory = memory;
    this.#now = now;
    this.part = {
      key: ['fields', account.name, account.address],
      open: (stored) => restoreFields(stored, now()),
      store: storeFields,
    };
  }

  /**
   * Asks the endpoint, once a day. If a wanted field is missing, it asks after a quarter of an hour, then after twice as
   * long each time, and once after a restart. An endpoint that does not answer this question may answer all others.
   */
  async ask(read: Read, signal: AbortSignal): Promise<void> {
    if (this.#asking !== undefined) {
      // Whoever would go without something waits for the answer. That it fails concerns only who asked.
      const answered = this.#asking.catch(() => undefined);
      return this.#missedSince !== undefined ? unlessAborted(answered, signal) : undefined;
    }
    if (this.#isAnswered) return;
    this.#asking = this.#ask(read, signal);
    try {
      await this.#asking;
    } finally {
      this.#asking = undefined;
    }
  }

  get #isAnswered(): boolean {
    const { askedAt } = this.known;
    if (askedAt === undefined || Math.abs(this.#now() - askedAt) > KEPT_MS) return false;
    if (this.#missedSince === undefined) return true;
    return this.#isOwn && this.#now() - this.#missedSince <= this.#againAfter;
  }

  async #ask(read: Read, signal: AbortSignal): Promise<void> {
    const { refused: before } = this.known;
    try {
      const { body } = await read(() => resourceOf(SCHEMA_QUESTION), signal, QUESTIONS.group);
      this.#answered(before, datasetsIn(body));
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) throw failure;
      const { status } = failure;
      const maySayLater = status === undefined || status >= 500 || status === 429;
      if (!maySayLater) this.#answered(before, undefined);
    }
  }

  /** Earlier refusals are forgotten: what is still refused shows again. */
  #answered(before: ReadonlySet<string>, datasets: Datasets | undefined): void {
    const refused = new Set([...this.known.refused].filter((field) => !before.has(field)));
    const isLackingAgain = this.#isOwn && this.#missedSince !== undefined;
    this.#againAfter = isLackingAgain ? Math.min(2 * this.#againAfter, KEPT_MS) : FIRST_AGAIN_MS;
    this.#missedSince = undefined;
    this.#isOwn = true;
    this.#learn({ askedAt: this.#now(), datasets, refused });
  }

  /** All that is known; another value once more is. */
  get known(): FieldsMemory {
    return this.#memory.of(this.part);
  }

  #learn(shown: Partial<FieldsMemory>): void {
    this.#memory.adopt(changed(this.part, { ...this.known, ...shown }), true);
  }

  /** Returns true if a dataset is known not to be served. */
  lacksDataset(dataset: string): boolean {
    const { datasets } = this.known;
    return this.#missed(datasets !== undefined && !datasets.has(dataset));
  }

  /** Returns true if a field is known to be missing. */
  lacks(dataset: string, field: string): boolean {
    // What `aggregate` brings is a field of every answer, whatever the type says.
    if (field === SUM) return false;
    const { datasets, refused } = this.known;
    if (refused.has(`${dataset}.${field}`)) return this.#missed(true);
    const fields = datasets?.get(dataset);
    return this.#missed(fields !== undefined && !fields.has(field));
  }

  /** True if the platform has refused a field. */
  isRefused(dataset: string, field: string): boolean {
    return this.known.refused.has(`${dataset}.${field}`);
  }

  /** True if a field was refused, or is not among those that the endpoint names. */
  isAbsent(dataset: string, field: string): boolean {
    return this.isRefused(dataset, field) || this.known.datasets?.get(dataset)?.has(field) === false;
  }

  /** Returns true if a measure was refused. A summable measure need not be a field of the rows. */
  refuses(dataset: string, measure: string | undefined): boolean {
    return this.#missed(measure !== undefined && this.known.refused.has(`${dataset}.${measure}`));
  }

  #missed(isLacking: boolean): boolean {
    if (isLacking) this.#missedSince ??= this.#now();
    return isLacking;
  }

  /**
   * Records a refusal. Returns which of the fields its message names as unknown; none where that is not clear.
   * @param measure what was summed
   */
  refused(
    dataset: string,
    fields: readonly string[],
    { message, outcome }: PlatformFailure,
    measure?: string,
  ): readonly string[] {
    // The message of an answer that cannot be read quotes it, and with it the fields that it has.
    if (outcome !== 'not_acceptable') return [];
    const asked = fields.filter((field) => field !== SUM);
    const named = new Set<string>();
    for (const clause of refusalsIn(message)) {
      const words = new Set(clause.match(/\w+/g));
      const own = asked.filter((field) => words.has(field));
      if (measure !== undefined && namesMeasure(clause, words, measure)) own.push(measure);
      const [only, ...others] = own;
      if (only !== undefined && others.length === 0) named.add(only);
    }
    this.lack(dataset, [...named]);
    return [...named];
  }

  /** Records that fields were found to be refused. */
  lack(dataset: string, fields: readonly string[]): void {
    if (fields.length === 0) return;
    const { refused } = this.known;
    this.#learn({ refused: new Set([...refused, ...fields.map((field) => `${dataset}.${field}`)]) });
  }
}

/** Fields that a message suggests or lists exist. */
const SUGGESTION = /\b(did you mean|perhaps|available|valid|possible|choose|expected one of)\b[^;\n]*/gi;

const NEGATION =
  /\b(cannot|can't|no|not|unknown|undefined|invalid|unexpected|unrecogni[sz]ed|doesn't|missing)\b/i;

/** A field that cannot be used in some way exists. */
const OTHER_REASON = /\b(sort|order|group|filter|compar|rang|combin)\w*/i;

/** Clauses of a message that say that something is not there, without its suggestions. */
function refusalsIn(message: string): string[] {
  return message
    .replace(SUGGESTION, '')
    .split(/[.;\n]+/)
    .filter((clause) => NEGATION.test(clause) && !OTHER_REASON.test(clause));
}

/** A measure that is a plain word, as `requests` is, means itself only in quotation marks. */
function namesMeasure(message: string, words: ReadonlySet<string>, measure: string): boolean {
  if (/[A-Z]/.test(measure)) return words.has(measure);
  return ['"', "'", '`'].some((mark) => message.includes(`${mark}${measure}${mark}`));
}

/** Undefined where the answer is none, or names no field of any dataset: then nothing is known. */
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
