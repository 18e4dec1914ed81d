import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, rebuildDatabase } from '../../src/state/database.ts';
import { DamagedState, probeDatabase, type RawRecord } from '../../src/state/probe.ts';
import { sealRecord } from '../../src/state/record.ts';
import { TALLY_KEY } from '../../src/state/tally.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'state-probe-'));
  path = join(directory, 'counters.mdb');
});

afterEach(() => rm(directory, { recursive: true }));

async function probe(longestSilence?: number): Promise<RawRecord[]> {
  const records: RawRecord[] = [];
  for await (const record of probeDatabase(path, longestSilence)) records.push(record);
  return records;
}

describe('probing a database', () => {
  it('reads every record as it was written, large ones and many of them', async () => {
    const records = Array.from({ length: 3000 }, (_, n) => {
      const name = `series/${String(n).padStart(4, '0')}/`;
      return { name, bytes: sealRecord(name, 'x'.repeat(n === 7 ? 300_000 : 100)) };
    });
    const database: Database = await rebuildDatabase(path, records);
    await database.close();
    const read = await probe();
    expect(read.filter(({ name }) => name !== TALLY_KEY)).toEqual(records);
  });

  it('finds damage in what is no database', async () => {
    await writeFile(path, 'no database at all'.repeat(1000));
    await expect(probe()).rejects.toThrow(DamagedState);
  });

  it('does not take for damage that the reading process never began', async () => {
    await (await rebuildDatabase(path, [])).close();
    const probing = probe(1);
    await expect(probing).rejects.toThrow('could not run');
    await expect(probing).rejects.not.toThrow(DamagedState);
  });
});
