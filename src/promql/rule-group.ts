/** A group of rules as in a rule file. */
export interface Group {
  readonly name: string;
  readonly interval: string;
  readonly rules: readonly GroupRule[];
}

export type GroupRule =
  | { readonly record: string; readonly expr: string }
  | {
      readonly alert: string;
      readonly expr: string;
      readonly for?: string;
      readonly keep_firing_for?: string;
      readonly labels: Readonly<Record<string, string | undefined>>;
    };
