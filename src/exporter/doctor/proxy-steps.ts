import { openTunnel, type ProxyServer, readTlsFiles, type TlsSettings } from '../platform/connector.ts';
import { networkFailure, ProxyFailure, type ProxyStep } from '../platform/network-failure.ts';
import type { Endpoint } from './endpoint.ts';
import { type Step, stepsNamed } from './step.ts';

const HINTS: Readonly<Record<ProxyStep, string>> = {
  connection: 'are address and scheme of the proxy right?',
  login: 'write them into its address: http://user:password@…',
  refusal: 'the proxy must allow CONNECT to this host and port',
  tunnel: 'is it really a proxy, and can it reach the platform?',
};

/** Whether the proxy opens a tunnel to the platform. */
export async function tunnelStep(
  proxy: ProxyServer,
  { host, port }: Endpoint,
  tls: TlsSettings,
  timeoutMs: number,
): Promise<Step> {
  const { ok, problem } = stepsNamed('tunnel');
  try {
    const { ca } = await readTlsFiles(tls);
    const tunnel = await openTunnel(proxy, { host, port }, { timeoutMs, ca });
    tunnel.destroy();
    return ok(`the proxy ${proxy.origin} (${proxy.from}) opens a tunnel to ${host} port ${port}`);
  } catch (error) {
    const hint = error instanceof ProxyFailure ? `; ${HINTS[error.step]}` : '';
    return problem(`${networkFailure(error).message}${hint}`);
  }
}
