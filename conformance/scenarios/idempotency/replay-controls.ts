// Asked before something is called no repeat: whether repeats are told as such here at all.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { isReplayOf, sameMembers } from './is-replay-of.ts';
import { WRITE_OPERATIONS, type WriteCommand, type WriteOperationName } from './write-commands.ts';

type Send = (key: string) => Promise<Answer>;

const DECISIONS: readonly WriteOperationName[] = [
  'approveTransaction',
  'rejectTransaction',
  'cancelTransaction',
];

/**
 * Asked only before something is called no repeat: where identical requests under one key are not
 * answered alike to begin with, or where they move the record, other rules are broken (IDEM-4).
 */
export async function requireReplays(
  t: ScenarioContext,
  operation: WriteOperationName,
): Promise<void> {
  const { words, make } = WRITE_OPERATIONS[operation];
  const command: WriteCommand = await make(t);
  const key = t.fresh.key();
  const first = await t.control(words, () => command.send(key));
  const before = await command.reread?.();
  // IDEM-15: a record that takes a moment to be found is not what is asked here.
  await t.sleep(20);
  if (!isReplayOf(await command.send(key), first)) {
    throw new Blocked(`${words}: not even an identical repeat gets the first answer`);
  }
  // A decision reads alike when it is met a second time: what it acts on shows more.
  if (DECISIONS.includes(operation)) await requireReplays(t, 'createTransaction');
  const after = await command.reread?.();
  if (before !== undefined && after !== undefined && !sameMembers(after, before)) {
    throw new Blocked(`${words}: an identical repeat moves the record`);
  }
}

/** Asked for the same reason: where bodies are compared (IDEM-8). */
export async function requireBodyIgnored(
  t: ScenarioContext,
  operation: WriteOperationName,
): Promise<void> {
  await requireReplays(t, operation);
  await requireReplayOf(t, operation, (command) => command.altered[0]);
}

/** Asked for the same reason: where an email or a tag is taken for the subject (IDEM-2c). */
export async function requireSubjectKept(
  t: ScenarioContext,
  operation: WriteOperationName,
): Promise<void> {
  await requireBodyIgnored(t, operation);
  await requireReplayOf(t, operation, (command) => command.disguised);
}

async function requireReplayOf(
  t: ScenarioContext,
  operation: WriteOperationName,
  choose: (command: WriteCommand) => Send | undefined,
): Promise<void> {
  const { words, make } = WRITE_OPERATIONS[operation];
  const command: WriteCommand = await make(t);
  const key = t.fresh.key();
  const first = await t.control(words, () => command.send(key));
  const send = choose(command);
  if (send === undefined || isReplayOf(await send(key), first)) return;
  throw new Blocked(`${words}: a repeat with another body does not get the first answer`);
}
