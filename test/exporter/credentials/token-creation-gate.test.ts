import { expect, test } from 'vitest';
import { TokenCreationGate } from '../../../src/exporter/credentials/token-login.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';

function opensIn(gate: TokenCreationGate, now: number): number {
  let seconds = 0;
  while (!gate.isOpen(now + seconds * 1000)) seconds += 1;
  return seconds;
}

test('failed creations are let through at growing intervals, up to a quarter of an hour', () => {
  const gate = new TokenCreationGate();
  const waits = Array.from({ length: 8 }, (_, attempt) => {
    gate.failed(new PlatformFailure('unauthorized', 'HTTP 401'), attempt);
    return opensIn(gate, attempt);
  });
  expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
});

test('trouble that may pass by itself is waited for less', () => {
  const gate = new TokenCreationGate();
  const waits = Array.from({ length: 3 }, () => {
    gate.failed(new PlatformFailure('network', 'connection refused'), 0);
    return opensIn(gate, 0);
  });
  expect(waits).toEqual([5, 10, 20]);
});

test('the closed gate says why and until when', () => {
  const gate = new TokenCreationGate();
  gate.failed(new PlatformFailure('unauthorized', 'HTTP 401: Invalid username.', 401), 1_000);
  expect(() => gate.pass(3_500)).toThrow(
    expect.objectContaining({
      outcome: 'unauthorized',
      status: 401,
      message: 'HTTP 401: Invalid username.; next attempt to create a token in 28 s',
    }),
  );
  gate.pass(31_000);
});

test('a refused token is replaced at once, but not one after another', () => {
  const gate = new TokenCreationGate();
  gate.created(0, 0);
  gate.refused(1_000);
  gate.pass(1_000);
  gate.created(1_000, 1_000);
  gate.refused(1_000);
  expect(() => gate.pass(2_000)).toThrow(
    'the platform refuses the tokens that it created; next attempt to create a token in 29 s',
  );
  gate.pass(31_000);
  gate.created(31_000, 30_000);
  expect(opensIn(gate, 31_000)).toBe(60);
});

test('a token that served for an hour clears the record, whether it is refused or replaced', () => {
  for (const end of ['refused', 'replaced']) {
    const gate = new TokenCreationGate();
    for (let strike = 0; strike < 5; strike += 1) gate.failed(new PlatformFailure('forbidden', 'no'), 0);
    if (end === 'refused') gate.refused(3_600_000);
    gate.created(0, end === 'replaced' ? 3_600_000 : 0);
    expect(gate.isOpen(0)).toBe(true);
  }
});
