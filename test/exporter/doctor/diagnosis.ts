import { type Clock, systemClock } from '../../../src/exporter/clock.ts';
import { CONFIG } from '../../../src/exporter/configuration/schema.ts';
import { type ExaminationOptions, examine } from '../../../src/exporter/doctor/examination.ts';
import type { Step } from '../../../src/exporter/doctor/step.ts';
import {
  createSandbox,
  DEFAULT_TOKEN,
  type Sandbox,
  type SandboxOptions,
} from '../../../src/sandbox/sandbox.ts';

export interface Case {
  readonly sandbox?: SandboxOptions;
  readonly account?: Record<string, unknown>;
  readonly clock?: Clock;
  readonly lookup?: ExaminationOptions['lookup'];
  readonly before?: (sandbox: Sandbox, url: string) => Promise<unknown>;
}

export interface Diagnosis {
  readonly steps: readonly Step[];
  readonly sandbox: Sandbox;
  readonly url: string;
  /** Returns the step with this name; undefined if there is none. */
  of(name: string): Step | undefined;
}

const SMALL = {
  collectors: {
    metrics: { products: { edge_applications: { metrics: ['status_code', 'waf'] } } },
    domains: {},
    error_responses: {},
  },
};

/** Examines an account of a sandbox over real HTTP. */
export async function diagnose(given: Case = {}): Promise<Diagnosis> {
  const { account, clock = systemClock, lookup, before } = given;
  const sandbox = createSandbox({ now: () => clock.now(), ...given.sandbox });
  const { url, close } = await sandbox.listen(0);
  try {
    await before?.(sandbox, url);
    const steps = await examined(
      { api_url: url, token: DEFAULT_TOKEN.token, ...SMALL, ...account },
      clock,
      lookup,
    );
    return { steps, sandbox, url, of: (name) => steps.find(({ step }) => step === name) };
  } finally {
    await close();
  }
}

/** Examines an account with this configuration. */
export async function examined(
  account: Record<string, unknown>,
  clock: Clock = systemClock,
  lookup?: ExaminationOptions['lookup'],
): Promise<Step[]> {
  const given = Object.entries(account).filter(([, value]) => value !== undefined);
  const [only] = CONFIG.parse({ accounts: [{ name: 'test', ...Object.fromEntries(given) }] }).accounts;
  if (only === undefined) throw new Error('one account was configured');
  const { signal } = new AbortController();
  const steps: Step[] = [];
  const looking = lookup === undefined ? {} : { lookup };
  for await (const step of examine({ account: only, clock, signal, guard: () => {}, ...looking }))
    steps.push(step);
  return steps;
}
