import { configJsonSchema } from '../../src/exporter/configuration/schema.ts';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** Key of the configuration file. */
export interface ConfigurationKey {
  readonly path: string;
  readonly type: string;
  readonly default?: string;
  readonly about: string;
}

const PRODUCTS = /\.products\.[a-z0-9_]+/;
const SETTINGS = /\.collectors\.(?!metrics|analytics|<)[a-z_]+/;

/** Returns every key of the configuration. Keys that all products or settings collectors share appear once. */
export function configurationKeys(): readonly ConfigurationKey[] {
  const keys = new Map<string, ConfigurationKey>();
  // The metrics and analytics collectors have the same keys.
  for (const key of keysOf(configJsonSchema() as Schema, '')) {
    const path = key.path
      .replace(PRODUCTS, '.products.<product>')
      .replace('.collectors.analytics', '.collectors.metrics')
      .replace(SETTINGS, '.collectors.<settings>');
    if (!keys.has(path)) keys.set(path, { ...key, path });
  }
  return [...keys.values()];
}

function* keysOf(schema: Schema, prefix: string): Generator<ConfigurationKey> {
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const path = `${prefix}${name}`;
    const leaf = inner.properties === undefined && inner.items?.properties === undefined;
    yield {
      path,
      type: leaf ? typeOf(inner) : inner.type === 'array' ? 'list' : 'mapping',
      ...(leaf && inner.default !== undefined && { default: JSON.stringify(inner.default) }),
      about: inner.description ?? '',
    };
    yield* keysOf(inner, `${path}.`);
    if (inner.items) yield* keysOf(inner.items, `${path}[].`);
  }
}

function typeOf({ type, enum: values }: Schema): string {
  if (values) return values.join(', ');
  if (type === 'array') return 'list';
  return type === 'object' ? 'mapping' : (type ?? 'text').replace('string', 'text');
}
