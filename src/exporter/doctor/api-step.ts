import type { Route } from '../platform/connector.ts';
import type { Outcome } from '../platform/outcome.ts';
import type { Endpoint } from './endpoint.ts';
import { type Step, stepsNamed } from './step.ts';
import { speaksTls } from './tls-step.ts';

/** How the first read of the API ended. */
export interface FirstAnswer {
  readonly outcome: Outcome;
  readonly reason?: string | undefined;
  /** Whether what answered does not look like the API. */
  readonly foreign?: boolean | undefined;
}

/** The way to the platform. */
export interface Way {
  readonly endpoint: Endpoint;
  readonly route: Route;
  /** How long (ms) a connection may take. */
  readonly timeoutMs: number;
}

const FOREIGN = 'is api_url the address of the API, not of a web page, a proxy or a login?';

const HINTS: Partial<Readonly<Record<Outcome, string>>> = {
  server_error: 'the platform has a problem: try again later',
  timeout: 'is the platform busy, or is request.timeout too short?',
  network: 'the port is open, but no answer came',
};

/**
 * Whether what answers is the API.
 * @param recognised whether any answer so far was one that only the platform gives
 */
export async function apiStep(
  { outcome, reason = '', foreign = false }: FirstAnswer,
  { endpoint, route, timeoutMs }: Way,
  recognised: boolean,
): Promise<Step> {
  const { ok, warning, problem } = stepsNamed('API');
  // Whatever stands before the platform may pass on the headers that only it gives, with a page of its own.
  const isPage = outcome === 'undecodable' && reason.startsWith('the answer is not JSON');
  const hint = isPage || (foreign && !recognised) ? FOREIGN : HINTS[outcome];
  if (hint === undefined) {
    if (outcome === 'ok' || outcome === 'empty' || recognised) return ok('it is the API');
    return warning(`${reason}: many servers answer like that; is api_url right?`);
  }
  const garbled = outcome === 'network' || outcome === 'undecodable';
  if (garbled && !endpoint.encrypted && (await speaksTls(endpoint, route, timeoutMs))) {
    return problem(`${reason}: api_url begins with http, but this port speaks TLS; write https`);
  }
  return problem(`${reason}; ${hint}`);
}

/** Every path that was asked answers 404. */
export function nothingFoundStep(apiUrl: string, paths: number): Step {
  return stepsNamed('API').problem(
    `HTTP 404 to each of ${paths} paths that were asked: is the path of api_url right? ${apiUrl} must be the address below which /domains and /metrics are`,
  );
}
