import { dirname } from 'node:path';
import { madeInSlices } from '../slices.ts';
import { readConfigInSteps } from './document.ts';
import type { ConfigText } from './file.ts';
import type { Environment } from './interpolation.ts';
import type { ConfigIssue, Finding } from './issue.ts';

/** A configuration, or a part of one, as it is written. */
export interface Written {
  /** The file as it was named, or `environment`. */
  readonly source: string;
  /** Undefined where there is nothing, or nothing that could be read further. */
  readonly value: unknown;
  /** What is wrong with how it is written. */
  readonly issues: readonly ConfigIssue[];
  readonly place: (finding: Finding) => ConfigIssue;
  /** Where the paths in it start from. */
  readonly directory: string;
}

/** What a file says, read in slices. */
export async function written(source: string, read: ConfigText, env: Environment): Promise<Written> {
  const common = { source, directory: dirname(source) };
  if ('text' in read)
    return { ...common, ...(await madeInSlices(readConfigInSteps(read.text, source, env))) };
  const place = ({ message }: Pick<Finding, 'message'>) => ({ source, path: '', message });
  return { ...common, value: undefined, issues: [place({ message: read.problem })], place };
}

/** Mistakes of what is written, without those that stand where one of its variables does: they come of that. */
export function besides(issues: readonly ConfigIssue[], found: readonly ConfigIssue[]): ConfigIssue[] {
  const places = new Set(issues.map(({ line, column }) => `${line}:${column}`));
  return found.filter(({ line, column }) => !places.has(`${line}:${column}`));
}
