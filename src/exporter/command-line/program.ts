import { ACCOUNT_VARIABLES, type Environment } from '../configuration/environment.ts';
import { createLogger, type Logging } from '../logging/log.ts';
import { type Output, showingAll } from '../text/output.ts';
import { VERSION } from '../version.ts';
import { parseCommandLine, type RunRequest } from './cli.ts';
import { type Commands, EXIT, type ExitCode } from './command.ts';
import { completionScript } from './completion.ts';
import { type CommandName, type Flag, type FlagName, flagsFor, flagVariable } from './flags.ts';
import { isTooFewFiles, TOO_FEW_FILES } from './process.ts';

/** The process context that the program runs in. */
export interface ProcessContext {
  /** The command line without the program's own name. */
  readonly args: readonly string[];
  readonly env: Environment;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly signal: AbortSignal;
  /** Registers what SIGHUP does; called at once where one has come already. */
  onReload(listener: () => void): void;
  /** Registers a report for uncaught errors, called before the process ends. */
  onCrash(report: (error: unknown) => void): void;
}

/** The command whose output is files: it stays as it is. */
const WRITES_FILES: CommandName = 'rules';

/** The program: does what the command line asks for and returns what the process should exit with. */
export async function run(context: ProcessContext, commands: Commands): Promise<ExitCode> {
  const { args, env, stdout, stderr } = context;
  const request = parseCommandLine(args, env, commands);
  switch (request.kind) {
    case 'version':
      stdout.write(`edge-exporter ${VERSION} (node ${process.version})\n`);
      return EXIT.ok;
    case 'completion':
      stdout.write(completionScript(request.shell, commands));
      return EXIT.ok;
    case 'help':
      stdout.write(request.command ? commandHelp(commands, request.command) : programHelp(commands));
      return EXIT.ok;
    case 'wrong':
      for (const problem of request.problems) stderr.write(`edge-exporter: ${problem}\n`);
      stderr.write('Try: edge-exporter --help\n');
      return EXIT.misused;
    case 'run': {
      const { 'log.level': level, 'log.format': format } = request.flags;
      const logging = createLogger({ level, format, destination: stderr });
      return execute(request, commands, { ...context, logging });
    }
  }
}

async function execute<Name extends CommandName>(
  { command, flags }: RunRequest<Name>,
  commands: Commands,
  { env, stdout, stderr, signal, logging, onReload, onCrash }: ProcessContext & { readonly logging: Logging },
): Promise<ExitCode> {
  const report = (error: unknown) => {
    const stack = error instanceof Error ? error.stack : undefined;
    logging.log.error({ err: error, stack }, 'the program failed: this is a bug');
  };
  onCrash(report);
  try {
    const entry: Commands[Name] = commands[command];
    if (entry === undefined) throw new Error(`no command ${command}`);
    const call = await entry.load();
    const shown = command === WRITES_FILES ? stdout : showingAll(stdout);
    return await call({ flags, env, stdout: shown, stderr: showingAll(stderr), signal, onReload, logging });
  } catch (error) {
    if (isTooFewFiles(error)) stderr.write(`error: ${TOO_FEW_FILES}\n`);
    else if (!signal.aborted || error !== signal.reason) report(error);
    return EXIT.failed;
  }
}

const INDENT = '      ';

/** What the program can do. */
export function programHelp(commands: Commands): string {
  const entries = Object.entries(commands);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return [
    'Prometheus exporter for an edge delivery platform: analytics, WAF, status codes, settings and quota.',
    '',
    'Usage: edge-exporter [<command>] [--<flag>=<value> ...]',
    '',
    'Commands (default: serve):',
    ...entries.map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    `  ${'help'.padEnd(width)}  Show the flags of a command: edge-exporter help serve.`,
    'Completions: source <(edge-exporter completion bash), or zsh.',
    '',
    'Exit codes: 0 success, 1 failure, 2 wrong usage or configuration, 3 the plan does not fit the quota.',
    '',
  ].join('\n');
}

/** What one command does, and its flags. */
export function commandHelp(commands: Commands, command: CommandName): string {
  return [
    `Usage: edge-exporter ${command} [--<flag>=<value> ...]`,
    '',
    commands[command]?.summary ?? '',
    '',
    'Flags:',
    ...flagsFor(command).flatMap(([name, flag]) => flagHelp(name, flag, command)),
    '  -h, --help',
    `${INDENT}Show this help.`,
    '  --version',
    `${INDENT}Show the version.`,
    ...accountHelp(command),
    '',
  ].join('\n');
}

/** The variables that stand for a configuration file, for the commands that take one. */
function accountHelp(command: CommandName): string[] {
  if (!flagsFor(command).some(([name]) => name === 'config.file')) return [];
  const width = Math.max(...ACCOUNT_VARIABLES.map(({ name }) => name.length));
  return [
    '',
    'Environment variables that describe one account without a --config.file:',
    ...ACCOUNT_VARIABLES.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
  ];
}

function flagHelp(name: FlagName, flag: Flag, command: CommandName): string[] {
  const placeholder = flag.words?.[command]?.join('|') ?? flag.value.placeholder;
  const { option } = flag.value;
  const switched = option === undefined ? `--[no-]${name}` : `--${name}[=<${option}>]`;
  const form = placeholder === undefined ? switched : `--${name}=<${placeholder}>`;
  const value = flag.default === undefined ? '' : `Default: ${flag.default}. `;
  return [`  ${form}`, `${INDENT}${flag.about}`, `${INDENT}${value}Environment: ${flagVariable(name)}.`];
}
