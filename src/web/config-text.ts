import { z } from 'zod';
import { readYaml } from '../configuration/document.ts';
import { findings } from '../configuration/findings.ts';
import { formatIssue, inOrder } from '../configuration/issue.ts';
import { type WebConfigKeys, webConfigSchema } from './config-schema.ts';
import { GO_YAML } from './go-values.ts';

/** A web configuration file that cannot be used. The issues repeat no value that was given. */
export class WebConfigError extends Error {
  override readonly name = 'WebConfigError';
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(issues.join('\n'));
    this.issues = issues;
  }
}

/**
 * The keys in a web configuration's text, where nothing is a mistake.
 * @throws WebConfigError with every mistake, each with its place in `source`
 */
export function parseWebConfig(text: string, source: string): WebConfigKeys {
  const document = readYaml(text, source, GO_YAML);
  const result = webConfigSchema.safeParse(document.value ?? {}, { reportInput: true });
  const found = result.success
    ? []
    : findings(result.error, z.toJSONSchema(webConfigSchema, { io: 'input', unrepresentable: 'any' }));
  const issues = [...document.issues, ...found.map(document.place)];
  if (result.success && issues.length === 0) return result.data;
  throw new WebConfigError(inOrder(issues).map(formatIssue));
}
