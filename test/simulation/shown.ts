import type { AccountState } from '../../src/exporter/facts/facts.ts';
import { renderPage } from '../../src/exporter/page/page.ts';
import { parsePageQuery } from '../../src/exporter/page/query.ts';
import { madeUpStatus } from '../exporter/page/made-up-status.ts';
import { words } from '../exporter/page/rendered.ts';
import type { Simulation } from './simulation.ts';

/** Statements about the only account: its state and causes, the verdict on the page, and its samples. */
export interface Shown {
  readonly state: AccountState;
  readonly says: string;
  readonly causes: readonly { readonly kind: string; readonly text: string; readonly next: string }[];
  /** Text of the box at the top of the page. */
  readonly verdict: string;
  /** Returns the samples of a family: labels as text, with their values. */
  family(name: string): [string, number][];
}

export async function shown(simulation: Simulation): Promise<Shown> {
  const now = simulation.clock.wall();
  const accounts = simulation.exporter().accounts();
  const [account] = accounts;
  if (account === undefined) throw new Error('one account is configured');
  const { state, says, causes } = account.facts;
  const options = { query: parsePageQuery(''), now, telemetryPath: '/metrics' };
  const markup = renderPage(madeUpStatus({ accounts }), options);
  const verdict = /<div id="verdict"[\s\S]*?<\/div>/.exec(markup)?.[0] ?? '';
  const { samples } = await simulation.scrape();
  return {
    state,
    says,
    causes,
    verdict: words(verdict),
    family: (name) => [...samples].filter(([key]) => (JSON.parse(key) as [string])[0] === name),
  };
}
