import { describe, expect, it } from 'vitest';
import type { RawRecord } from '../../src/state/probe.ts';
import { sealRecord, storedChecksum } from '../../src/state/record.ts';
import { judgeRecords } from '../../src/state/restore.ts';
import { EMPTY_TALLY, retally, sealTally, TALLY_KEY } from '../../src/state/tally.ts';

const record = (name: string, value: unknown): RawRecord => ({ name, bytes: sealRecord(name, value) });
const current = [record('a/', 1), record('b/', 2), record('c/', 3)];

function tallyOf(records: readonly RawRecord[]): RawRecord {
  const tally = records.reduce(
    (sum, { bytes }) => retally(sum, undefined, storedChecksum(bytes)),
    EMPTY_TALLY,
  );
  return { name: TALLY_KEY, bytes: sealTally(tally) };
}

async function* found(...records: RawRecord[]) {
  yield* records;
}

function flip({ name, bytes }: RawRecord, index: number): RawRecord {
  const flipped = Buffer.from(bytes);
  flipped[index] = (flipped[index] ?? 0) ^ 1;
  return { name, bytes: flipped };
}

describe('restoring records', () => {
  it('takes all of them when they are as committed', async () => {
    const { records, dropped } = await judgeRecords(found(...current, tallyOf(current)));
    expect(records).toEqual(current);
    expect(dropped).toBe(0);
  });

  it.each([
    ['value', 4],
    ['checksum', 0],
  ])('drops and counts the one record whose %s has changed', async (_part, index) => {
    const [first, ...others] = current;
    const damaged = first ? flip(first, index) : record('', 0);
    const { records, dropped } = await judgeRecords(found(damaged, ...others, tallyOf(current)));
    expect(records).toEqual(others);
    expect(dropped).toBe(1);
  });

  it('refuses all of them when an intact record is missing', async () => {
    await expect(judgeRecords(found(...current.slice(1), tallyOf(current)))).rejects.toThrow('last commit');
  });

  it('refuses all of them when an older version of a record has come back', async () => {
    const stale = [record('a/', 0), ...current.slice(1)];
    await expect(judgeRecords(found(...stale, tallyOf(current)))).rejects.toThrow('last commit');
  });

  it('refuses all of them without a tally', async () => {
    await expect(judgeRecords(found(...current))).rejects.toThrow('tally');
  });
});
