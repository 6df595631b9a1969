// Rows of coverage: which rules, refusals, transitions and events the calls so far have met.

import { oneOf } from '../../../../fixtures/schemas/kit.ts';
import { answer, nothing } from '../../reply.ts';
import { row } from '../../row.ts';
import { coverageSchema } from '../../schemas/coverage.ts';
import { viewCoverage } from '../../views/coverage.ts';

const query = {
  of: oneOf('Of this world alone, or of all together, those that were dropped among them.', [
    'world',
    'all',
  ]),
} as const;

export const coverageRows = [
  row({
    name: 'getCoverage',
    method: 'GET',
    path: 'coverage',
    tag: 'Journal',
    summary: 'What the calls so far have met',
    description:
      'By rule, operation, refusal, transition and kind of event, with the hints that were told; and for each rule that nothing has met the line that would. A rule counts as met when an answer rested on it, or when its case came about. Resets and restored snapshots keep what was counted; a copy of a world begins with nothing.',
    query,
    answer: { status: 200, words: 'The counts.', schema: coverageSchema },
    run: ({ plane, host, query: { of } }) =>
      answer(viewCoverage(host, of === 'all' ? plane.sandbox.coverageOfAll() : host.coverage)),
  }),
  row({
    name: 'clearCoverage',
    method: 'DELETE',
    path: 'coverage',
    tag: 'Journal',
    summary: 'Count anew',
    query,
    answer: { status: 204, words: 'Nothing was met yet.' },
    run: ({ plane, host, query: { of } }) => {
      if (of === 'all') plane.sandbox.clearCoverageOfAll();
      else host.coverage.clear();
      return nothing;
    },
  }),
];
