import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DamagedState } from '../../../src/exporter/state/database.ts';
import type { DatabaseThread } from '../../../src/exporter/state/database-requests.ts';
import { openDatabase } from '../../../src/exporter/state/sqlite.ts';

it('a damaged database that cannot be closed either is called damaged', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sqlite-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const asked: string[] = [];
  const ask = async (request: string) => {
    asked.push(request);
    if (request === 'close') throw new Error('disk I/O error');
    return { held: 1, promised: 2, tally: { records: 0, sum: 0 } };
  };
  const opening = openDatabase({ ask: ask as DatabaseThread['ask'] }, directory);
  await expect(opening).rejects.toThrow(DamagedState);
  expect(asked).toEqual(['open', 'close']);
});
