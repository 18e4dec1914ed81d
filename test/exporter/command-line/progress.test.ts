import { describe, expect, it } from 'vitest';
import { type LineLog, Progress, withProgress } from '../../../src/exporter/command-line/progress.ts';
import type { Output } from '../../../src/exporter/text/output.ts';
import { SimulatedClock } from '../../simulated-clock.ts';

const SILENT: LineLog = { info: () => undefined, warn: () => undefined };

function underWay() {
  const clock = new SimulatedClock();
  const progress = new Progress(clock, SILENT);
  progress.expect(1_000, 100);
  return { clock, progress };
}

function shown(log: LineLog, stderr: Output) {
  const clock = new SimulatedClock();
  return new Promise<{ clock: SimulatedClock; progress: Progress; stop: () => Promise<void> }>((begin) => {
    const work = withProgress(log, stderr, clock, async (progress) => {
      progress.expect(1_000, 100);
      await new Promise<void>((end) => {
        const stop = async () => {
          end();
          await work;
        };
        begin({ clock, progress, stop });
      });
    });
  });
}

describe('progress', () => {
  it('tells what is left by the pace of this start, not by what an earlier one has read', async () => {
    const { clock, progress } = underWay();
    expect(progress.line).toBe('reading history: 100 of 1000 windows (10 %), 0 operations');
    await clock.advance(60_000);
    for (let window = 0; window < 90; window += 1) {
      progress.count();
      progress.advance(1);
    }
    expect(progress.line).toBe('reading history: 190 of 1000 windows (19 %), 90 operations, 9 min left');
    expect(progress.facts).toEqual({ windows: 190, of: 1_000, operations: 90, seconds_left: 540 });
  });

  it('tells by its own pace how long it takes to evaluate what was read, and of no time left where it is not known', async () => {
    const { clock, progress } = underWay();
    await clock.advance(60_000);
    progress.advance(900);
    expect(progress.facts).toMatchObject({ seconds_left: 0 });
    progress.stage = 'writing';
    expect(progress.words).toBe('writing');
    expect(progress.facts).toMatchObject({ windows: 1_000, seconds_left: undefined });
    progress.stage = undefined;
    progress.expect(120, 0, 'evaluating the rules');
    await clock.advance(1_000);
    progress.advance(20);
    expect(progress.words).toBe('evaluating the rules');
    expect(progress.facts).toMatchObject({ windows: 20, of: 120, seconds_left: 5 });
    expect(progress.line).toBe('evaluating the rules: 20 of 120 windows (16 %), 0 operations, 5 s left');
  });

  it('says who waits for the quota and until when, unless it is over in a moment', async () => {
    const { clock, progress } = underWay();
    const at = (seconds: number) => clock.now() + seconds * 1_000;
    progress.waits = () => [
      { account: 'a', until: at(41.2) },
      { account: 'b', until: at(1.9) },
      { account: 'c', until: at(3_600) },
    ];
    const [a, c] = [42, 3_600].map((seconds) => `${new Date(at(seconds)).toISOString().slice(11, 19)}Z`);
    const waiting = `account a for its quota until ${a}, account c for its quota until ${c}`;
    expect(progress.line).toBe(
      `reading history: 100 of 1000 windows (10 %), 0 operations; waiting: ${waiting}`,
    );
    expect(progress.facts).toMatchObject({ waiting });
    progress.stage = 'listing what to read';
    expect(progress.line).toBe(`listing what to read; waiting: ${waiting}`);
    progress.waits = () => [];
    expect(progress.line).toBe('listing what to read');
    expect(progress.facts.waiting).toBe(undefined);
  });

  it('is a line that changes in place on a terminal', async () => {
    const written: string[] = [];
    const { clock, stop } = await shown(SILENT, { isTTY: true, write: (text) => written.push(text) });
    await clock.advance(1_000);
    await stop();
    await clock.advance(1_000);
    expect(written).toHaveLength(5);
    expect(written[0]).toBe('\u001b[G\u001b[Kreading history: 100 of 1000 windows (10 %), 0 operations');
    expect(written.at(-1)).toBe('\u001b[G\u001b[K');
  });

  it('is a line in the log every few seconds elsewhere', async () => {
    const logged: object[] = [];
    const written: string[] = [];
    const log = { ...SILENT, info: (facts: object) => void logged.push(facts) };
    const { clock, progress, stop } = await shown(log, { write: (text) => written.push(text) });
    await clock.advance(11_000);
    await stop();
    expect(logged).toEqual(
      [progress.facts, progress.facts].map((facts) => ({ ...facts, seconds_left: undefined })),
    );
    expect(written).toEqual([]);
  });

  it('gives way to the lines of the log', async () => {
    const written: string[] = [];
    const log = {
      info: (_: object, message: string) => void written.push(`info ${message}`),
      warn: (_: object, message: string) => void written.push(`warn ${message}`),
    };
    const terminal = await shown(log, { isTTY: true, write: (text) => written.push(text) });
    terminal.progress.log.warn({}, 'careful');
    expect(written).toEqual(['\u001b[G\u001b[K', 'warn careful']);
    await terminal.stop();
    expect((await shown(log, { isTTY: false, write: () => undefined })).progress.log).toBe(log);
  });
});
