// IDEM-9: when a batch is the same batch. Its rows' references, emails and brands decide, in order.

import { describeAnswer } from '../../engine/judge/expect.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import { isReplayOf } from './is-replay-of.ts';

/** That a batch ran is told by its rows, which read 200 where they had read 201. */
const RUNS_AS_KNOWN: Scenario['presumes'] = { 'IDEM-9b': ['ACC-5', 'BULK-3'] };

const idemBatchTheSame: Scenario = {
  id: 'idem-batch-the-same',
  title:
    'A batch with the same references, emails and brands in order replays, names edited or not',
  rules: ['IDEM-9a'],
  presumes: { 'IDEM-9a': ['IDEM-4a', 'IDEM-4b'] },
  async run(t) {
    const { rows, key, first } = await givenBatch(t);
    const send = (each: readonly RequestBody[]) => t.api.bulkCreateAccounts(each, { key });
    const same = await send(rows);
    // IDEM-4: a service that repeats no batch at all is wrong about more than what makes one.
    if (!isReplayOf(same, first)) throw new Blocked('an identical batch is not repeated');
    const edits: readonly RequestBody[] = [
      { first_name: 'Grace' },
      { last_name: 'Hopper', country: 'FR', language: 'fr', phone: t.fresh.phone() },
    ];
    for (const edit of edits) {
      const answer = await send([rows[0]!, { ...rows[1], ...edit }, rows[2]!]);
      const words = `the first answer, though ${Object.keys(edit).join(', ')} was edited`;
      t.expect('IDEM-9a', answer).is(
        words,
        isReplayOf(answer, first),
        describeAnswer(answer),
        first,
      );
    }
  },
};

const idemBatchLong: Scenario = {
  id: 'idem-batch-long',
  title: 'A batch of a hundred rows is answered again byte for byte, however long the answer',
  rules: ['IDEM-4b'],
  async run(t) {
    const known = await t.given.account();
    const rows = Array.from({ length: 100 }, () => known.body);
    const key = t.fresh.key();
    const send = () => t.api.bulkCreateAccounts(rows, { key });
    const first = await t.control('a batch of a hundred', send, 200);
    const again = await send();
    if (again.status !== 200) throw new Blocked(`a repeat: ${again.summary} (IDEM-4a)`);
    t.expect('IDEM-4b', again).sameBytesAs(first);
  },
};

const idemBatchAnother: Scenario = {
  id: 'idem-batch-another',
  title: 'Adding, removing or reordering rows makes a new batch, which runs',
  rules: ['IDEM-9b'],
  presumes: RUNS_AS_KNOWN,
  async run(t) {
    const { rows, key, first } = await givenBatch(t);
    const [one, two, three] = rows as [RequestBody, RequestBody, RequestBody];
    const variants: readonly [string, readonly RequestBody[]][] = [
      ['a row added', [one, two, three, t.newAccount()]],
      ['the last row twice', [one, two, three, three]],
      ['the last row removed', [one, two]],
      ['the first row removed', [two, three]],
      ['two rows in another order', [two, one, three]],
    ];
    for (const [words, variant] of variants) {
      const answer = await t.api.bulkCreateAccounts(variant, { key });
      expectNewBatch(t, 'IDEM-9b', words, answer, first);
    }
  },
};

const idemBatchMiddle: Scenario = {
  id: 'idem-batch-middle',
  title: 'Rows in the middle that change places, or make room for others, make a new batch',
  rules: ['IDEM-9b'],
  presumes: RUNS_AS_KNOWN,
  async run(t) {
    const rows = [t.newAccount(), t.newAccount(), t.newAccount(), t.newAccount()];
    const key = t.fresh.key();
    const send = (each: readonly RequestBody[]) => t.api.bulkCreateAccounts(each, { key });
    const first = await t.control('a batch of four', () => send(rows), 200);
    // IDEM-4: a service that repeats no batch at all runs every one.
    if (!isReplayOf(await send(rows), first))
      throw new Blocked('an identical batch is not repeated');
    const [one, two, three, four] = rows as [RequestBody, RequestBody, RequestBody, RequestBody];
    const variants: readonly [string, readonly RequestBody[]][] = [
      ['the two in the middle in another order', [one, three, two, four]],
      ['another row in the middle', [one, t.newAccount(), three, four]],
      ['a row in the middle left out', [one, two, four]],
    ];
    for (const [words, variant] of variants) {
      expectNewBatch(t, 'IDEM-9b', words, await send(variant), first);
    }
  },
};

const idemBatchOfOtherPeople: Scenario = {
  id: 'idem-batch-of-other-people',
  title: 'Another reference, email or brand in a row makes a new batch',
  // The table of subjects names the three (IDEM-2c), and so does the rule about batches.
  rules: ['IDEM-2c', 'IDEM-9a'],
  // Where batches that differ in their rows are one, no two that differ in less can be told apart.
  presumes: { 'IDEM-2c': ['ACC-5', 'BULK-3'], 'IDEM-9a': ['ACC-5', 'BULK-3', 'IDEM-9b'] },
  needs: ['firm', 'other_brand'],
  async run(t) {
    const { rows, key, first } = await givenBatch(t);
    const [one, two, three] = rows as [RequestBody, RequestBody, RequestBody];
    if (first.at('rows.1.status') !== 201) {
      throw new Blocked('rows that are new do not read 201: a second run would read alike');
    }
    const shifted = shiftedBetween(two);
    const variants: readonly [string, RequestBody][] = [
      ['another reference', { ...two, client_reference_id: t.fresh.reference() }],
      ['another email', { ...two, email: t.fresh.email() }],
      ['another brand', { ...two, brand_id: t.brandId('other_brand') }],
      ['a letter moved from the reference to the email', shifted],
    ];
    for (const [words, row] of variants) {
      const answer = await t.api.bulkCreateAccounts([one, row, three], { key });
      expectNewBatch(t, ['IDEM-2c', 'IDEM-9a'], words, answer, first);
    }
  },
};

/**
 * The same letters in the same order, so that fields joined without a mark between them read alike.
 */
function shiftedBetween(row: RequestBody): RequestBody {
  const [reference, email] = [String(row.client_reference_id), String(row.email)];
  return {
    ...row,
    client_reference_id: reference.slice(0, -1),
    email: reference.slice(-1) + email,
  };
}

async function givenBatch(t: ScenarioContext) {
  const rows = [t.newAccount(), t.newAccount(), t.newAccount()];
  const key = t.fresh.key();
  const send = () => t.api.bulkCreateAccounts(rows, { key });
  return { rows, key, first: await t.control('a batch of three', send, 200) };
}

type BatchRules = Parameters<ScenarioContext['expect']>[0];

function expectNewBatch(
  t: ScenarioContext,
  rules: BatchRules,
  words: string,
  answer: Answer,
  first: Answer,
): void {
  const truth = answersRun(answer, first);
  const expected = `${words}: a batch of its own, not the answer of exchange ${first.n}`;
  t.expect(rules, answer).is(expected, truth, describeAnswer(answer), first);
}

/** Rows that landed before read 200 when the batch runs, where the first answer had 201. */
function answersRun(answer: Answer, first: Answer): boolean {
  return answer.status < 300 && !isReplayOf(answer, first);
}

export const batchScenarios: readonly Scenario[] = [
  idemBatchTheSame,
  idemBatchLong,
  idemBatchAnother,
  idemBatchMiddle,
  idemBatchOfOtherPeople,
];
