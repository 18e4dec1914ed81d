/** Somewhere that text is written to: a terminal, a pipe, a file. */
export interface Output {
  write(text: string): unknown;
  /** Whether it is a terminal. */
  readonly isTTY?: boolean | undefined;
}

/**
 * What a terminal would act on instead of showing it: control characters, and marks that change the order of text. What
 * comes first is kept: line ends, tabs, the colours of `paint`, and what clears a line that shows progress.
 */
const ESCAPE = String.fromCharCode(27);
const UNSEEN = new RegExp(
  `(\\n|\\t|\\r${ESCAPE}\\[K|${ESCAPE}\\[(?:0|3[0-9]|90)m)|[\\p{Cc}\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]`,
  'gu',
);

/** An output on which such characters, which names of the platform may contain, show as `\u202e`; also valid within JSON. */
export function showingAll(output: Output): Output {
  const shown = (text: string) =>
    text.replace(
      UNSEEN,
      (found, kept: string | undefined) => kept ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  return { isTTY: output.isTTY, write: (text) => output.write(shown(text)) };
}
