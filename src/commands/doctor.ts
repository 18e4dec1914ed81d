import { systemClock } from '../exporter/clock.ts';
import { EXIT, type ExitCode, type Invocation } from '../exporter/command-line/command.ts';
import { type Receiver, secretsOfReceiver } from '../exporter/configuration/push-settings.ts';
import type { AccountConfig } from '../exporter/configuration/schema.ts';
import { examine } from '../exporter/doctor/examination.ts';
import { receiverStep } from '../exporter/doctor/network-steps.ts';
import { stateStep } from '../exporter/doctor/state-step.ts';
import { type Step, stepsNamed, stepText } from '../exporter/doctor/step.ts';
import { type Colour, paint } from '../exporter/text/output.ts';
import { accountsAsked } from './accounts-asked.ts';

type Doctor = Invocation<'doctor'>;

/** Checks each account step by step and says what is missing. */
export async function doctor(invocation: Doctor): Promise<ExitCode> {
  const { flags, stdout } = invocation;
  const asked = await accountsAsked(invocation);
  if (asked === undefined) return EXIT.misused;
  const diagnoses: Awaited<ReturnType<typeof diagnose>>[] = [];
  for (const account of asked.accounts) {
    diagnoses.push(await diagnose(account, asked.source, invocation, diagnoses.length > 0 ? '\n' : ''));
  }
  const state = await stateSteps(invocation);
  const receivers = await receiverSteps(asked.receivers, invocation);
  if (flags.json) stdout.write(`${JSON.stringify({ accounts: diagnoses, receivers, state }, null, 2)}\n`);
  const isGood = diagnoses.every(({ ok }) => ok) && count([...receivers, ...state], 'problem') === 0;
  return isGood ? EXIT.ok : EXIT.failed;
}

async function stateSteps(invocation: Doctor): Promise<readonly Step[]> {
  const { flags, stdout } = invocation;
  const directory = flags['state.dir'];
  if (directory === undefined) return [];
  const step = await stateStep(directory);
  if (!flags.json) stdout.write(`\nstate\n${stepText(step, painter(invocation))}`);
  return [step];
}

async function receiverSteps(receivers: readonly Receiver[], invocation: Doctor): Promise<readonly Step[]> {
  const { flags, stdout, signal, logging } = invocation;
  const steps: Step[] = [];
  if (receivers.length > 0 && !flags.json) stdout.write('\npush\n');
  for (const receiver of receivers) {
    for (const secret of secretsOfReceiver(receiver)) logging.guard(secret);
    const step = await receiverStep(receiver, systemClock, signal);
    steps.push(step);
    if (!flags.json) stdout.write(stepText(step, painter(invocation)));
  }
  return steps;
}

async function diagnose(account: AccountConfig, source: string, invocation: Doctor, gap: string) {
  const { flags, stdout, signal, logging } = invocation;
  const show = flags.json ? () => undefined : (text: string) => stdout.write(text);
  const painted = painter(invocation);
  const steps: Step[] = [];
  const take = (step: Step) => {
    steps.push(step);
    show(stepText(step, painted));
  };
  show(`${gap}account ${account.name} at ${account.api_url}\n`);
  take(stepsNamed('configuration').ok(`${source} is valid; authenticates by ${account.credentials.kind}`));
  for await (const step of examine({ account, clock: systemClock, signal, guard: logging.guard })) take(step);
  const problems = steps.filter(({ status }) => status === 'problem');
  // Again where the eye is at the end; the first is the cause of what follows.
  if (problems.length > 0)
    show(`\nproblems, the first one first:\n${problems.map((step) => stepText(step, painted)).join('')}`);
  const warnings = count(steps, 'warning');
  show(
    `${counted(problems.length, 'problem')}${warnings === 0 ? '' : `, ${counted(warnings, 'warning')}`}\n`,
  );
  return { account: account.name, api_url: account.api_url, ok: problems.length === 0, steps };
}

function painter({ stdout, env }: Doctor) {
  return (colour: Colour, text: string) => paint(stdout, env, colour, text);
}

function count(steps: readonly Step[], status: Step['status']): number {
  return steps.filter((step) => step.status === status).length;
}

function counted(amount: number, noun: string): string {
  return `${amount === 0 ? 'no' : amount} ${noun}${amount === 1 ? '' : 's'}`;
}
