import { describe, expect, it } from 'vitest';
import { refuseUntaken } from '../../../src/exporter/backfill/push-history.ts';
import { BackfillRefusal, Misuse } from '../../../src/exporter/backfill/refusal.ts';
import type { PushedSample, ReceiverAnswer } from '../../../src/exporter/push/protocol.ts';

const MINUTE = 60_000;
const TO = Date.UTC(2026, 0, 5, 10);
const RANGE = { from: TO - 20 * 24 * 60 * MINUTE, to: TO };

async function probe(answer: (sample: PushedSample) => ReceiverAnswer) {
  const sent: PushedSample[] = [];
  const protocol = {
    async send(samples: readonly PushedSample[]) {
      sent.push(...samples);
      return samples.map(answer)[0] ?? { kind: 'accepted' as const };
    },
  };
  const refusal = await refuseUntaken({ name: 'r', protocol }, RANGE, new AbortController().signal).then(
    () => undefined,
    (error: BackfillRefusal) => error,
  );
  return { sent, refusal };
}

const tooOldBefore =
  (edge: number) =>
  ({ at }: PushedSample): ReceiverAnswer =>
    at < edge ? { kind: 'refused', reason: 'too_old', words: 'HTTP 400: too old' } : { kind: 'accepted' };

describe('a receiver that is asked for samples before a history is read', () => {
  it('is content with one at each end of the range, of two series', async () => {
    const { sent, refusal } = await probe(() => ({ kind: 'accepted' }));
    expect(refusal).toBeUndefined();
    expect(sent.map(({ at }) => at)).toEqual([RANGE.to, RANGE.from]);
    expect(new Set(sent.map(({ series }) => JSON.stringify(series.labels))).size).toBe(2);
  });

  it.each([RANGE.from + 1, RANGE.from + 90 * MINUTE, TO - 1, TO])(
    'that takes nothing before %i has the first minute told that it takes, after a few samples',
    async (edge) => {
      const { sent, refusal } = await probe(tooOldBefore(edge));
      const earliest = new Date(Math.ceil(edge / MINUTE) * MINUTE).toISOString().replace('.000Z', 'Z');
      expect(refusal?.message).toContain(`receiver r takes nothing before ${earliest} (HTTP 400: too old)`);
      expect(refusal).toBeInstanceOf(Misuse);
      expect(sent.length).toBeLessThan(20);
    },
  );

  it('that takes nothing of the range is told of with its words', async () => {
    const { sent, refusal } = await probe(tooOldBefore(TO + 1));
    expect(refusal?.message).toBe(
      'receiver r does not take a sample of 2026-01-05T10:00:00Z: HTTP 400: too old',
    );
    expect(refusal).toBeInstanceOf(Misuse);
    expect(sent).toHaveLength(1);
  });

  it('that is not there makes it no fault of the command', async () => {
    const { refusal } = await probe(() => ({ kind: 'failed', words: 'connection refused' }));
    expect(refusal).toBeInstanceOf(BackfillRefusal);
    expect(refusal).not.toBeInstanceOf(Misuse);
    expect(refusal?.message).toContain('connection refused');
  });
});
