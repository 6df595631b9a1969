// Two answers about one record: each member that the specification lists is as it was before.

import { isDeepStrictEqual } from 'node:util';
import { epochMs, sameAmount } from '../../engine/judge/matchers.ts';
import type { Rules, ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import { printJson } from '../../engine/send/json.ts';
import { ACCOUNT_MEMBERS, BATCH_MEMBERS, TRANSACTION_MEMBERS } from '../../spec/literals.ts';

/** Every listed member is as before, except the named ones. Others are not judged. */
export function expectUnchanged(
  t: ScenarioContext,
  rules: Rules,
  before: Answer,
  now: Answer,
  ...but: string[]
): void {
  const changed = listedIn(before).filter(
    (name) => !but.includes(name) && !readsAlike(name, before.at(name), now.at(name)),
  );
  const seen = changed.map((name) => `${name}: ${printJson(now.at(name))}`).join(', ');
  const besides = but.length === 0 ? '' : ` except for ${but.join(' and ')}`;
  t.expect(rules, now).is(`every member as before${besides}`, seen === '', seen, before);
}

function listedIn({ operation }: Answer): readonly string[] {
  if (operation === 'bulkCreateAccounts') return BATCH_MEMBERS;
  const isOfAccount = operation === 'createAccount' || operation === 'updateAccount';
  return isOfAccount ? ACCOUNT_MEMBERS : TRANSACTION_MEMBERS;
}

/** CONV-1a, CONV-2a, CONV-4 judge the form of ids, amounts and times. */
function readsAlike(name: string, was: Json | undefined, is: Json | undefined): boolean {
  if (isDeepStrictEqual(was, is)) return true;
  if (was === undefined || is === undefined) return false;
  if (name === 'amount') return sameAmount(String(was)).test(String(is));
  if (name === 'created_at') return !epochMs.test(was) || !epochMs.test(is);
  return /(^|_)id$/.test(name) && String(was) === String(is);
}
