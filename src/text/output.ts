/** Somewhere that text is written to: a terminal, a pipe, a file. */
export interface Output {
  write(text: string): unknown;
  /** Whether it is a terminal. */
  readonly isTTY?: boolean | undefined;
}
