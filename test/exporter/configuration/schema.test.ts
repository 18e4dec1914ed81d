import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../../src/exporter/configuration/config.ts';
import { CONFIG as CONFIG_SCHEMA, configJsonSchema } from '../../../src/exporter/configuration/schema.ts';

const CONFIG = join(import.meta.dirname, '../../../config');
const EXAMPLE = join(CONFIG, 'exporter.yaml');

type JsonSchema = z.core.JSONSchema.BaseSchema;

function* options(schema: JsonSchema): Generator<[string, JsonSchema]> {
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    if (typeof inner !== 'object') continue;
    yield [key, inner];
    yield* options(inner);
  }
  if (typeof schema.items === 'object' && !Array.isArray(schema.items)) yield* options(schema.items);
}

function takeVariables(schema: JsonSchema): void {
  if (schema.type !== 'string') return;
  const variable = '\\$\\{';
  delete schema.format;
  if (schema.pattern !== undefined) schema.pattern = `${variable}|${schema.pattern}`;
  if (schema.enum === undefined) return;
  schema.anyOf = [{ enum: schema.enum }, { pattern: variable }];
  delete schema.enum;
}

test('the JSON Schema beside the example is the one of this version (vitest -u writes it anew)', async () => {
  const text = `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(join(CONFIG, 'exporter.schema.json'));
});

test("the chart's schema says of `config` what the configuration's schema says (vitest -u writes it anew)", async () => {
  const file = join(CONFIG, 'helm/edge-exporter/values.schema.json');
  // Helm 3 supports no later dialect.
  const { $schema, ...config } = z.toJSONSchema(CONFIG_SCHEMA, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => takeVariables(jsonSchema),
  });
  const values: JsonSchema = JSON.parse(await readFile(file, 'utf8'));
  const schema = { ...values, properties: { ...values.properties, config } };
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  // Helm uses Go's regular expressions, which do not support look-around.
  expect(text).not.toMatch(/"pattern": .*\(\?[=!<]/);
  await expect(text).toMatchFileSnapshot(file);
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
