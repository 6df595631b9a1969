// What an operator does to the platform, as inputs like any other: named, with plain arguments, so
// that a run can be recorded.
import { type ActContext, type ActOutcome, type ActTable, refused } from './acts/act.ts';
import { changeCredential, changeFirm, createCredential } from './acts/credentials.ts';
import {
  makeEvent,
  makeSubscription,
  resumeSubscription,
  retryDelivery,
} from './acts/deliveries.ts';
import { clearFaults, makeFault, removeFault } from './acts/faults.ts';
import { createTradingAccount, settle } from './acts/money.ts';
import { setForward, setName } from './acts/names.ts';
import type { Behaviour } from './behaviour.ts';
import type { StepResult } from './step.ts';
import type { World } from './world.ts';

export type { ActOutcome } from './acts/act.ts';

const acts = {
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
  retryDelivery,
  resumeSubscription,
} as const satisfies ActTable;

export type ActName = keyof typeof acts;
export type ActArguments<N extends ActName> = Parameters<(typeof acts)[N]>[1];

export interface ActInput {
  readonly kind: 'act';
  readonly atMs: number;
  readonly name: ActName;
  readonly args: unknown;
}

export function act(world: World, behaviour: Behaviour, { name, args }: ActInput): StepResult {
  const context: ActContext = { world, behaviour, atMs: world.nowMs };
  const run = acts[name] as ((context: ActContext, args: unknown) => ActOutcome) | undefined;
  if (run === undefined) return { effects: [], outcome: refused('name', `no act ${name}`) };
  const outcome = run(context, args);
  return { effects: 'effects' in outcome ? (outcome.effects ?? []) : [], outcome };
}
