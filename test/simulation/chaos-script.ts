import type { FaultSettings } from '../../src/sandbox/faults/faults.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Simulation } from './simulation.ts';

const MINUTE = 60_000;

const SERIES = ['/metrics/products/*/metrics/', '/analytics/*/metrics/'];

interface Turn {
  readonly hour: number;
  readonly happens: (simulation: Simulation) => unknown;
}

const faults = (hour: number, settings: FaultSettings): Turn => ({
  hour,
  happens: ({ sandbox }) => sandbox.faults.set(settings),
});
const calm = (hour: number) => faults(hour, {});
const restart = (hour: number): Turn => ({ hour, happens: (simulation) => simulation.restart() });
const change = (hour: number, happens: (sandbox: Sandbox) => unknown): Turn => ({
  hour,
  happens: ({ sandbox }) => happens(sandbox),
});

const DRIZZLE: FaultSettings = {
  server_error: { probability: 0.05, status: 503 },
  html_error: { probability: 0.03 },
  connection_reset: { probability: 0.03 },
  rate_limited: { probability: 0.004, retry_after: 20 },
  malformed_body: { probability: 0.05 },
  truncated_body: { probability: 0.05, cut: 'connection' },
  empty_answer: { probability: 0.05, paths: SERIES },
  wrong_types: { probability: 0.2, share: 0.1 },
  quirks: { probability: 0.3 },
  rate_headers: { probability: 0.05 },
};

/** Script of a week with many kinds of trouble. After them, the exporter has hours to catch up with. */
export const WEEK: readonly Turn[] = [
  faults(2, { wrong_types: { probability: 0.4, share: 0.15 }, malformed_body: { probability: 0.1 } }),
  restart(5),
  faults(8, { server_error: { probability: 0.3, form: 'html' }, connection_reset: { probability: 0.1 } }),
  calm(12),
  change(13, (sandbox) => addSite(sandbox, 'appears')),
  faults(14, { empty_answer: { probability: 0.3, paths: SERIES }, rate_limited: { probability: 0.005 } }),
  change(18, (sandbox) => rename(sandbox, 0, 'renamed')),
  restart(19),
  calm(20),
  // The platform is down for three hours.
  faults(24, { server_error: { status: 502, form: 'html' } }),
  restart(26),
  calm(27),
  change(29, (sandbox) => removeSite(sandbox, 1)),
  faults(30, { late_data: { minutes: 20 } }),
  calm(34),
  faults(36, { late_data: { minutes: 25, settling: 'late' } }),
  restart(38),
  calm(42),
  faults(44, { clock_skew: { ms: 130 * MINUTE } }),
  restart(46),
  calm(49),
  faults(53, DRIZZLE),
  change(55, (sandbox) => addSite(sandbox, 'appears-too')),
  calm(60),
  // No exporter polls for twenty hours.
  { hour: 62, happens: (simulation) => simulation.stop() },
  { hour: 82, happens: (simulation) => simulation.start() },
  faults(90, { clock_skew: { ms: -80 * MINUTE }, wrong_types: { probability: 0.2 } }),
  change(92, (sandbox) => pause(sandbox, 2, false)),
  calm(96),
  change(99, (sandbox) => pause(sandbox, 2, true)),
  // The few requests that are never answered take real time.
  faults(100, { timeout: { paths: ['/metrics/*/status_code'], probability: 0.4 } }),
  calm(100.4),
  faults(104, { truncated_body: { probability: 0.3 }, late_data: { minutes: 5, settling: 'late' } }),
  restart(107),
  calm(112),
  change(113, (sandbox) => rename(sandbox, 3, 'renamed-too')),
  faults(116, DRIZZLE),
  restart(120),
  faults(128, { ...DRIZZLE, late_data: { minutes: 12, settling: 'late' } }),
  calm(140),
  change(143, (sandbox) => removeSite(sandbox, 4)),
  faults(146, { ...DRIZZLE, clock_skew: { ms: 45 * MINUTE } }),
  calm(158),
];

/** Script of a day with as many kinds of trouble in sequence. */
export const DAY: readonly Turn[] = [
  change(1, (sandbox) => removeSite(sandbox, 1)),
  faults(2, { wrong_types: { probability: 0.4, share: 0.15 }, malformed_body: { probability: 0.1 } }),
  restart(2.5),
  faults(3, { server_error: { probability: 0.3, form: 'html' }, connection_reset: { probability: 0.1 } }),
  calm(4),
  change(4.2, (sandbox) => addSite(sandbox, 'appears')),
  faults(4.5, { empty_answer: { probability: 0.3, paths: SERIES }, rate_limited: { probability: 0.02 } }),
  change(5, (sandbox) => rename(sandbox, 0, 'renamed')),
  restart(5.3),
  faults(5.5, { server_error: { status: 502, form: 'html' } }),
  restart(6),
  calm(6.5),
  faults(7, { late_data: { minutes: 20 } }),
  calm(8.5),
  faults(9, { clock_skew: { ms: 130 * MINUTE } }),
  restart(10),
  calm(11),
  faults(12, DRIZZLE),
  calm(14),
  // No exporter polls for three hours.
  { hour: 14.5, happens: (simulation) => simulation.stop() },
  { hour: 17.5, happens: (simulation) => simulation.start() },
  faults(18, { clock_skew: { ms: -80 * MINUTE }, wrong_types: { probability: 0.2 } }),
  calm(19.5),
  change(20, (sandbox) => pause(sandbox, 2, false)),
  // The few requests that are never answered take real time.
  faults(20.5, { timeout: { paths: ['/metrics/*/status_code'], probability: 0.4 } }),
  calm(20.8),
  change(21, (sandbox) => pause(sandbox, 2, true)),
  faults(21.2, { truncated_body: { probability: 0.3 }, late_data: { minutes: 5, settling: 'late' } }),
  restart(21.6),
  calm(22.2),
];

/** Script of six hours with further troubles. */
export const EVENING: readonly Turn[] = [
  faults(0.5, DRIZZLE),
  ...[0.9, 1.3, 1.7, 2.1].map(restart),
  faults(2.3, { server_error: { status: 503 } }),
  restart(2.8),
  faults(3, { ...DRIZZLE, late_data: { minutes: 6, settling: 'late' } }),
  restart(3.5),
  { hour: 3.8, happens: (simulation) => simulation.stop() },
  { hour: 4.5, happens: (simulation) => simulation.start() },
  calm(5.2),
  restart(5.5),
];

/** Returns the same script with all times divided by `pace`. */
export function faster(turns: readonly Turn[], pace: number): readonly Turn[] {
  return turns.map(({ hour, happens }) => ({ hour: hour / pace, happens }));
}

/** Performs the turns of a script at their times. */
export class Story {
  readonly #turns: Turn[];
  readonly #began: number;

  constructor(turns: readonly Turn[], now: number) {
    this.#turns = [...turns];
    this.#began = now;
  }

  /** Performs the turns that are due. */
  async go(simulation: Simulation): Promise<void> {
    const hour = (simulation.clock.now() - this.#began) / (60 * MINUTE);
    while (this.#turns[0] !== undefined && this.#turns[0].hour <= hour) {
      await this.#turns.shift()?.happens(simulation);
    }
  }
}

function siteAt(sandbox: Sandbox, index: number) {
  const site = [...sandbox.account.applications][index];
  if (site === undefined) throw new Error(`no site ${index}`);
  return site;
}

function addSite({ account }: Sandbox, name: string): void {
  const [model] = account.applications;
  const [domain] = account.domains;
  if (model === undefined || domain === undefined) throw new Error('the account is empty');
  const id = account.applications.nextId();
  account.applications.put({ ...model, id, name });
  account.domains.put({ ...domain, id: account.domains.nextId(), name, edge_application_id: id });
}

function removeSite(sandbox: Sandbox, index: number): void {
  sandbox.account.applications.remove(siteAt(sandbox, index).id);
}

function rename(sandbox: Sandbox, index: number, name: string): void {
  sandbox.account.applications.update(siteAt(sandbox, index).id, { name });
}

function pause(sandbox: Sandbox, index: number, active: boolean): void {
  sandbox.account.applications.update(siteAt(sandbox, index).id, { active });
}
