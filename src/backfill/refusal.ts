/** Why there is no history, in a sentence for whoever asked for it. */
export class BackfillRefusal extends Error {
  override readonly name = 'BackfillRefusal';
  /** Whether something else must be asked for, rather than the same again later. */
  readonly misused: boolean;

  constructor(sentence: string, { misused }: { readonly misused: boolean }) {
    super(sentence);
    this.misused = misused;
  }
}
