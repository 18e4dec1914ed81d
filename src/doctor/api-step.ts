import type { Outcome } from '../platform/outcome.ts';
import type { Endpoint } from './network-steps.ts';
import { type Step, stepsNamed } from './step.ts';
import { shakeHands } from './tls-step.ts';

/** How the first read of the API ended. */
export interface FirstAnswer {
  readonly outcome: Outcome;
  readonly reason?: string | undefined;
  /** Whether what answered does not look like the API. */
  readonly strange?: boolean | undefined;
}

const STRANGE = 'is api_url the address of the API, and not of a web page, a proxy or a login?';

const HINTS: Partial<Readonly<Record<Outcome, string>>> = {
  server_error: 'the platform itself is in trouble: try again later',
  timeout: 'is the platform busy, or is request.timeout too short?',
  network: 'the port is open, but no answer came',
};

/**
 * Whether what answers is the API.
 * @param recognised whether any answer so far was one that only the platform gives
 */
export async function apiStep(
  { outcome, reason = '', strange = false }: FirstAnswer,
  endpoint: Endpoint,
  timeoutMs: number,
  recognised: boolean,
): Promise<Step> {
  const { ok, warning, problem } = stepsNamed('API');
  const hint = strange && !recognised ? STRANGE : HINTS[outcome];
  if (hint === undefined) {
    if (outcome === 'ok' || outcome === 'empty' || recognised) return ok('it answers as the API does');
    return warning(`${reason}: so may many servers answer; is api_url right?`);
  }
  const garbled = outcome === 'network' || outcome === 'undecodable';
  if (garbled && !endpoint.encrypted && (await speaksTls(endpoint, timeoutMs))) {
    return problem(`${reason}: api_url begins with http, but this port speaks TLS; write https`);
  }
  return problem(`${reason}; ${hint}`);
}

function speaksTls(endpoint: Endpoint, timeoutMs: number): Promise<boolean> {
  return shakeHands(endpoint, { timeoutMs, trusted: 'or_not' }).then(
    () => true,
    // Whatever the reason: it is no TLS that could be spoken here.
    () => false,
  );
}
