/** Why there is no history, as a sentence for the operator. */
export class BackfillRefusal extends Error {
  override readonly name = 'BackfillRefusal';
  /** Whether the command must be changed, rather than repeated later. */
  readonly misused: boolean;

  constructor(sentence: string, { misused }: { readonly misused: boolean }) {
    super(sentence);
    this.misused = misused;
  }
}
