import { readConfigDocument } from '../configuration/document.ts';
import { readConfigFile } from '../configuration/file.ts';
import { findings } from '../configuration/findings.ts';
import type { Environment } from '../configuration/interpolation.ts';
import { type ConfigIssue, inOrder } from '../configuration/issue.ts';
import { type AlertSettings, SHIPPED } from './alert-settings.ts';
import { ALERTS_FILE, alertsJsonSchema } from './alerts-schema.ts';

export type LoadedAlerts =
  | { readonly ok: true; readonly settings: AlertSettings }
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] };

/** Reads an alerts file. Whatever is wrong with it comes back as issues, all of them at once. */
export async function loadAlertsFile(file: string, env: Environment): Promise<LoadedAlerts> {
  const read = await readConfigFile(file);
  if ('problem' in read) return { ok: false, issues: [{ source: file, path: '', message: read.problem }] };
  const { value, issues, place } = readConfigDocument(read.text, file, env);
  if (value === undefined) return { ok: false, issues: inOrder(issues) };
  // A file in which everything is commented out says nothing, and nothing is wrong with that.
  if (value === null && issues.length === 0) return { ok: true, settings: SHIPPED };
  const parsed = ALERTS_FILE.safeParse(value, { reportInput: true });
  if (parsed.success && issues.length === 0) return { ok: true, settings: parsed.data };
  const found = parsed.success ? [] : findings(parsed.error, alertsJsonSchema()).map(place);
  return { ok: false, issues: inOrder([...issues, ...found]) };
}
