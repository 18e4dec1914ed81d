import type { Sample } from '../catalogue/family.ts';
import type { Product } from '../catalogue/products.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import { PlatformFailure, type Read } from '../platform/read.ts';
import type { Job, JobSubject, PollResult } from '../poll/job.ts';
import { type Refusal, Refusals, refusalEntries, refusalKey, restoreRefusal } from '../poll/refusals.ts';
import { changed, type MemoryPart } from '../state/account-memory.ts';
import type { StateKey } from '../state/state.ts';
import {
  type Collector,
  type CollectorContext,
  type ConfigurationIds,
  type Item,
  type SettingSeries,
  type SettingsDeclaration,
  seriesOf,
} from './collector.ts';
import {
  compareSettings,
  type Fingerprint,
  fingerprintOf,
  restoreSettings,
  type SettingsMemory,
} from './setting-changes.ts';
import { IdsUnavailable, LIST_PERMISSION, type SettingsRead, SettingsReader } from './settings-reader.ts';

/** Creates the collector of one kind of settings. */
export function settingsCollector<Listed extends Item, Detailed extends object = object>(
  declaration: SettingsDeclaration<Listed, Detailed>,
): Collector {
  const { kind, things, list, details, series } = declaration;
  const { measured } = seriesOf<{ readonly changedAt: number | undefined }>(things);
  const changes = measured(
    `edge_${kind}_changed_timestamp_seconds`,
    `Time of the last change seen among the ${things}, as a Unix time; absent until the first change.`,
    'changedAt',
  );
  const paths = details?.reads.map(({ path }) => path) ?? [];
  const reads = typeof list === 'string' ? [list, ...paths] : paths;
  const group = reads[0]?.split('/')[1] ?? '';
  const labels = declaration.labels ?? (({ id, name }) => ({ [`${kind}_id`]: id, [kind]: name ?? '' }));
  return {
    ...declaration,
    listPermissions: typeof list === 'string' ? [] : [LIST_PERMISSION, list.otherwise.permission],
    reads,
    operations: operationsOf(declaration),
    families: [...series, changes].map(({ family }) => family),
    labels: Object.keys(labels({ id: '' })),
    needs: typeof list === 'string' ? [] : list.products,
    takesIds: typeof list !== 'string',
    jobs: (context) => {
      if (typeof list !== 'string' && !isKnown(list, context)) return [];
      return [new SettingsJob({ declaration, context, group, labels, changes })];
    },
  };
}

/** Returns true if a source of ids is known, so that the job can be made. */
function isKnown(
  { products }: ConfigurationIds,
  { named, configurations, isPending }: CollectorContext,
): boolean {
  const isListed = (product: Product) => (configurations(product) ?? []).length > 0;
  return named.length > 0 || products.some(isListed) || !products.some(isPending);
}

/** Returns the cost of a read, as a phrase. */
function operationsOf<Listed extends Item, Detailed extends object>({
  list,
  version,
  details,
  things,
}: SettingsDeclaration<Listed, Detailed>): string {
  const paged = version === 3 ? `1 per 100 ${things}` : '1';
  const count = details?.reads.length ?? 0;
  const inTurns = `${count} per item in turn`;
  return [...(typeof list === 'string' ? [paged] : []), ...(count === 0 ? [] : [inTurns])].join(', ');
}

/** Wait (ms) after a refusal that may concern a single item, so that the next poll tries another item. */
const SHORT_WAIT_MS = 30_000;

const NOTHING_KNOWN: SettingsMemory = { known: new Map(), absences: new Map() };

/** Default weight of settings, which change rarely: reads of traffic go first. */
const SETTINGS_WEIGHT = 0.1;

interface SettingsJobOptions<Listed extends Item, Detailed extends object> {
  readonly declaration: SettingsDeclaration<Listed, Detailed>;
  readonly context: CollectorContext;
  /** First segment of the paths that are read. */
  readonly group: string;
  readonly labels: (item: Item) => Readonly<Record<string, string>>;
  /** Series of the times of changes. */
  readonly changes: SettingSeries<{ readonly changedAt: number | undefined }>;
}

/** Memory of one kind of settings between two polls. */
interface KindMemory {
  readonly settings: SettingsMemory;
  /** Number of operations of the last read. */
  readonly operations: number;
  /** Refusal of the last read if it was forbidden; undefined otherwise. */
  readonly refusal: Refusal | undefined;
}

/** Job that reads one kind of settings and replaces its samples. */
class SettingsJob<Listed extends Item, Detailed extends object>
  implements Job<SettingsRead<Listed & Partial<Detailed>>>
{
  readonly id: string;
  readonly subject: JobSubject;
  readonly schedule: string;
  readonly group: string;
  readonly weight: number;
  readonly #options: SettingsJobOptions<Listed, Detailed>;
  readonly #reader: SettingsReader<Listed, Detailed>;
  readonly #prefix: StateKey;
  readonly #refusalKey: StateKey;
  readonly #part: MemoryPart<KindMemory>;
  readonly #refusals: Refusals;

  constructor(options: SettingsJobOptions<Listed, Detailed>) {
    const { context, declaration, group } = options;
    this.id = context.collector;
    this.subject = { collector: context.collector };
    this.schedule = context.schedule;
    this.group = group;
    this.weight = declaration.weight ?? SETTINGS_WEIGHT;
    this.#options = options;
    this.#reader = new SettingsReader(declaration, context);
    // Settings are durable, so that a restart neither loses nor invents a change.
    this.#prefix = ['settings', context.account, declaration.kind];
    this.#refusalKey = refusalKey(this.#prefix);
    const { platformClock, access } = context;
    this.#refusals = new Refusals({ platformClock, access });
    this.#part = {
      key: this.#refusalKey,
      open: (stored) => ({
        settings: NOTHING_KNOWN,
        operations: 1,
        refusal: restoreRefusal(stored),
      }),
    };
  }

  cost(): number {
    const { refusal, operations } = this.#memory;
    return refusal === undefined ? operations : 0;
  }

  async read(read: Read, signal: AbortSignal): Promise<SettingsRead<Listed & Partial<Detailed>>> {
    await this.#refusals.begin(this.#memory.refusal, signal);
    try {
      const reading = await this.#reader.read(read, signal);
      return { ...reading, failure: reading.failure && this.#explained(reading.failure) };
    } catch (failure) {
      throw failure instanceof PlatformFailure ? this.#explained(failure) : failure;
    }
  }

  conclude(reading: SettingsRead<Listed & Partial<Detailed>> | PlatformFailure): PollResult {
    if (reading instanceof PlatformFailure) return this.#failed(reading);
    const { rows, rejected, failure, operations } = reading;
    const now = Math.round(this.#now / 1_000);
    const refusal = this.#refusalBy(failure, reading.mayBeOfItem);
    const found = compareSettings(this.#settings, this.#fingerprints(rows), { prefix: this.#prefix, now });
    const settingChanges = found.changed.map(({ id, fields }) => ({
      id,
      name: rows.get(id)?.name ?? '',
      fields,
    }));
    const memory = { settings: found.memory, operations, refusal };
    return {
      outcome: this.#shows(rows) ? 'ok' : 'empty',
      rejected: new Map(rejected > 0 ? ([['bad_item', rejected]] as const) : []),
      failure,
      commit: [...found.entries, ...refusalEntries(this.#refusalKey, this.#memory.refusal, refusal)],
      memory: [changed(this.#part, memory, { ...memory, settings: found.refused })],
      settingChanges,
      exposures: (committed) => {
        const { known } = committed ? found.memory : found.refused;
        return [{ part: 'settings', samples: this.#samples(rows, known) }];
      },
    };
  }

  /** Records a refusal. A read that was skipped because of an earlier refusal changes nothing. */
  #failed(failure: PlatformFailure): PollResult {
    const memory = this.#memory;
    if (this.#refusals.stand(memory.refusal)) throw failure;
    const refusal = this.#refusalBy(failure);
    if (refusal === memory.refusal) throw failure;
    return {
      outcome: 'empty',
      failure,
      memory: [changed(this.#part, { ...memory, refusal })],
      commit: refusalEntries(this.#refusalKey, memory.refusal, refusal),
      exposures: () => [],
    };
  }

  get #memory(): KindMemory {
    return this.#options.context.memory.of(this.#part);
  }

  get #settings(): SettingsMemory {
    const { settings } = this.#memory;
    // An empty memory may mean that the state could not be read yet.
    return settings.known.size > 0 ? settings : restoreSettings(this.#options.context.state, this.#prefix);
  }

  /** Returns the refusal of a missing permission; undefined for a 404, after which another kind of ids is tried. */
  #refusalBy(failure: PlatformFailure | undefined, mayBeOfItem = false): Refusal | undefined {
    if (failure?.outcome !== 'forbidden') return undefined;
    const refusal = this.#refusals.of(failure);
    return mayBeOfItem && refusal !== undefined ? { ...refusal, until: this.#now + SHORT_WAIT_MS } : refusal;
  }

  get #now(): number {
    return this.#options.context.platformClock.now();
  }

  /** Adds the missing permission to a failure. */
  #explained(failure: PlatformFailure): PlatformFailure {
    if (failure.outcome !== 'forbidden' || foreignAnswerOf(failure) !== undefined) return failure;
    const { declaration } = this.#options;
    const again = `retried every hour: ${failure.message}`;
    return failure instanceof IdsUnavailable
      ? new IdsUnavailable('forbidden', again, failure.status)
      : new PlatformFailure(
          'forbidden',
          `needs the permission ${declaration.permission}, ${again}`,
          failure.status,
        );
  }

  #fingerprints(rows: ReadonlyMap<string, Item>): Map<string, Fingerprint> {
    const { declaration, context } = this.#options;
    const unwatched = new Set<string>(declaration.unwatched);
    return new Map(
      [...rows].map(([id, { id: _, ...row }]) => {
        const watched = Object.fromEntries(Object.entries(row).filter(([field]) => !unwatched.has(field)));
        return [id, fingerprintOf(watched, `${context.account}/${declaration.kind}/${id}`)];
      }),
    );
  }

  /** Returns true if these rows have any series. */
  #shows(rows: ReadonlyMap<string, Listed & Partial<Detailed>>): boolean {
    const { series } = this.#options.declaration;
    return [...rows.values()].some((row) => series.some(({ values }) => values(row).length > 0));
  }

  #samples(rows: ReadonlyMap<string, Listed & Partial<Detailed>>, known: SettingsMemory['known']): Sample[] {
    const { declaration, context, labels, changes } = this.#options;
    const samples: Sample[] = [];
    for (const row of rows.values()) {
      const common = { account: context.account, ...labels(row) };
      const show = <Shown>({ family, values }: SettingSeries<Shown>, shown: Shown) => {
        for (const { labels: own, value } of values(shown))
          samples.push({ family, labels: own === undefined ? common : { ...common, ...own }, value });
      };
      for (const series of declaration.series) show(series, row);
      show(changes, { changedAt: known.get(row.id)?.changedAt });
    }
    return samples;
  }
}
