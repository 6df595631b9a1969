// Coverage as the control plane shows it: schemas, and the types that follow.
import {
  anyText,
  listOf,
  mapOf,
  object,
  type ValueOf,
  whole,
} from '../../../fixtures/schemas/kit.ts';
import { describeHints } from '../../core/explain/hints.ts';

const count = (description: string) => whole(description, 0, 1e15);
const counts = (description: string) => mapOf(description, { type: 'integer' });

export const coverageSchema = object('What calls have met so far.', {
  rules: object('The rules.', {
    met: count('Rules that were met.'),
    of: count('Rules that there are.'),
    ids: counts('How often each was met.'),
  }),
  operations: counts('Calls by operation.'),
  refusals: counts('Refusals by status and code.'),
  transitions: counts('Transitions of transactions and subscriptions.'),
  events: counts('Events by kind.'),
  hints: listOf(
    object('A hint that was told.', {
      code: anyText(`What it is about:\n${describeHints()}`),
      count: count('How often.'),
      words: anyText('What was told the last time.'),
      request: anyText('The call of the last time.'),
    }),
    'Hints on calls.',
  ),
  not_met: listOf(
    object('A rule that nothing has met.', {
      id: anyText('Rule.'),
      words: anyText('What it says.'),
      line: anyText('A line for a shell that meets it, with the variables of `sandbox exec`.'),
    }),
    'The most worth trying first.',
  ),
  not_reachable: listOf(
    object('A rule that no call can meet.', {
      id: anyText('Rule.'),
      why: anyText('What is in the way.'),
    }),
    'Rules that no call can meet from outside.',
  ),
});
export type CoverageShown = ValueOf<typeof coverageSchema>;
