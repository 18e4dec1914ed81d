import type { Sample } from '../catalogue/family.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import type { Read } from '../platform/read.ts';
import type { Job, JobSubject } from '../poll/job.ts';
import type { PollResult } from '../poll/result.ts';
import { accountLabels, type CollectorContext } from './collector.ts';
import type { Item, SettingsDeclaration } from './declaration.ts';
import { type Fingerprint, fingerprintOf } from './fingerprint.ts';
import { IdsUnavailable } from './item-ids.ts';
import { SettingChanges } from './setting-changes.ts';
import type { SettingSeries } from './setting-series.ts';
import { type Reading, SettingsReader } from './settings-reader.ts';

/** Settings change rarely: reads of traffic go first. */
const SETTINGS_WEIGHT = 0.1;

/** A missing permission is checked again only after this time. */
const ASK_AGAIN_MS = 3_600_000;

export interface SettingsJobOptions<Listed extends Item, Detailed extends object> {
  readonly declaration: SettingsDeclaration<Listed, Detailed>;
  readonly context: CollectorContext;
  /** The first segment of the paths read. */
  readonly group: string;
  readonly labels: (item: Item) => Readonly<Record<string, string>>;
  /** All series, that of changes aside. */
  readonly changed: SettingSeries<{ readonly changedAt: number | undefined }>;
}

/** Reads one kind of settings, and exposes it in place of what was there before. */
export class SettingsJob<Listed extends Item, Detailed extends object>
  implements Job<Reading<Listed & Partial<Detailed>>>
{
  readonly id: string;
  readonly subject: JobSubject;
  readonly schedule: string;
  readonly group: string;
  readonly weight: number;
  readonly #options: SettingsJobOptions<Listed, Detailed>;
  readonly #reader: SettingsReader<Listed, Detailed>;
  readonly #changes: SettingChanges;
  #operations = 1;
  #refused: { readonly until: number; readonly failure: PlatformFailure } | undefined;

  constructor(options: SettingsJobOptions<Listed, Detailed>) {
    const { context, declaration, group } = options;
    this.id = context.collector;
    this.subject = { collector: context.collector };
    this.schedule = context.schedule;
    this.group = group;
    this.weight = declaration.weight ?? SETTINGS_WEIGHT;
    this.#options = options;
    this.#reader = new SettingsReader(declaration, context);
    this.#changes = new SettingChanges(context.memory, context.account, declaration.kind);
  }

  cost(): number {
    return this.#refused === undefined ? this.#operations : 0;
  }

  async read(read: Read, signal: AbortSignal): Promise<Reading<Listed & Partial<Detailed>>> {
    const now = this.#options.context.platformClock.localNow();
    if (this.#refused !== undefined && now < this.#refused.until) throw this.#refused.failure;
    this.#refused = undefined;
    try {
      const reading = await this.#reader.read(read, signal);
      return { ...reading, failure: reading.failure && this.#explained(reading.failure) };
    } catch (failure) {
      throw failure instanceof PlatformFailure ? this.#explained(failure) : failure;
    }
  }

  conclude({ rows, rejected, failure, operations }: Reading<Listed & Partial<Detailed>>): PollResult {
    const now = Math.round(this.#options.context.platformClock.now() / 1_000);
    const update = this.#changes.compare(this.#fingerprints(rows), now);
    const settingChanges = update.changed.map(({ id, fields }) => ({
      id,
      name: rows.get(id)?.name ?? '',
      fields,
    }));
    return {
      outcome: this.#shows(rows) ? 'ok' : 'empty',
      rejected: new Map(rejected > 0 ? ([['bad_item', rejected]] as const) : []),
      failure,
      commit: update.entries,
      settingChanges,
      adopt: (committed) => {
        this.#operations = operations;
        if (committed) this.#changes.apply(update);
        return [{ part: 'settings', samples: this.#samples(rows) }];
      },
    };
  }

  /** Where the permission is missing, says which, and stops asking for a while. */
  #explained(failure: PlatformFailure): PlatformFailure {
    if (failure.outcome !== 'forbidden' || foreignAnswerOf(failure) !== undefined) return failure;
    const { declaration, context } = this.#options;
    const again = `retried every hour: ${failure.message}`;
    const explained =
      failure instanceof IdsUnavailable
        ? new IdsUnavailable('forbidden', again, failure.status)
        : new PlatformFailure(
            'forbidden',
            `needs the permission ${declaration.permission}, ${again}`,
            failure.status,
          );
    this.#refused = { until: context.platformClock.localNow() + ASK_AGAIN_MS, failure: explained };
    return explained;
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

  /** Whether any series comes of these rows. */
  #shows(rows: ReadonlyMap<string, Listed & Partial<Detailed>>): boolean {
    const { series } = this.#options.declaration;
    return [...rows.values()].some((row) => series.some(({ values }) => values(row).length > 0));
  }

  #samples(rows: ReadonlyMap<string, Listed & Partial<Detailed>>): Sample[] {
    const { declaration, context, labels, changed } = this.#options;
    const samples: Sample[] = [];
    for (const row of rows.values()) {
      const common = accountLabels(context.account, labels(row));
      const show = <Shown>({ family, values }: SettingSeries<Shown>, shown: Shown) => {
        for (const { labels: own, value } of values(shown))
          samples.push({ family, labels: own === undefined ? common : { ...common, ...own }, value });
      };
      for (const series of declaration.series) show(series, row);
      show(changed, { changedAt: this.#changes.changedAt(row.id) });
    }
    return samples;
  }
}
