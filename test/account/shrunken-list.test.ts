import { describe, expect, it } from 'vitest';
import { ShrunkenList } from '../../src/account/discovery-job.ts';

/** Whether each list of a sequence of lengths is believed. */
function believed(...lengths: number[]): boolean[] {
  const list = new ShrunkenList();
  return lengths.map((length) => {
    const judgement = list.judge(length);
    list.note(length, judgement);
    return judgement.believed;
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
    const list = new ShrunkenList();
    list.note(12, list.judge(12));
    const warnings = [0, 0, 0, 0].map((length) => {
      const judgement = list.judge(length);
      list.note(length, judgement);
      return judgement.warning;
    });
    expect(warnings).toEqual([
      'the list of configurations shrank from 12 to 0: it is read again before anything is withdrawn',
      'the list of configurations shrank from 12 to 0: it is read again before anything is withdrawn',
      'the list of configurations shrank from 12 to 0 in 3 reads: what is gone is withdrawn',
      undefined,
    ]);
  });
});
