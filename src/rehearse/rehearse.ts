import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RehearsalHistory } from './history.ts';
import { Rehearsal, type RehearsedAlert } from './rehearsal.ts';
import type { RehearsedRules } from './rehearsed-rules.ts';

/** A configuration as alerts name it. */
export interface ConfigurationName {
  readonly account: string;
  readonly product: string;
  readonly configuration: string;
}

/** What a history gives with each of several sets of rules. */
export interface Rehearsed {
  /** Of each set of rules: the alerts within the range, in the order in which they began. */
  readonly alerts: readonly (readonly RehearsedAlert[])[];
  readonly configurations: readonly ConfigurationName[];
  /** When the first sample is (ms); undefined where there is none. */
  readonly first: number | undefined;
}

/** Evaluates sets of rules over a history, all of them in one go. */
export async function rehearse(
  history: RehearsalHistory,
  rules: readonly RehearsedRules[],
  signal: AbortSignal,
): Promise<Rehearsed> {
  const rehearsals = rules.map((one) => new Rehearsal(one));
  const configurations = new Map<string, ConfigurationName>();
  let first: number | undefined;
  for await (const chunk of history.chunks()) {
    // Signals and timers have their turn between chunks: evaluating one takes seconds.
    await nextTurn(undefined, { signal });
    first ??= chunk.start;
    for (const { labels } of chunk.inputs) {
      const { account, product, configuration } = labels;
      if (account === undefined || product === undefined || configuration === undefined) continue;
      const key = JSON.stringify([account, product, configuration]);
      if (!configurations.has(key)) configurations.set(key, { account, product, configuration });
    }
    for (const rehearsal of rehearsals) rehearsal.advance(chunk);
  }
  const within = ({ from, to }: RehearsedAlert): boolean => to > history.from && from < history.to;
  return {
    alerts: rehearsals.map((rehearsal) => rehearsal.end().filter(within)),
    configurations: [...configurations.values()],
    first,
  };
}
