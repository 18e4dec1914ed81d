import { afterAll, beforeAll } from 'vitest';
import { migrate } from '../../src/exporter/state/postgres-schema.ts';
import { startPostgres } from '../end-to-end/postgres.ts';
import { type OpenedBy, openedByToken } from '../end-to-end/postgres-state.ts';
import { inLongSuite } from '../long-suite.ts';
import type { SimulationOptions } from './simulation.ts';

const KINDS = inLongSuite<readonly ('memory' | 'postgres')[]>(['memory', 'postgres'], ['memory']);

type KindOfState = readonly [kind: string, kept: () => Pick<SimulationOptions, 'state' | 'busy'>];

/** Returns the kinds of state for the calling file, and registers their fixtures. */
export function kindsOfState(): readonly KindOfState[] {
  return KINDS.map((kind): KindOfState => {
    if (kind === 'memory') return [kind, () => ({})];
    return [kind, inPostgres()];
  });
}

function inPostgres(): KindOfState[1] {
  let connections: OpenedBy;
  let [made, asked] = [0, 0];
  let stop = async () => {};
  beforeAll(async () => {
    const server = await startPostgres((ends) => {
      stop = ends;
    });
    const direct = server.connections();
    await migrate(direct);
    connections = {
      shown: direct.shown,
      query(...statement) {
        asked += 1;
        return direct.query(...statement).finally(() => {
          asked -= 1;
        });
      },
    };
  });
  afterAll(() => stop());
  return () => {
    made += 1;
    const account = `simulated-${made}`;
    return { state: () => openedByToken(connections, account), busy: () => asked };
  };
}
