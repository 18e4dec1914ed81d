import { expect, it } from 'vitest';
import type { Receiver } from '../../../src/exporter/configuration/push-settings.ts';
import { configWarnings } from '../../../src/exporter/configuration/warnings.ts';

const numbered = (prefix: string) => Array.from({ length: 10_000 }, (_, index) => `${prefix}-${index}`);

it.each([
  ['names that are there', numbered('account'), 0],
  ['names that are not', numbered('acount'), 100],
  ['patterns', numbered('*cc*n*'), undefined],
])('ten thousand %s are looked up among ten thousand accounts', (_, accounts, told) => {
  const push = [{ accounts, families: ['*'] } as unknown as Receiver];
  const found = configWarnings({ push, metrics: { exclude: [] } }, numbered('account'));
  if (told !== undefined) expect(found).toHaveLength(told);
});
