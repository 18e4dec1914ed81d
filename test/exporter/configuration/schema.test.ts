import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { loadConfig } from '../../../src/exporter/configuration/config.ts';
import { configJsonSchema } from '../../../src/exporter/configuration/schema.ts';

const CONFIG = join(import.meta.dirname, '../../../config');
const EXAMPLE = join(CONFIG, 'exporter.yaml');

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Every key of the schema, with what it says of it. */
function* options(schema: JsonSchema): Generator<[string, JsonSchema]> {
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    if (typeof inner !== 'object') continue;
    yield [key, inner];
    yield* options(inner);
  }
  if (typeof schema.items === 'object' && !Array.isArray(schema.items)) yield* options(schema.items);
}

test('the JSON Schema beside the example is the one of this version (vitest -u writes it anew)', async () => {
  const text = `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(join(CONFIG, 'exporter.schema.json'));
});

test('every option is described', () => {
  const silent = [...options(configJsonSchema())].filter(([, { description }]) => !description);
  expect(silent.map(([key]) => key)).toEqual([]);
});

test('the example is a good configuration that shows every option and names the schema', async () => {
  expect(await loadConfig({ file: EXAMPLE, env: {} })).toMatchObject({ ok: true, warnings: [] });
  const text = await readFile(EXAMPLE, 'utf8');
  expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/exporter\.schema\.json$/m);
  const missing = [...options(configJsonSchema())].filter(([key]) => !new RegExp(`\\b${key}\\b`).test(text));
  expect(missing.map(([key]) => key)).toEqual([]);
});
