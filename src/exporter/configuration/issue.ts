/** Where in a configuration something is: its keys and list positions from the top. */
export type ConfigPath = readonly (string | number)[];

/** A mistake in (or a doubt about) the configuration, for the person who wrote it. It repeats no value that was given. */
export interface ConfigIssue {
  /** The file as it was named, or `environment`. */
  readonly source: string;
  /** From 1; absent where the source has no lines. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  /** Such as `accounts[0].collectors.metrics.schedule`, or a variable's name; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** An issue that has not been placed in its source yet. */
export interface Finding {
  readonly path: ConfigPath;
  /** Whether the key at the end of the path is at fault, or its value. */
  readonly at: 'key' | 'value';
  readonly message: string;
  /** The message where variables of the environment stand for keys, if it speaks of any. */
  readonly inEnvironment?: string;
}

/** `file:line:column: path: message`, with the parts that are there. */
export function formatIssue(issue: ConfigIssue): string {
  const position = issue.line === undefined ? '' : `:${issue.line}:${issue.column ?? 1}`;
  const path = issue.path === '' ? '' : `${issue.path}: `;
  return `${issue.source}${position}: ${path}${issue.message}`;
}

/** The path as it is written in JavaScript: dots between plain keys, everything else in brackets. */
export function formatPath(path: ConfigPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[\w-]+$/.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** The issues in the order of their places, each once; the sources in that in which they come. */
export function inOrder(issues: readonly ConfigIssue[]): ConfigIssue[] {
  const unique = new Map(issues.map((issue) => [formatIssue(issue), issue]));
  const sources = new Map([...new Set(issues.map(({ source }) => source))].map((source, at) => [source, at]));
  const orderOf = ({ source }: ConfigIssue) => sources.get(source) ?? 0;
  return [...unique.values()].sort(
    (a, b) => orderOf(a) - orderOf(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
}
