import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { GROUPS } from '../../../src/sandbox/traffic/groups.ts';
import { INCIDENT_KINDS, type IncidentKind } from '../../../src/sandbox/traffic/incidents.ts';
import { NOON } from '../client.ts';

const MINUTE = 60_000;

function setUp(kind: IncidentKind, perMinute = 777) {
  const sandbox = createSandbox({ now: () => NOON });
  const [domain] = sandbox.account.domains;
  const configuration = domain?.id ?? 0;
  const window = { from: NOON - 10 * MINUTE, to: NOON };
  const read = (metric: string) => {
    const series = sandbox.truth({ api: 'analytics', product: 1441740010, configuration, metric, ...window });
    return (name: string, bucket: number) => series[name]?.[bucket]?.[1] ?? Number.NaN;
  };
  const before = ['requests', 'status_code', 'waf'].map(read);
  sandbox.inject({
    kind,
    configuration,
    from: NOON - 8 * MINUTE - 20_000,
    to: NOON - 3 * MINUTE - 20_000,
    per_minute: perMinute,
  });
  return { before, after: ['requests', 'status_code', 'waf', 'http_method'].map(read), sandbox };
}

describe('incidents', () => {
  it('add exactly their requests a minute, while they last', () => {
    const { before, after } = setUp('5xx_spike');
    const added = [1, 2, 6, 7, 8].map(
      (bucket) => (after[0]?.('total', bucket) ?? 0) - (before[0]?.('total', bucket) ?? 0),
    );
    expect(added).toEqual([0, 777, 777, 0, 0]);
  });

  it('show an attack as blocked threats by family, answered 403', () => {
    const { before, after } = setUp('waf_attack');
    const added = (group: number, name: string) =>
      (after[group]?.(name, 4) ?? 0) - (before[group]?.(name, 4) ?? 0);
    expect(added(2, 'threats')).toBe(777);
    expect(added(2, 'blocked')).toBe(added(1, '403'));
    expect(added(2, 'blocked')).toBeGreaterThan(700);
    expect(['xss', 'rfi', 'sql', 'others'].reduce((sum, name) => sum + added(2, name), 0)).toBe(777);
  });

  it.each(INCIDENT_KINDS)('keep every partition exact: %s', (kind) => {
    const [requests, codes, , methods] = setUp(kind).after;
    for (let bucket = 0; bucket < 10; bucket++) {
      const total = requests?.('total', bucket);
      const add = (read: typeof requests, names: readonly string[]) =>
        names.reduce((sum, name) => sum + (read?.(name, bucket) ?? Number.NaN), 0);
      expect(add(codes, GROUPS.codes)).toBe(total);
      expect(add(methods, GROUPS.methods)).toBe(total);
      expect(add(requests, ['http', 'https'])).toBe(total);
      expect(add(requests, ['saved', 'missed'])).toBe(total);
    }
  });

  it('stop everything during an outage', () => {
    const { after } = setUp('outage', 0);
    expect([2, 4, 6].map((bucket) => after[0]?.('total', bucket))).toEqual([0, 0, 0]);
    expect(after[0]?.('total', 8)).toBeGreaterThan(0);
  });

  it('need a configuration that exists', () => {
    const { sandbox } = setUp('surge');
    const nowhere = { kind: 'surge', configuration: 5, from: 0, to: 1, per_minute: 1 } as const;
    expect(() => sandbox.inject(nowhere)).toThrow(RangeError);
  });
});
