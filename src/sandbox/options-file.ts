import { parse } from 'yaml';
import { z } from 'zod';
import { settingsSchema } from './account/settings.ts';
import { faultsSchema } from './faults/faults.ts';
import { camelKeys } from './formats.ts';
import { PERMISSIONS } from './http/token-store.ts';
import type { SandboxOptions } from './sandbox.ts';
import { sizeSchema } from './seed.ts';

const permissions = z.array(z.enum(PERMISSIONS)).exactOptional();

/** Returns the schema with the same fields, all optional and without defaults. */
function given(shape: Readonly<Record<string, z.ZodDefault<z.ZodType>>>) {
  return Object.fromEntries(
    Object.entries(shape).map(([name, type]) => [name, type.unwrap().exactOptional()]),
  );
}

/** Schema of the options of a sandbox at its start; times are in ms. */
const optionsSchema = z.strictObject({
  ...given(settingsSchema.shape),
  ...given(sizeSchema.shape),
  seed: z.int().exactOptional(),
  users: z
    .array(z.strictObject({ username: z.string().min(1), password: z.string().min(1), permissions }))
    .exactOptional(),
  tokens: z.array(z.strictObject({ token: z.string().min(1), permissions })).exactOptional(),
  tokenLifetime: z.number().positive().exactOptional(),
  faults: faultsSchema.exactOptional(),
});

/** Parses the options of a sandbox from YAML, in which their names are in snake case. @throws Error with every mistake */
export function parseOptions(text: string): SandboxOptions {
  const document: unknown = parse(text) ?? {};
  if (typeof document !== 'object' || document === null) throw new Error('expected a mapping of options');
  const parsed = optionsSchema.safeParse(camelKeys(document));
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  return parsed.data;
}
