import type { Environment } from '../configuration/environment.ts';
import { createLogger, type Logging } from '../logging/log.ts';
import { type Output, showingAll } from '../text/output.ts';
import { readVersion } from '../version.ts';
import { parseCommandLine, type RunRequest } from './cli.ts';
import { type Commands, EXIT, type ExitCode } from './command.ts';
import { completionScript } from './completion.ts';
import type { CommandName } from './flags.ts';
import { commandHelp, programHelp } from './help.ts';
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
      stdout.write(`edge-exporter ${await readVersion()} (node ${process.version})\n`);
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
