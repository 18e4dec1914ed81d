import type { ExitCode } from '../command-line/command.ts';

/** Why there is no history, in a sentence for whoever asked for it. */
export class BackfillRefusal extends Error {
  override readonly name = 'BackfillRefusal';
  readonly exitCode: ExitCode;

  constructor(sentence: string, exitCode: ExitCode) {
    super(sentence);
    this.exitCode = exitCode;
  }
}
