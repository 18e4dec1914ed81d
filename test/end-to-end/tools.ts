import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { unpackedBinary } from './debian-packages.ts';
import { unpackedFromNpm } from './npm-binaries.ts';

/** The programs that tests run as they are, with where each is looked for. */
const TOOLS = {
  prometheus: { variable: 'PROMETHEUS_BIN', names: ['prometheus'], debian: 'prometheus' },
  promtool: { variable: 'PROMTOOL_BIN', names: ['promtool'], debian: 'prometheus' },
  prometheus3: { variable: 'PROMETHEUS3_BIN', names: ['prometheus'], debian: 'prometheus/testing' },
  promtool3: { variable: 'PROMTOOL3_BIN', names: ['promtool'], debian: 'promtool/testing' },
  alertmanager: {
    variable: 'ALERTMANAGER_BIN',
    names: ['prometheus-alertmanager', 'alertmanager'],
    debian: 'prometheus-alertmanager',
  },
  amtool: { variable: 'AMTOOL_BIN', names: ['amtool'], debian: 'prometheus-alertmanager' },
  pushgateway: {
    variable: 'PUSHGATEWAY_BIN',
    names: ['prometheus-pushgateway', 'pushgateway'],
    debian: 'prometheus-pushgateway',
  },
  'victoria-metrics': {
    variable: 'VICTORIA_METRICS_BIN',
    names: ['victoria-metrics'],
    // The first release whose build takes OTLP.
    debian: 'victoria-metrics/trixie',
  },
  tinyproxy: { variable: 'TINYPROXY_BIN', names: ['tinyproxy'], debian: 'tinyproxy-bin' },
  'systemd-analyze': { variable: 'SYSTEMD_ANALYZE_BIN', names: ['systemd-analyze'], debian: 'systemd' },
  helm: { variable: 'HELM_BIN', names: ['helm'], debian: undefined, npm: true },
  // Only for `kubectl kustomize`: there is no cluster.
  kubectl: { variable: 'KUBECTL_BIN', names: ['kubectl'], debian: undefined, npm: true },
  chromium: {
    variable: 'CHROMIUM_PATH',
    names: ['chromium', 'chromium-browser', 'google-chrome', 'chrome'],
    debian: undefined,
  },
} as const satisfies Record<string, Place>;

interface Place {
  /** Names the program's path, and then nothing else is looked at. */
  readonly variable: string;
  readonly names: readonly string[];
  /** The Debian package (`/` and its release) that is unpacked into the cache. Chromium depends on too many others for that. */
  readonly debian: string | undefined;
  /** Whether it comes in a package of npm's (npm-binaries.ts). */
  readonly npm?: true;
}

export type Tool = keyof typeof TOOLS;

/** The Debian packages that the tools come from. */
export const DEBIAN_PACKAGES: readonly string[] = [
  ...new Set(Object.values(TOOLS).flatMap(({ debian }) => debian ?? [])),
];

/** The tools of a Debian package, or all that have one. */
export function toolsOf(debianPackage: string): Tool[] {
  return (Object.keys(TOOLS) as Tool[]).filter((tool) => TOOLS[tool].debian === debianPackage);
}

/** The tools that come from npm. */
export const NPM_TOOLS: readonly Tool[] = (Object.keys(TOOLS) as Tool[]).filter(
  (tool) => 'npm' in TOOLS[tool],
);

/** The path of a tool: as its variable says, or unpacked from Debian, or on the PATH; undefined if there is none. */
export function findTool(tool: Tool, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const { variable, names, debian, npm }: Place = TOOLS[tool];
  const named = environment[variable];
  if (named) return existsSync(named) ? named : undefined;
  const unpacked = debian === undefined ? [] : names.map((name) => unpackedBinary(debian, name));
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const installed = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  const fromNpm = npm ? names.map(unpackedFromNpm) : [];
  return [...unpacked, ...fromNpm, ...installed].find(existsSync);
}

/** The one line that helps whoever lacks a tool. */
export function howToGet(tool: Tool): string {
  const { variable, names } = TOOLS[tool];
  return `${tool} is missing: install it on the PATH (as ${names.join(' or ')}), or set ${variable} to its path`;
}

/**
 * The path of a tool.
 * @throws an error whose one line says what to install
 */
export function toolPath(tool: Tool, environment: NodeJS.ProcessEnv = process.env): string {
  const path = findTool(tool, environment);
  if (path === undefined) throw new Error(howToGet(tool));
  return path;
}
