import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settingsSchema } from '../../src/sandbox/account/settings.ts';
import { faultsSchema, POINT_DAMAGES, SHAPE_QUIRKS } from '../../src/sandbox/faults/faults.ts';
import { snakeKeys } from '../../src/sandbox/formats.ts';
import { parseOptions } from '../../src/sandbox/options-file.ts';
import { createSandbox, DEFAULT_TOKEN, DEFAULT_USER } from '../../src/sandbox/sandbox.ts';
import { sizeSchema } from '../../src/sandbox/seed.ts';

const example = readFileSync(new URL('../../config/sandbox.yaml', import.meta.url), 'utf8');

describe("a sandbox's options", () => {
  it('are all in the example, each with its default', () => {
    expect(parseOptions(example)).toEqual({
      ...settingsSchema.parse({}),
      ...sizeSchema.parse({}),
      seed: 1,
      users: [DEFAULT_USER],
      tokens: [DEFAULT_TOKEN],
      tokenLifetime: 86_400_000,
      faults: {},
    });
  });

  it('name every fault in the example, with its own options, as it can be switched on', () => {
    const shown = [...example.matchAll(/^# {2}(\w+): (\{.*?\}) # \S/gm)];
    expect(shown.map(([, name]) => name)).toEqual(Object.keys(faultsSchema.shape));
    const common = ['probability', 'paths', 'methods', 'period'];
    for (const [, name = '', options = ''] of shown) {
      const { faults } = parseOptions(`faults: { ${name}: ${options} }`);
      const whole = Object.entries(faults ?? {}).find(([fault]) => fault === name)?.[1];
      const own = Object.keys(whole ?? {}).filter((option) => !common.includes(option));
      expect(Object.keys(parse(options)), name).toEqual(own);
    }
    for (const kind of [...POINT_DAMAGES, ...SHAPE_QUIRKS])
      expect(example).toMatch(new RegExp(`\\b${kind}\\b`));
    for (const option of common) expect(example).toContain(option);
  });

  it('may be left out, all of them', () => {
    expect(parseOptions('')).toEqual({});
  });

  it('reach the sandbox', () => {
    const { account, faults, settings } = createSandbox(
      parseOptions('{zones: 5, settle_ms: 7, faults: {late_data: {minutes: 3}}}'),
    );
    expect([account.zones.size, settings.settleMs]).toEqual([5, 7]);
    expect(faults.current).toEqual({ late_data: { minutes: 3, settling: 'on_time' } });
  });

  it('are refused with every mistake named', () => {
    const wrong = () => parseOptions('{seed: x, settleMs: 1, colour: red, faults: {latency: {}}}');
    expect(wrong).toThrow('seed');
    expect(wrong).toThrow('latency.ms');
    expect(wrong).toThrow('settleMs');
    expect(wrong).toThrow('colour');
    expect(() => parseOptions('5')).toThrow('mapping');
  });

  it('are written in snake case', () => {
    expect(Object.keys(snakeKeys({ rateLimit: 1, settleMs: 2 }))).toEqual(['rate_limit', 'settle_ms']);
  });
});
