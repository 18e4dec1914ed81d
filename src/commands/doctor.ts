import { systemClock } from '../exporter/clock.ts';
import { EXIT, type ExitCode, type Invocation } from '../exporter/command-line/command.ts';
import { type Receiver, secretsOfReceiver } from '../exporter/configuration/push-settings.ts';
import type { AccountConfig } from '../exporter/configuration/schema.ts';
import { examine } from '../exporter/doctor/examination.ts';
import { receiverStep } from '../exporter/doctor/network-steps.ts';
import { stateStep } from '../exporter/doctor/state-step.ts';
import { type Step, stepsNamed, stepText } from '../exporter/doctor/step.ts';
import { type Colour, paint } from '../exporter/text/output.ts';
import { type AccountsAsked, accountsAsked } from './accounts-asked.ts';

type Doctor = Invocation<'doctor'>;

/** Checks each account step by step and lists what is missing. */
export async function doctor(invocation: Doctor): Promise<ExitCode> {
  const { flags, env, stdout } = invocation;
  const asked = await accountsAsked(invocation);
  if (asked === undefined) return EXIT.misused;
  const painted = (colour: Colour, text: string) => paint(stdout, env, colour, text);
  const show = (text: string) => void (flags.json || stdout.write(text));
  const shown = async (head: string, found: AsyncIterable<Step>): Promise<Step[]> => {
    const steps: Step[] = [];
    for await (const step of found) {
      if (steps.length === 0) show(head);
      steps.push(step);
      show(stepText(step, painted));
    }
    return steps;
  };
  const accounts: { account: string; api_url: string; ok: boolean; steps: Step[] }[] = [];
  for (const account of asked.accounts) {
    const { name, api_url } = account;
    const head = `${accounts.length > 0 ? '\n' : ''}account ${name} at ${api_url}\n`;
    const steps = await shown(head, accountSteps(account, asked, invocation));
    show(conclusion(steps, (step) => stepText(step, painted)));
    accounts.push({ account: name, api_url, ok: count(steps, 'problem') === 0, steps });
  }
  const state = await shown('\nstate\n', stateSteps(flags['state.dir']));
  const receivers = await shown('\npush\n', receiverSteps(asked.receivers, invocation));
  if (flags.json) stdout.write(`${JSON.stringify({ accounts, receivers, state }, null, 2)}\n`);
  const isGood = accounts.every(({ ok }) => ok) && count([...receivers, ...state], 'problem') === 0;
  return isGood ? EXIT.ok : EXIT.failed;
}

async function* accountSteps(account: AccountConfig, { source }: AccountsAsked, { signal, logging }: Doctor) {
  const { kind } = account.credentials;
  yield stepsNamed('configuration').ok(`${source} is valid; authenticates by ${kind}`);
  yield* examine({ account, clock: systemClock, signal, guard: logging.guard });
}

async function* stateSteps(directory: string | undefined) {
  if (directory !== undefined) yield stateStep(directory);
}

async function* receiverSteps(receivers: readonly Receiver[], { signal, logging }: Doctor) {
  for (const receiver of receivers) {
    for (const secret of secretsOfReceiver(receiver)) logging.guard(secret);
    yield receiverStep(receiver, systemClock, signal);
  }
}

/** Returns a text with the number of problems and warnings. It repeats the problems, the first of which causes the others. */
function conclusion(steps: readonly Step[], text: (step: Step) => string): string {
  const problems = steps.filter(({ status }) => status === 'problem');
  const warnings = count(steps, 'warning');
  const again =
    problems.length === 0 ? '' : `\nproblems, the first one first:\n${problems.map(text).join('')}`;
  const found = [
    counted(problems.length, 'problem'),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  return `${again}${found.join(', ')}\n`;
}

function count(steps: readonly Step[], status: Step['status']): number {
  return steps.filter((step) => step.status === status).length;
}

function counted(amount: number, noun: string): string {
  return `${amount === 0 ? 'no' : amount} ${noun}${amount === 1 ? '' : 's'}`;
}
