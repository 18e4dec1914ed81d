import { describe, expect, it } from 'vitest';
import {
  afterList,
  DiscoveryJob,
  judgeList,
  type ListMemory,
} from '../../../src/exporter/account/discovery-job.ts';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { RowsRejected } from '../../../src/exporter/poll/job.ts';
import { AccountMemory } from '../../../src/exporter/state/account-memory.ts';
import { NO_MEMORY } from '../../../src/exporter/state/state.ts';

function believed(...lengths: number[]): boolean[] {
  return judged(...lengths).map((judgement) => judgement.believed);
}

function judged(...lengths: number[]) {
  let memory: ListMemory = { known: 0, doubted: 0, addressing: undefined };
  return lengths.map((length) => {
    const judgement = judgeList(memory, length);
    memory = afterList(memory, length, judgement, undefined);
    return judgement;
  });
}

describe('a list', () => {
  it('is believed at first, when it grows, and when it loses up to half', () => {
    expect(believed(0, 12, 40, 20, 10)).toEqual([true, true, true, true, true]);
  });

  it('that has lost more is believed only when read so three times', () => {
    expect(believed(12, 0, 0, 0, 0)).toEqual([true, false, false, true, true]);
    expect(believed(12, 5, 0, 4, 4)).toEqual([true, false, false, true, true]);
  });

  it('that was as ever in between is doubted anew', () => {
    expect(believed(12, 0, 0, 12, 0, 0, 12)).toEqual([true, false, false, true, false, false, true]);
  });

  it('is compared with what was believed last, not with what was doubted', () => {
    expect(believed(12, 5, 5)).toEqual([true, false, false]);
    expect(believed(12, 0, 6)).toEqual([true, false, true]);
  });

  it('says what an operator should know, and nothing of what is usual', () => {
    const [, ...warnings] = judged(12, 0, 0, 0, 0).map(({ warning }) => warning);
    expect(warnings).toEqual([
      'the list of active configurations shrank from 12 to 0: it is read again before anything is withdrawn',
      'the list of active configurations shrank from 12 to 0: it is read again before anything is withdrawn',
      'the list of active configurations shrank from 12 to 0 in 3 reads: what is gone is withdrawn',
      undefined,
    ]);
  });
});

it('a list whose items are all of another form than a configuration is refused, and nothing vanishes because of it', async () => {
  const job = new DiscoveryJob({
    memory: new AccountMemory(NO_MEMORY),
    account: 'a',
    product: productOf('metrics', 'edge_applications'),
    schedule: '* * * * *',
    addressing: 'domain',
    platformClock: new PlatformClock(Date.now),
    most: () => 100,
  });
  const conclude = async (...body: unknown[]) =>
    job.conclude(await job.read(async () => ({ body, bytes: 0 }), new AbortController().signal));
  expect((await conclude({ id: 1, name: 'shop' })).discovery?.configurations).toHaveLength(1);
  for (let reads = 0; reads < 4; reads += 1)
    await expect(conclude({ uuid: 1, name: 'shop' })).rejects.toThrow(RowsRejected);
  expect((await conclude()).outcome).toBe('empty');
});
