// Every scenario, in the order of the catalogue. Each export of these files is a list of scenarios, or
// one scenario whose id is its name in kebab case: `accReferenceKnown` is `acc-reference-known`.
import { type RuleId, rules } from '../../fixtures/rules.ts';
import { moveScenarios } from '../cases/moves.ts';
import { replayMatrices } from '../cases/replays.ts';
import { scopeScenarios } from '../cases/scopes.ts';
import type { Scenario, Story } from '../engine/types.ts';
import * as authentication from './access/authentication.ts';
import * as reach from './access/reach.ts';
import * as tokens from './access/tokens.ts';
import * as accounts from './accounts/accounts.ts';
import * as bulk from './bulk/create.ts';
import * as conventions from './conventions/conventions.ts';
import * as forms from './delivery/form.ts';
import * as progress from './delivery/progress.ts';
import * as retries from './delivery/retries.ts';
import * as routing from './delivery/routing.ts';
import * as errors from './errors/errors.ts';
import * as concurrency from './idempotency/concurrency.ts';
import * as keys from './idempotency/keys.ts';
import * as repeats from './idempotency/repeats.ts';
import * as limits from './limits/limits.ts';
import * as transactions from './transactions/transactions.ts';
import * as transitions from './transitions/transitions.ts';
import * as updates from './updates/updates.ts';
import * as webhooks from './webhooks/webhooks.ts';

const FAMILIES: readonly Readonly<Record<string, Story | readonly Scenario[]>>[] = [
  ...[conventions, accounts, updates, bulk, transactions, transitions],
  ...[authentication, tokens, reach, keys, repeats, concurrency],
  ...[webhooks, routing, forms, retries, progress, errors, limits],
];

const all = [
  ...[...moveScenarios, ...replayMatrices, ...scopeScenarios],
  ...FAMILIES.flatMap((family) =>
    Object.entries(family).flatMap(([name, story]) =>
      'run' in story ? { id: idOf(name), ...story } : story,
    ),
  ),
];

function idOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const order = new Map<RuleId, number>(rules.map(({ id }, at) => [id, at]));
const placeOf = ({ rules: [first] }: Scenario) => order.get(first!) ?? 0;

export const scenarios: readonly Scenario[] = all.sort((a, b) => placeOf(a) - placeOf(b));
