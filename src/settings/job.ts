import type { Sample } from '../catalogue/family.ts';
import type { RejectionReason } from '../decode/points.ts';
import { strangenessOf } from '../platform/exchange.ts';
import { PlatformFailure } from '../platform/outcome.ts';
import type { Read } from '../platform/read.ts';
import type { Job, JobSubject, PollReport } from '../schedule/job.ts';
import { StateWriteFailure } from '../state/state.ts';
import { accountLabels, type CollectorContext } from './collector.ts';
import type { Item, SettingsDeclaration } from './declaration.ts';
import { type Fingerprint, fingerprintOf } from './fingerprint.ts';
import { type Reading, SettingsReader } from './reader.ts';
import { type ChangesDraft, SettingChanges } from './setting-changes.ts';
import type { SettingSeries } from './setting-series.ts';

/** Settings change seldom: they wait for everything that tells of traffic. */
const SETTINGS_WEIGHT = 0.1;

/** A missing permission is not granted every few minutes. */
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

/** Reads one kind of settings, and shows it in place of what was there before: what changed is durable before it is shown. */
export class SettingsJob<Listed extends Item, Detailed extends object> implements Job {
  readonly id: string;
  readonly subject: JobSubject;
  readonly schedule: string;
  readonly group: string;
  readonly weight: number;
  readonly #options: SettingsJobOptions<Listed, Detailed>;
  readonly #reader: SettingsReader<Listed, Detailed>;
  readonly #changes: SettingChanges;
  readonly #owner: string;
  #operations = 1;
  #refused: { readonly until: number; readonly failure: PlatformFailure } | undefined;
  #withdrawn = false;

  constructor(options: SettingsJobOptions<Listed, Detailed>) {
    const { context, declaration, group } = options;
    this.id = context.collector;
    this.subject = { collector: context.collector };
    this.schedule = context.schedule;
    this.group = group;
    this.weight = declaration.weight ?? SETTINGS_WEIGHT;
    this.#options = options;
    this.#reader = new SettingsReader(declaration, context);
    this.#changes = new SettingChanges(context.state, context.account, declaration.kind);
    this.#owner = `${context.account}/${this.id}`;
  }

  cost(): number {
    return this.#refused === undefined ? this.#operations : 0;
  }

  async poll(read: Read, signal: AbortSignal): Promise<PollReport> {
    const reading = await this.#read(read, signal);
    this.#operations = reading.operations;
    await this.#note(reading.rows);
    const samples = this.#samples(reading.rows);
    const { store, freshUntil } = this.#options.context;
    if (!this.#withdrawn) store.publish(this.#owner, samples, freshUntil(this.weight, this.group));
    if (reading.failure !== undefined) throw reading.failure;
    const rejected: [RejectionReason, number][] =
      reading.rejected > 0 ? [['bad_item', reading.rejected]] : [];
    return { outcome: samples.length === 0 ? 'empty' : 'ok', rejected: new Map(rejected) };
  }

  withdraw(): void {
    this.#withdrawn = true;
    this.#options.context.store.withdraw(this.#owner);
  }

  /** Does not ask again soon once the platform has said that the permission is missing. */
  async #read(read: Read, signal: AbortSignal): Promise<Reading<Listed & Partial<Detailed>>> {
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

  /** Where the permission is missing, says which, and stops asking for a while. */
  #explained(failure: PlatformFailure): PlatformFailure {
    if (failure.outcome !== 'forbidden' || strangenessOf(failure) !== undefined) return failure;
    const { declaration, context } = this.#options;
    const reason = `needs the permission ${declaration.permission}, asks again every hour: ${failure.message}`;
    const explained = new PlatformFailure('forbidden', reason, failure.status);
    this.#refused = { until: context.platformClock.localNow() + ASK_AGAIN_MS, failure: explained };
    return explained;
  }

  async #note(rows: ReadonlyMap<string, Item>): Promise<void> {
    const { context } = this.#options;
    const now = Math.round(context.platformClock.now() / 1_000);
    const draft = this.#changes.draft(this.#fingerprints(rows), now);
    if (!(await this.#commit(draft))) return;
    this.#changes.enter(draft);
    for (const { id, fields } of draft.changed) {
      const name = rows.get(id)?.name ?? '';
      context.observer.settingChanged(context.account, { collector: this.id, id, name, fields });
    }
  }

  async #commit({ entries }: ChangesDraft): Promise<boolean> {
    const { account, state, observer } = this.#options.context;
    try {
      await state.commit(entries);
      return true;
    } catch (error) {
      if (!(error instanceof StateWriteFailure)) throw error;
      observer.stateRefused(account, this.subject, error);
      return false;
    }
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
