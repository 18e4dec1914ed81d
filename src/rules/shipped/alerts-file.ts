import { z } from 'zod';
import { readConfigFile, written } from '../../exporter/configuration/document.ts';
import type { Environment } from '../../exporter/configuration/environment.ts';
import { duration, refuse, text } from '../../exporter/configuration/field-types.ts';
import { type ConfigIssue, findings, inOrder } from '../../exporter/configuration/issue.ts';
import { ALERTS, type AlertKind, type AlertName, type Parameter } from './alert-catalogue.ts';
import {
  type AlertChoice,
  type AlertChoices,
  type AlertSettings,
  globMistake,
  SHIPPED,
} from './alert-settings.ts';

import { DAY } from './times.ts';

const YEAR = 365 * DAY;

const NAMES = Object.keys(ALERTS) as AlertName[];

function parameterSchema({ kind, default: usual, min = 0, about }: Parameter): z.ZodType<number> {
  const described = `${about} Shipped: ${kind === 'duration' ? `${usual / 60_000}m` : usual}.`;
  switch (kind) {
    case 'duration':
      return duration({ min, max: YEAR }).describe(described);
    case 'share':
      return z.number().min(0).max(1).describe(described);
    case 'number':
      return z.number().min(min).describe(described);
  }
}

function choiceSchema({ severity, parameters }: AlertKind) {
  const values = Object.entries(parameters).map(
    ([name, parameter]) => [name, parameterSchema(parameter).exactOptional()] as const,
  );
  return z
    .strictObject({
      enabled: z.boolean().exactOptional().describe('Whether there is this alert.'),
      severity: z
        .enum(['page', 'ticket', 'info'])
        .exactOptional()
        .describe(`How grave its gravest form is: lesser forms stay below. Shipped: ${severity}.`),
      ...Object.fromEntries(values),
    })
    .transform(
      ({ enabled, severity: chosen, ...rest }): AlertChoice => ({
        enabled,
        severity: chosen,
        values: rest as Readonly<Record<string, number>>,
      }),
    );
}

const CHOICES = z
  .strictObject(
    Object.fromEntries(
      NAMES.map((name) => [name, choiceSchema(ALERTS[name]).exactOptional().describe(`The alert ${name}.`)]),
    ),
  )
  .transform((choices): AlertChoices => choices);

const globs = z
  .array(
    text().superRefine((glob, context) => {
      const mistake = globMistake(glob);
      if (mistake !== undefined) context.addIssue({ code: 'custom', message: mistake });
    }),
  )
  .min(1, 'must not be empty');

const SELECTION = {
  accounts: globs.exactOptional().describe('Names of accounts, with *, ? and {a,b}; without it all.'),
  products: globs.exactOptional().describe('Products; without it all.'),
  configurations: globs
    .exactOptional()
    .describe('Names of configurations, with *, ? and {a,b}; without it all.'),
};

type Selected = { readonly [Key in keyof typeof SELECTION]?: unknown };

/** Returns the reason why a selection cannot apply to an alert; undefined if it can. */
function levelMistake(name: AlertName, { products, configurations }: Selected): string | undefined {
  const { level } = ALERTS[name];
  if (level === 'exporter') return 'is about the exporter as a whole: choose it under alerts';
  const finer = products !== undefined || configurations !== undefined;
  return level === 'account' && finer ? 'knows accounts only, not products or configurations' : undefined;
}

const OVERRIDE = z
  .strictObject({ ...SELECTION, alerts: CHOICES.describe('What is chosen for these.') })
  .superRefine((given, context) => {
    const { accounts, products, configurations } = given;
    if (accounts === undefined && products === undefined && configurations === undefined) {
      context.addIssue({ code: 'custom', message: 'expected accounts, products or configurations' });
    }
    for (const name of Object.keys(given.alerts) as AlertName[]) {
      const message = levelMistake(name, given);
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['alerts', name], message });
    }
  })
  .transform(({ alerts, ...where }) => ({ where, alerts }));

const MOMENT = z.string().transform((given, context) => {
  const whole = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(given);
  const ms = whole ? Date.parse(given) : Number.NaN;
  return Number.isNaN(ms) ? refuse(context, 'expected a time such as "2026-01-31T12:00:00Z"') : ms;
});

const ACCEPTED = z
  .strictObject({
    ...SELECTION,
    from: MOMENT.describe('Since when a level is usual: "2026-01-31T12:00:00Z".'),
  })
  .transform(({ from, ...where }) => ({ where, from }));

function url(about: string) {
  return z
    .string()
    .regex(/^https?:\/\/[^\s/\p{C}][^\p{C}]*$/u, 'expected an address such as "https://grafana.example.net"')
    .transform((given) => given.replace(/\/+$/, ''))
    .describe(about);
}

/** Schema of an alerts file: as written in YAML (input), and as used for rules (output). */
export const ALERTS_FILE = z
  .strictObject({
    runbook_url: url('Page of the runbook; each alert links to its section.').exactOptional(),
    dashboard_url: url('Grafana, where the dashboards are; without it alerts link to none.').exactOptional(),
    accept_after: duration({ min: 3_600_000, max: YEAR })
      .exactOptional()
      .describe('After how long a level that stays above its threshold is taken for usual. Shipped: 2d.'),
    accepted: z
      .array(ACCEPTED)
      .default([])
      .describe('Levels that are usual from a moment on, so that nobody waits for accept_after.'),
    alerts: CHOICES.prefault({}).describe('What is chosen for all.'),
    overrides: z
      .array(OVERRIDE)
      .default([])
      .describe(
        'What is chosen for some. Of those that apply, the first that says something of a value holds.',
      ),
  })
  .transform(
    (given): AlertSettings => ({
      links: {
        runbook: given.runbook_url ?? SHIPPED.links.runbook,
        grafana: given.dashboard_url ?? SHIPPED.links.grafana,
      },
      acceptAfter: given.accept_after ?? SHIPPED.acceptAfter,
      accepted: given.accepted,
      alerts: given.alerts,
      overrides: given.overrides,
    }),
  );

/** Returns the JSON Schema of an alerts file, for editors. */
export function alertsJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(ALERTS_FILE.meta({ title: 'Alerts of edge-exporter' }), { io: 'input' });
}

export type LoadedAlerts =
  | { readonly ok: true; readonly settings: AlertSettings }
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] };

/** Reads an alerts file. Returns all its mistakes at once as issues. */
export async function loadAlertsFile(file: string, env: Environment): Promise<LoadedAlerts> {
  const { value, issues, place } = written(file, await readConfigFile(file), env);
  if (value === undefined) return { ok: false, issues: inOrder(issues) };
  // A file with comments only is valid.
  if (value === null && issues.length === 0) return { ok: true, settings: SHIPPED };
  const parsed = ALERTS_FILE.safeParse(value, { reportInput: true });
  if (parsed.success && issues.length === 0) return { ok: true, settings: parsed.data };
  const found = parsed.success ? [] : findings(parsed.error, alertsJsonSchema()).map(place);
  return { ok: false, issues: inOrder([...issues, ...found]) };
}
