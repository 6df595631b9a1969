// What an operator does to the platform, as inputs like any other: named, with plain arguments, so
// that a run can be recorded.

import type { Behaviour } from '../behaviour.ts';
import type { StepResult } from '../step.ts';
import type { World } from '../world.ts';
import { type CommandContext, type CommandOutcome, type CommandTable, refused } from './command.ts';
import { changeCredential, changeFirm, createCredential } from './credentials.ts';
import {
  disableSubscription,
  makeEvent,
  makeSubscription,
  resumeSubscription,
  retryDelivery,
} from './deliveries.ts';
import { clearFaults, makeFault, removeFault } from './faults.ts';
import { createTradingAccount, settle } from './money.ts';
import { setForward, setName } from './names.ts';

export type { CommandOutcome } from './command.ts';

const commands = {
  createCredential,
  changeCredential,
  changeFirm,
  createTradingAccount,
  settle,
  makeFault,
  removeFault,
  clearFaults,
  setName,
  setForward,
  makeEvent,
  makeSubscription,
  disableSubscription,
  retryDelivery,
  resumeSubscription,
} as const satisfies CommandTable;

export type CommandName = keyof typeof commands;
export type CommandArguments<N extends CommandName> = Parameters<(typeof commands)[N]>[1];

export interface CommandInput {
  readonly kind: 'command';
  readonly atMs: number;
  readonly name: CommandName;
  readonly args: unknown;
}

export function executeCommand(
  world: World,
  behaviour: Behaviour,
  { name, args }: CommandInput,
): StepResult {
  const context: CommandContext = { world, behaviour, atMs: world.nowMs };
  const run = commands[name] as
    | ((context: CommandContext, args: unknown) => CommandOutcome)
    | undefined;
  if (run === undefined) return { effects: [], outcome: refused('name', `no command ${name}`) };
  const outcome = run(context, args);
  return { effects: 'effects' in outcome ? (outcome.effects ?? []) : [], outcome };
}
