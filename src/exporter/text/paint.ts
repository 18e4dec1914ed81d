import type { Output } from './output.ts';

const CODES = { red: 31, green: 32, yellow: 33, grey: 90 } as const;

export type Colour = keyof typeof CODES;

/** The text in colour if the output is a terminal and NO_COLOR is not set. */
export function paint(
  output: Output,
  env: Readonly<Record<string, string | undefined>>,
  colour: Colour,
  text: string,
): string {
  const wanted = output.isTTY === true && (env['NO_COLOR'] ?? '') === '';
  return wanted ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}
