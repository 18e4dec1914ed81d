import type { Product } from '../catalogue/products.ts';
import { EarlyEnds, readPages } from '../platform/pages.ts';
import { type FailureOutcome, isPassing, PlatformFailure, type Read } from '../platform/read.ts';
import type { Configuration } from '../targets/configuration-list.ts';
import type {
  CollectorContext,
  ConfigurationIds,
  DetailRead,
  Details,
  Item,
  SettingsDeclaration,
} from './collector.ts';
import { DetailTurns, turnSize } from './detail-turns.ts';

/** Returns the failure of a part of an item as one that does not concern the item itself or other items. */
function ofPart(failure: PlatformFailure, { path }: DetailRead): PlatformFailure {
  if (failure.outcome !== 'not_found' && failure.outcome !== 'forbidden') return failure;
  return new PlatformFailure('undecodable', `${path}: ${failure.message}`, failure.status);
}

/** Returns the single object of an answer: in an envelope, bare, or as a list of one. @throws PlatformFailure if there is none */
function resultOf(body: unknown): object {
  const { results = body }: { readonly results?: unknown } = Object(body);
  const one: unknown = Array.isArray(results) && results.length === 1 ? results[0] : results;
  if (typeof one === 'object' && one !== null && !Array.isArray(one)) return one;
  throw new PlatformFailure('undecodable', 'the answer contains no object');
}

/** Result of a read of settings. */
export interface SettingsRead<Row> {
  readonly rows: ReadonlyMap<string, Row>;
  /** Number of items that were invalid or could not be read. */
  readonly rejected: number;
  /** Reason why the read ended early, with valid results until then; undefined if it was complete. */
  readonly failure: PlatformFailure | undefined;
  /** True if a refusal may concern a single item: the list was read, and few items have been refused. */
  readonly mayBeOfItem?: boolean;
  /** Expected number of operations of such a read. */
  readonly operations: number;
}

type ReaderOptions = Pick<CollectorContext, 'named' | 'configurations'>;

/** Failures of an item that say nothing about other items. */
const OF_ONE_ITEM: ReadonlySet<FailureOutcome> = new Set([
  'not_found',
  'not_acceptable',
  'server_error',
  'undecodable',
]);

/** Number of refused items without a readable one, after which all are assumed to be refused for an hour. */
const REFUSED_ALIKE = 3;

/** Reads one kind of settings: the whole list, and details in turns. */
export class SettingsReader<Listed extends Item, Detailed extends object> {
  readonly #declaration: SettingsDeclaration<Listed, Detailed>;
  readonly #options: ReaderOptions;
  readonly #turns = new DetailTurns<Detailed>();
  readonly #ends = new EarlyEnds();
  /** Number of consecutive refused items without a readable one. */
  #refused = 0;
  /** Kinds of ids that the platform does not know. */
  readonly #unknown = new Set<string>();

  constructor(declaration: SettingsDeclaration<Listed, Detailed>, options: ReaderOptions) {
    this.#declaration = declaration;
    this.#options = options;
  }

  /** Reads the settings. @throws PlatformFailure if the list cannot be read */
  async read(read: Read, signal: AbortSignal): Promise<SettingsRead<Listed & Partial<Detailed>>> {
    const { list: path, version } = this.#declaration;
    if (typeof path !== 'string') return this.#readByIds(path, read, signal);
    const list = { path, version, ends: this.#ends };
    return this.#readItems((counted) => readPages(counted, list, signal), read, signal);
  }

  /** Reads with the first kind of ids that the platform knows. */
  async #readByIds(
    list: ConfigurationIds,
    read: Read,
    signal: AbortSignal,
  ): Promise<SettingsRead<Listed & Partial<Detailed>>> {
    const counted = counting(read);
    let last: SettingsRead<Listed & Partial<Detailed>> | undefined;
    for await (const { kind, items } of candidateIds(list, this.#options, counted.read, signal)) {
      if (this.#unknown.has(kind)) continue;
      last = await this.#readItems(() => [items], read, signal);
      if (last.failure?.outcome !== 'not_found') {
        return { ...last, operations: last.operations + counted.operations() };
      }
      this.#unknown.add(kind);
    }
    // The next read tries all kinds again, since configurations may have been added.
    this.#unknown.clear();
    return last ?? { rows: new Map(), rejected: 0, failure: undefined, operations: counted.operations() };
  }

  async #readItems(
    pages: (read: Read) => Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>,
    read: Read,
    signal: AbortSignal,
  ): Promise<SettingsRead<Listed & Partial<Detailed>>> {
    const counted = counting(read);
    const { rows, rejected } = await this.#list(pages(counted.read));
    const { details } = this.#declaration;
    const listOperations = counted.operations();
    if (details === undefined) {
      return { rows: this.#whole(rows), rejected, failure: undefined, operations: listOperations };
    }
    const bad = await this.#takeTurns(rows, details, counted.read, signal);
    return {
      rows: this.#whole(rows),
      rejected: rejected + bad.rejected,
      failure: bad.failure,
      mayBeOfItem: this.#mayBeOfItem,
      operations: listOperations + turnSize(rows.size) * details.reads.length * bad.pages,
    };
  }

  async #list(
    pages: Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>,
  ): Promise<{ rows: Map<string, Listed>; rejected: number }> {
    const rows = new Map<string, Listed>();
    let rejected = 0;
    const enter = (item: unknown) => {
      const { data } = this.#declaration.row.safeParse(item);
      if (data === undefined) rejected += 1;
      else rows.set(data.id, data);
    };
    for (const id of this.#declaration.unlisted ?? []) enter({ id });
    const unlisted = rows.size;
    for await (const items of pages) items.forEach(enter);
    const { things } = this.#declaration;
    if (rejected > 0 && rows.size === unlisted)
      throw new PlatformFailure('undecodable', `none of the ${rejected} items is one of ${things}`);
    return { rows, rejected };
  }

  get #mayBeOfItem(): boolean {
    return this.#refused % REFUSED_ALIKE !== 0;
  }

  async #takeTurns(
    rows: ReadonlyMap<string, Listed>,
    details: Details<Detailed>,
    read: Read,
    signal: AbortSignal,
  ): Promise<{ rejected: number; failure: PlatformFailure | undefined; pages: number }> {
    const ids = this.#turns.next(rows);
    const counted = counting(read);
    const { hasRead } = this.#turns;
    let whole = 0;
    let rejected = 0;
    // If other items can be read, one refused item does not stop the reads for an hour.
    const isOfItem = ({ outcome }: PlatformFailure) => {
      if (outcome !== 'forbidden') return OF_ONE_ITEM.has(outcome);
      if (whole > 0) return true;
      this.#refused += 1;
      return hasRead && this.#mayBeOfItem;
    };
    let last: PlatformFailure | undefined;
    for (const id of ids) {
      const failure = await this.#takeTurn(id, rows.get(id), details, counted.read, signal);
      if (failure === undefined) {
        whole += 1;
        this.#refused = 0;
      } else if (!isOfItem(failure)) return { rejected, failure, pages: 1 };
      else if (failure.outcome !== 'not_found') rejected += 1;
      // An item that was deleted after the list was read is no failure of the whole read.
      if (typeof this.#declaration.list !== 'string' || failure?.outcome !== 'not_found')
        last = failure ?? last;
    }
    const pages = Math.max(1, counted.operations() / (ids.length * details.reads.length || 1));
    return { rejected, failure: whole === 0 ? last : undefined, pages };
  }

  /** Reads the details of one item. Returns the failure; undefined if there was none. */
  async #takeTurn(
    id: string,
    row: unknown,
    details: Details<Detailed>,
    read: Read,
    signal: AbortSignal,
  ): Promise<PlatformFailure | undefined> {
    try {
      const { detail, failure } = await this.#readDetails(id, details, read, signal);
      const mayPass = failure !== undefined && isPassing(failure.outcome);
      // After a temporary failure of a part, complete former details are better than partial current ones.
      if (mayPass && this.#turns.detailOf(id) !== undefined) this.#turns.miss(id);
      else this.#turns.enter(id, row, detail);
      return failure;
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) throw failure;
      const { outcome } = failure;
      if (outcome === 'not_found' || outcome === 'undecodable') this.#turns.enter(id, row, undefined);
      else this.#turns.miss(id);
      return failure;
    }
  }

  /**
   * Reads the details of one item. Once the item itself is read, the failure of another part affects only that part. It is
   * returned as `failure`.
   * @throws PlatformFailure if the item itself cannot be read
   */
  async #readDetails(
    id: string,
    { reads, fields }: Details<Detailed>,
    read: Read,
    signal: AbortSignal,
  ): Promise<{ readonly detail: Detailed; readonly failure: PlatformFailure | undefined }> {
    const found: Record<string, unknown> = {};
    let failure: PlatformFailure | undefined;
    for (const [index, part] of reads.entries()) {
      try {
        Object.assign(found, await this.#readPart(id, part, read, signal));
      } catch (error) {
        if (index === 0 || !(error instanceof PlatformFailure)) throw error;
        failure = ofPart(error, part);
      }
    }
    const { data } = fields.safeParse(found);
    if (data === undefined) throw new PlatformFailure('undecodable', `unusable answer to ${reads[0]?.path}`);
    return { detail: data, failure };
  }

  async #readPart(
    id: string,
    { path: pattern, listAs }: DetailRead,
    read: Read,
    signal: AbortSignal,
  ): Promise<object> {
    const { version } = this.#declaration;
    const path = pattern.replace(':id', encodeURIComponent(id));
    if (listAs === undefined) return resultOf((await read(() => ({ path, version }), signal)).body);
    return { [listAs]: await allItems(read, { path, version }, signal) };
  }

  /** Returns the rows with their known details. An item outside the list is left out until its details are read. */
  #whole(rows: ReadonlyMap<string, Listed>): Map<string, Listed & Partial<Detailed>> {
    const { unlisted = [] } = this.#declaration;
    const whole = new Map<string, Listed & Partial<Detailed>>();
    for (const [id, row] of rows) {
      const detail = this.#turns.detailOf(id);
      if (detail === undefined && unlisted.includes(id) && row.name === undefined) continue;
      whole.set(id, merged<Listed, Detailed>(row, detail));
    }
    return whole;
  }
}

/** Merges a row of the list with an older read of the item. Fields of the list take precedence. */
function merged<Listed, Detailed>(
  row: Listed & object,
  detail: Detailed | undefined,
): Listed & Partial<Detailed> {
  const given = Object.entries(row).filter(([, value]) => value !== undefined);
  return { ...detail, ...Object.fromEntries(given) } as Listed & Partial<Detailed>;
}

async function allItems(...list: Parameters<typeof readPages>): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  for await (const page of readPages(...list)) items.push(...page);
  return items;
}

function counting(inner: Read): { read: Read; operations: () => number } {
  let performed = 0;
  return {
    operations: () => performed,
    read: (resource, signal) => {
      performed += 1;
      return inner(resource, signal);
    },
  };
}

/** Items with one kind of ids. */
interface ItemIds {
  /** Kind of the ids, as a phrase. */
  readonly kind: string;
  readonly items: readonly unknown[];
}

/** Permission to list the configurations of products (section 5). */
export const LIST_PERMISSION = 'Analytics';

/** Failure to read any list of ids. */
export class IdsUnavailable extends PlatformFailure {}

/**
 * Yields possible ids of configurations, the likeliest first. The specification does not say which kind of id a path takes
 * (section 4.14). So the caller uses the first kind that the platform knows. An empty list is skipped.
 * @throws IdsUnavailable if no list can be read
 */
async function* candidateIds(
  { products, otherwise }: ConfigurationIds,
  context: Pick<CollectorContext, 'named' | 'configurations'>,
  read: Read,
  signal: AbortSignal,
): AsyncGenerator<ItemIds, void, void> {
  const { named, configurations } = context;
  if (named.length > 0) return yield { kind: 'ids of the configuration', items: named.map((id) => ({ id })) };
  const lists = products.map((product) => ({ product, list: configurations(product) }));
  const found = idsOfProducts(lists);
  yield* found;
  let items: readonly unknown[];
  try {
    items = await allItems(read, otherwise, signal);
  } catch (failure) {
    if (!(failure instanceof PlatformFailure)) throw failure;
    if (lists.some(({ list }) => list !== undefined)) return;
    const reason = `no list of configurations can be read: those of products need the permission ${LIST_PERMISSION}, ${otherwise.path} needs ${otherwise.permission} (${failure.message})`;
    throw new IdsUnavailable(failure.outcome, reason, failure.status);
  }
  if (items.length > 0 || found.length === 0) yield { kind: otherwise.path, items };
}

/** Returns the ids of all discovered configurations of the products, and of their domains. */
export function listedIds(
  { products }: ConfigurationIds,
  { configurations }: Pick<CollectorContext, 'configurations'>,
): ReadonlySet<string> {
  const lists = products.flatMap((product) => configurations(product) ?? []);
  return new Set(lists.flatMap(({ id, domains }) => [id, ...domains]));
}

/**
 * Returns the ids from the lists of products: first those of configurations, then those of domains. They include inactive
 * configurations, whose settings apply again after activation.
 */
function idsOfProducts(
  lists: readonly { product: Product; list: readonly Configuration[] | undefined }[],
): ItemIds[] {
  const own = lists.map(({ product, list = [] }) => ({
    kind: `configurations of ${product.slug}`,
    items: list.map(({ id, name }) => ({ id, name })),
  }));
  const domains = lists.map(({ product, list = [] }) => ({
    kind: `domains of ${product.slug}`,
    items: list.flatMap(({ name, domains }) => domains.map((id) => ({ id, name }))),
  }));
  return [...own, ...domains].filter(({ items }) => items.length > 0);
}
