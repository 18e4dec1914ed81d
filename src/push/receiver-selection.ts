import picomatch from 'picomatch';
import type { Sample } from '../catalogue/family.ts';
import type { Receiver } from '../configuration/push-settings.ts';

/** Whether a sample is of the families and accounts that a receiver is to have. */
export function selectionOf({
  families,
  accounts,
}: Pick<Receiver, 'families' | 'accounts'>): (sample: Pick<Sample, 'family' | 'labels'>) => boolean {
  const isFamily = picomatch([...families]);
  const isAccount = picomatch([...accounts]);
  return ({ family, labels }) => isFamily(family.name) && isAccount(labels['account'] ?? '');
}
