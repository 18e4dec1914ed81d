import picomatch from 'picomatch';
import type { Labels } from '../catalogue/family.ts';
import type { Receiver } from '../configuration/push-settings.ts';

/** What a sample is selected by. */
interface Selectable {
  readonly family: { readonly name: string };
  readonly labels: Labels;
}

/** Whether a sample is of the families and accounts that a receiver is to have; what is of no account, every receiver has. */
export function selectionOf({
  families,
  accounts,
}: Pick<Receiver, 'families' | 'accounts'>): (sample: Selectable) => boolean {
  const isFamily = picomatch([...families]);
  const isAccount = picomatch([...accounts]);
  return ({ family, labels: { account } }) =>
    isFamily(family.name) && (account === undefined || isAccount(account));
}
