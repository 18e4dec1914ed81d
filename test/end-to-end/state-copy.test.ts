import { join } from 'node:path';
import { expect, it } from 'vitest';
import { memoryState, openState } from '../../src/exporter/state/open-state.ts';
import type { State } from '../../src/exporter/state/state.ts';
import { temporaryFolder } from './config-file.ts';
import { runExporter } from './exporter-process.ts';
import { startPostgres } from './postgres.ts';

const silent = { info: () => undefined, warn: () => undefined };

const ENTRIES = [
  {
    key: ['series', 'one', 'metrics', 'x', 'configuration', '1', 'requests'],
    value: { total: 0.1, watermark: 7 },
  },
  { key: ['learned', 'one', 'metrics', 'x', 'requests'], value: { delay: 60_000 } },
  { key: ['settings', 'two', 'domain', '5'], value: { fingerprint: { name: 'abc' } } },
];

function contentOf(state: State): object {
  return Object.fromEntries([...state.keys([])].map((key) => [key.join('/'), state.get(key)]));
}

it('a state goes to a database and comes back as it was; nothing is overwritten, and nothing that runs is copied', async () => {
  const database = await startPostgres();
  const [from, to] = [join(await temporaryFolder(), 'from'), join(await temporaryFolder(), 'to')];
  const state = await openState(from, silent);
  await state.commit(ENTRIES);
  await state.close();
  const copy = (direction: string, directory: string) =>
    runExporter({
      args: [
        'state-copy',
        `--copy.to=${direction}`,
        `--state.dir=${directory}`,
        `--state.url=${database.url}`,
      ],
    });

  expect(await copy('database', from)).toMatchObject({ code: 0, stdout: 'copied 3 records of 2 accounts\n' });
  expect(await copy('database', from)).toMatchObject({ code: 0 });
  const other = join(await temporaryFolder(), 'other');
  const otherState = await openState(other, silent);
  await otherState.commit(ENTRIES.map(({ key }) => ({ key, value: 'other' })));
  await otherState.close();
  const refused = await copy('database', other);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('the database has counters already of one, two');
  // A live replica owns an account.
  const connections = database.connections(1);
  await connections.query(
    `INSERT INTO exporter_state.replicas (id, name, digest, expires_at) VALUES ('r', 'r', '', now() + interval '1 hour')`,
  );
  await connections.query(`UPDATE exporter_state.accounts SET owner = 'r' WHERE name = 'two'`);
  const owned = await copy('directory', to);
  expect(owned.stderr).toContain('a replica owns two: stop all replicas first');
  await connections.query(`DELETE FROM exporter_state.replicas`);

  expect(await copy('directory', to)).toMatchObject({ code: 0 });
  expect((await copy('directory', other)).stderr).toContain('the directory has a state already');
  const copied = await openState(to, silent);
  const expected = memoryState();
  await expected.commit(ENTRIES);
  expect(contentOf(copied)).toEqual(contentOf(expected));
  await copied.close();
});
