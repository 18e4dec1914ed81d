import { SimulatedClock } from '../../simulated-clock.ts';

/** Options for a state without a timeout, for tests on a busy machine. No time passes on this clock. */
export const UNHURRIED = { clock: new SimulatedClock() };
