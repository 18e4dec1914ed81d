import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { unpackedBinary } from './debian-packages.ts';
import { unpackedFromNpm } from './npm-binaries.ts';

const VERSION_2: Wanted = {
  version: '2.42 or a later 2.x',
  asked: '--version',
  answer: /version 2\.(4[2-9]|[5-9]\d)\./,
};
const VERSION_3: Wanted = { version: '3.x', asked: '--version', answer: /version 3\./ };

const TOOLS = {
  prometheus: {
    variable: 'PROMETHEUS_BIN',
    names: ['prometheus'],
    wanted: VERSION_2,
    debian: 'prometheus',
  },
  promtool: { variable: 'PROMTOOL_BIN', names: ['promtool'], wanted: VERSION_2, debian: 'prometheus' },
  prometheus3: {
    variable: 'PROMETHEUS3_BIN',
    names: ['prometheus'],
    wanted: VERSION_3,
    debian: 'prometheus/testing',
  },
  promtool3: {
    variable: 'PROMTOOL3_BIN',
    names: ['promtool'],
    wanted: VERSION_3,
    debian: 'promtool/testing',
  },
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
    // The output of Debian's build has no version.
    wanted: { version: 'one that takes OTLP', asked: '-help', answer: /opentelemetry/ },
    // Trixie is the first release whose build accepts OTLP.
    debian: 'victoria-metrics/trixie',
  },
  jsonnet: {
    variable: 'JSONNET_BIN',
    names: ['jsonnet'],
    debian: 'jsonnet',
  },
  tinyproxy: { variable: 'TINYPROXY_BIN', names: ['tinyproxy'], debian: 'tinyproxy-bin' },
  'systemd-analyze': { variable: 'SYSTEMD_ANALYZE_BIN', names: ['systemd-analyze'], debian: 'systemd' },
  helm: { variable: 'HELM_BIN', names: ['helm'], debian: undefined, npm: true },
  // Only `kubectl kustomize` is used; no cluster exists.
  kubectl: { variable: 'KUBECTL_BIN', names: ['kubectl'], debian: undefined, npm: true },
  chromium: {
    variable: 'CHROMIUM_PATH',
    names: ['chromium', 'chromium-browser', 'google-chrome', 'chrome'],
    debian: undefined,
  },
} as const satisfies Record<string, Place>;

interface Wanted {
  readonly version: string;
  /** Argument that makes the program report its version or features. */
  readonly asked: string;
  readonly answer: RegExp;
}

interface Place {
  /** Environment variable with the program's path. If it is set, no other location is searched. */
  readonly variable: string;
  readonly names: readonly string[];
  /** Required version or feature; undefined: any version. */
  readonly wanted?: Wanted;
  /**
   * Debian package (with `/` and its release) to unpack into the cache; undefined if none is used. Chromium
   * depends on too many other packages for that.
   */
  readonly debian: string | undefined;
  readonly npm?: true;
}

export type Tool = keyof typeof TOOLS;

const ALL = Object.keys(TOOLS) as Tool[];

/** Tools that npm provides. */
export const NPM_TOOLS: readonly Tool[] = ALL.filter((tool) => 'npm' in TOOLS[tool]);

/** Tools that tests unpack if they are missing. */
export const TOOLS_TO_UNPACK: readonly Tool[] = ALL.filter(
  (tool) => 'npm' in TOOLS[tool] || TOOLS[tool].debian !== undefined,
);

/** Returns the Debian packages that contain these tools. */
export function packagesOf(tools: readonly Tool[]): readonly string[] {
  return [...new Set(tools.flatMap((tool) => TOOLS[tool].debian ?? []))];
}

/** Debian packages of PostgreSQL 15, and of the libraries that a slim system lacks. */
export const POSTGRES_PACKAGES = [
  'postgresql-15',
  'libpq5',
  'libicu72',
  'libxslt1.1',
  'libxml2',
  'libldap-2.5-0',
  'libsasl2-2',
];

/**
 * Returns the path of a tool from its variable, an unpacked Debian package, or the PATH; undefined if none
 * has the required version.
 */
export function findTool(tool: Tool, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return lookFor(tool, environment).found;
}

function lookFor(tool: Tool, environment: NodeJS.ProcessEnv) {
  const { wanted }: Place = TOOLS[tool];
  const there = placesOf(tool, environment).filter((path) => existsSync(path));
  const found = there.find(
    (path) => wanted === undefined || wanted.answer.test(answerOf(path, wanted.asked)),
  );
  return { found, others: found === undefined ? there : [] };
}

function placesOf(tool: Tool, environment: NodeJS.ProcessEnv): readonly string[] {
  const { variable, names, debian, npm }: Place = TOOLS[tool];
  const named = environment[variable];
  if (named) return [named];
  const unpacked = debian === undefined ? [] : names.map((name) => unpackedBinary(debian, name));
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const installed = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  const fromNpm = npm ? names.map(unpackedFromNpm) : [];
  return [...unpacked, ...fromNpm, ...installed];
}

const answers = new Map<string, string>();

function answerOf(path: string, argument: string): string {
  const question = `${path} ${argument}`;
  const known = answers.get(question);
  if (known !== undefined) return known;
  const { stdout, stderr } = spawnSync(path, [argument], { encoding: 'utf8' });
  const answer = `${stdout ?? ''}${stderr ?? ''}`;
  answers.set(question, answer);
  return answer;
}

/** Returns a line that explains how to install a missing tool or version. */
export function howToGet(tool: Tool, environment: NodeJS.ProcessEnv = process.env): string {
  const { variable, names, wanted }: Place = TOOLS[tool];
  const version = wanted === undefined ? '' : ` (${wanted.version})`;
  const { others } = lookFor(tool, environment);
  const found = others.length > 0 ? ` (${others.join(' and ')} is of another version)` : '';
  return `${tool}${version} is missing${found}: install it on the PATH (as ${names.join(' or ')}), or set ${variable} to its path`;
}

/**
 * Returns the path of a tool.
 * @throws an error whose message says in one line how to install the tool
 */
export function toolPath(tool: Tool, environment: NodeJS.ProcessEnv = process.env): string {
  const path = findTool(tool, environment);
  if (path === undefined) throw new Error(howToGet(tool, environment));
  return path;
}
