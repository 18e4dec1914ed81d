import type { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

const TEXTS = ['x', '90s'];

/** Returns a valid value for a schema of the configuration, with every key that the schema names. */
export function everyKey(schema: JsonSchema): unknown {
  const [choice] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (typeof choice === 'object') return everyKey(choice);
  if (schema.const !== undefined) return schema.const;
  const [named] = schema.enum ?? schema.examples ?? [];
  if (named !== undefined) return named;
  switch (schema.type) {
    case 'object':
      return everyKeyOfMapping(schema);
    case 'array':
      return [everyKey(Object(schema.items))];
    case 'boolean':
      return schema.default ?? true;
    case 'integer':
    case 'number':
      return schema.default ?? schema.minimum ?? 1;
    default:
      return TEXTS.find((text) => new RegExp(schema.pattern ?? '').test(text));
  }
}

function everyKeyOfMapping({ properties, additionalProperties }: JsonSchema): object {
  if (properties === undefined) return { key: everyKey(Object(additionalProperties)) };
  return Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, everyKey(Object(inner))]));
}
