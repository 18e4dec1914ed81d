import type { Outcome } from '../platform/outcome.ts';
import type { Endpoint } from './network-steps.ts';
import { type Step, stepsNamed } from './step.ts';
import { shakeHands } from './tls-step.ts';

/** How the first read of the API ended. */
export interface FirstAnswer {
  readonly outcome: Outcome;
  readonly reason?: string | undefined;
}

const HINTS: Partial<Readonly<Record<Outcome, string>>> = {
  undecodable: 'is api_url the address of the API, and not of a web page, a proxy or a login?',
  not_acceptable: 'is api_url the address of the API, and not of a web page or a proxy?',
  server_error: 'the platform itself is in trouble: try again later',
  timeout: 'is the platform busy, or is request.timeout too short?',
  network: 'the port is open, but no answer came',
};

/** Whether what answers is the API; undefined when the answer was one of its own. */
export async function apiStep(
  { outcome, reason = '' }: FirstAnswer,
  endpoint: Endpoint,
  timeoutMs: number,
): Promise<Step> {
  const { ok, problem } = stepsNamed('API');
  const hint = HINTS[outcome];
  if (hint === undefined) return ok('it answers as the API does');
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
