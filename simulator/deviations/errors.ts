// Wrong forms of refusals (ERR).
import type { Attempt } from '../core/attempt.ts';
import type { Reply } from '../core/call.ts';
import { type Json, mapJson, stage } from './bend.ts';
import { refuseAs, underStatus } from './bends.ts';
import type { Deviation } from './deviation.ts';
import { everyRefusal, notFound } from './refused-rules.ts';

/** Changes every problem as it is made. */
const problems =
  (change: (body: Json, attempt: Attempt) => Json): Deviation['bend'] =>
  (behaviour) => ({
    ...behaviour,
    refuse: (attempt, problem) =>
      mapJson(behaviour.refuse(attempt, problem), (body) => change(body, attempt)),
  });

const problemReplies =
  (change: (reply: Reply) => Reply): Deviation['bend'] =>
  (behaviour) => ({
    ...behaviour,
    refuse: (attempt, problem) => change(behaviour.refuse(attempt, problem)),
  });

const unreadable = (change: (reply: Reply, attempt: Attempt) => Reply): Deviation['bend'] =>
  stage('readable', (decide, attempt) => {
    const given = decide(attempt);
    return given === null ? null : { ...given, reply: change(given.reply, attempt) };
  });

const everywhere = { 'IDEM-5': 'it cannot be read in what replays', 'LIM-6': 'nor in a 429' };

export const errorDeviations: readonly Deviation[] = [
  {
    id: 'problem-as-plain-json',
    breaks: ['ERR-1a'],
    story: 'Errors are application/json like everything else.',
    bend: problemReplies((reply) => ({ ...reply, contentType: 'application/json' })),
    alsoSeenAs: { ...everywhere },
  },
  {
    id: 'problem-lacks-title',
    breaks: ['ERR-1a'],
    story: 'The title repeats the code, so it is left out.',
    bend: problems(({ title: _, ...rest }) => rest),
    alsoSeenAs: { ...everywhere },
  },
  {
    id: 'problem-lacks-errors',
    breaks: ['ERR-1a'],
    story: 'An empty list is left out.',
    bend: problems((body) => {
      const { errors, ...rest } = body;
      return Array.isArray(errors) && errors.length === 0 ? rest : body;
    }),
    alsoSeenAs: { ...everywhere },
  },
  {
    id: 'problem-lacks-request-id',
    breaks: ['ERR-1a'],
    story: 'The header carries it already.',
    bend: problems(({ request_id: _, ...rest }) => rest),
    alsoSeenAs: { ...everywhere },
  },
  {
    id: 'problem-lacks-type',
    breaks: ['ERR-1a'],
    story: 'about:blank is meant by leaving it out.',
    bend: problems(({ type: _, ...rest }) => rest),
    alsoSeenAs: { 'ERR-1b': 'there is no type', ...everywhere },
  },
  {
    id: 'problem-status-as-text',
    breaks: ['ERR-1a'],
    story: 'The status is quoted.',
    bend: problems((body) => ({ ...body, status: String(body.status) })),
    alsoSeenAs: { 'ERR-1b': 'it does not equal the HTTP status', ...everywhere },
  },
  {
    id: 'problem-errors-as-object',
    breaks: ['ERR-1a'],
    story: 'Errors are an object by field.',
    bend: problems((body) => ({ ...body, errors: {} })),
    alsoSeenAs: { ...everywhere },
  },
  {
    id: 'problem-detail-null',
    breaks: ['ERR-1a'],
    story: 'No details are given away.',
    bend: problems((body) => ({ ...body, detail: null })),
    alsoSeenAs: {
      'BULK-9': 'the row is not named',
      'BULK-10': 'the row is not named',
      'BULK-5': 'rows have no detail',
      'IDEM-4d': 'there is no detail to replay',
      ...everywhere,
    },
  },
  {
    id: 'problem-type-about-blank',
    breaks: ['ERR-1b'],
    story: 'The default of the RFC: about:blank.',
    bend: problems((body) => ({ ...body, type: 'about:blank' })),
    alsoSeenAs: { 'ERR-1a': 'it is not under the documentation' },
  },
  {
    id: 'problem-type-is-code',
    breaks: ['ERR-1b'],
    story: 'The type is the bare code.',
    bend: problems((body) => ({ ...body, type: body.code })),
    alsoSeenAs: { 'ERR-1a': 'it is no URI of a document' },
  },
  {
    id: 'problem-type-in-kebab-case',
    breaks: ['ERR-1b'],
    story: 'Addresses have hyphens.',
    bend: problems((body) => ({ ...body, type: String(body.type).replaceAll('_', '-') })),
  },
  {
    id: 'problem-status-always-400',
    breaks: ['ERR-1b'],
    story: 'The member status is a constant.',
    bend: problems((body) => ({ ...body, status: 400 })),
  },
  {
    id: 'unreadable-as-problem',
    breaks: ['ERR-2'],
    story: 'Every refusal is a problem, whatever could be read.',
    bend: stage('readable', (decide, attempt) => {
      const given = decide(attempt);
      return given === null
        ? null
        : refuseAs(attempt, given.reply.status, 'validation_failed', given.reply.body.trim());
    }),
    alsoSeenAs: {
      'CONV-1b': 'a number in an id too',
      'ACC-3': 'a missing member too',
      'TXS-14': 'an absent reason too',
      'TXN-7': 'a missing type too',
    },
  },
  {
    id: 'unreadable-broken-json-is-problem',
    breaks: ['ERR-2'],
    story: 'JSON that does not parse is a problem; only missing members are plain text.',
    bend: stage('readable', (decide, attempt) => {
      const given = decide(attempt);
      return given !== null && /not valid JSON/.test(given.reply.body)
        ? refuseAs(attempt, 400, 'validation_failed', 'The body is not valid JSON.')
        : given;
    }),
  },
  {
    id: 'unreadable-as-html',
    breaks: ['ERR-2'],
    story: 'The framework’s error page is sent.',
    bend: unreadable((reply) => ({
      ...reply,
      contentType: 'application/json',
      body: JSON.stringify({ error: reply.body.trim() }),
    })),
    alsoSeenAs: {
      'CONV-1b': 'a number in an id too',
      'ACC-3': 'a missing member too',
      'TXS-14': 'an absent reason too',
      'TXN-7': 'a missing type too',
    },
  },
  {
    id: 'unreadable-broken-json-served-as-empty',
    breaks: ['ERR-2'],
    story: 'JSON that does not parse is taken for an empty object.',
    bend: (behaviour) => ({
      ...behaviour,
      read: (attempt, text) => {
        const result = behaviour.read(attempt, text);
        return 'body' in result || !/not valid JSON/.test(result.message)
          ? result
          : {
              body: {
                client_reference_id: `x${attempt.n}`,
                email: `x${attempt.n}@example.com`,
                brand_id: '10',
                accounts: [],
                reason: 'x',
                event_categories: [],
                url: 'x',
                account_id: '1',
                trading_account_id: '1',
                currency: 'USD',
                amount: '1',
                transaction_type: 'Credit',
                instrument: 'x',
                side: 'buy',
                volume: '1',
                position_id: '1',
                grant_type: 'none',
              },
            };
      },
    }),
  },
  {
    id: 'codes-in-capitals',
    breaks: ['ERR-3'],
    story: 'Codes are constants, and constants are in capitals.',
    bend: problems((body) => ({ ...body, code: String(body.code).toUpperCase() })),
    alsoSeenAs: { ...everyRefusal, 'ERR-1b': 'the type does not end in the code as it is sent' },
  },
  {
    id: 'not-found-is-410',
    breaks: ['ERR-3'],
    story: 'What is not there is gone.',
    bend: underStatus('not_found', 410),
    alsoSeenAs: notFound,
  },
  {
    id: 'validation-is-400',
    breaks: ['ERR-3'],
    story: 'All validation is 400.',
    bend: underStatus('validation_failed', 400),
    alsoSeenAs: everyRefusal,
  },
  {
    id: 'conflict-is-422',
    breaks: ['ERR-3'],
    story: 'A refused state is a validation failure.',
    bend: underStatus('invalid_state', 422),
    alsoSeenAs: {
      'ACC-8': 'a taken email',
      'ACC-9': 'a taken phone',
      'TXS-5': 'a move',
      'TXS-12': 'a move',
      'TXS-13': 'a move',
      'IDEM-13': 'a taken email',
      'BULK-3': 'a row',
      'BULK-5': 'a row',
      'BULK-8': 'a row',
      'IDEM-4d': 'what replays',
      'IDEM-11': 'what is corrected',
    },
  },
  {
    id: 'precondition-is-428',
    breaks: ['ERR-3'],
    story: 'A stale tag is answered with the other precondition status.',
    bend: underStatus('revision_conflict', 428),
    alsoSeenAs: { 'UPD-7': 'a stale tag', 'UPD-12': 'those that lose', 'IDEM-4d': 'what replays' },
  },
  {
    id: 'forbidden-is-401',
    breaks: ['ERR-3'],
    story: 'A missing scope is answered like a missing token.',
    bend: underStatus('forbidden', 401),
    alsoSeenAs: {
      'ACC-16': 'another brand',
      'ACC-21': 'no scope',
      'UPD-13': 'no scope',
      'BULK-13': 'no scope',
      'BULK-10': 'another brand',
      'POS-1': 'no scope',
      'TXN-12': 'no scope',
      'TXS-11': 'no amending',
      'TXS-17': 'no scope',
      'HOOK-6': 'no scope',
      'AUTH-4': 'no scope',
      'AUTH-6': 'another brand',
      'AUTH-8': 'not permitted',
      'IDEM-4d': 'what replays',
    },
  },
];
