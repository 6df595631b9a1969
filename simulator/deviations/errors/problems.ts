// Wrong forms of refusals (ERR).

import type { Reply } from '../../core/call.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import { type Json, mapJson, stage } from '../bend.ts';
import { refuseAs, underStatus } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

/** Changes every problem as it is made. */
const problems =
  (change: (body: Json, context: RequestContext) => Json): Deviation['bend'] =>
  (behaviour) => ({
    ...behaviour,
    refuse: (context, problem) =>
      mapJson(behaviour.refuse(context, problem), (body) => change(body, context)),
  });

const problemReplies =
  (change: (reply: Reply) => Reply): Deviation['bend'] =>
  (behaviour) => ({
    ...behaviour,
    refuse: (context, problem) => change(behaviour.refuse(context, problem)),
  });

export const errorDeviations: readonly Deviation[] = [
  {
    id: 'problem-as-plain-json',
    breaks: ['ERR-1a'],
    story: 'Errors are application/json like everything else.',
    bend: problemReplies((reply) => ({ ...reply, contentType: 'application/json' })),
    alsoSeenAs: { 'LIM-6': 'nor in a 429' },
  },
  {
    id: 'problem-lacks-errors',
    breaks: ['ERR-1a'],
    story: 'An empty list is left out.',
    bend: problems((body) => {
      const { errors, ...rest } = body;
      return Array.isArray(errors) && errors.length === 0 ? rest : body;
    }),
    alsoSeenAs: { 'LIM-6': 'nor in a 429' },
  },
  {
    id: 'problem-detail-null',
    breaks: ['ERR-1a'],
    story: 'No details are given away.',
    bend: problems((body) => ({ ...body, detail: null })),
    alsoSeenAs: { 'BULK-5': 'rows have no detail' },
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
    bend: stage('readable', (decide, context) => {
      const given = decide(context);
      return given === null
        ? null
        : refuseAs(context, given.reply.status, 'validation_failed', given.reply.body.trim());
    }),
  },
  {
    id: 'codes-in-capitals',
    breaks: ['ERR-3'],
    story: 'Codes are constants, and constants are in capitals.',
    bend: problems((body) => ({ ...body, code: String(body.code).toUpperCase() })),
    alsoSeenAs: {
      'ACC-2': 'it expects the code and status of the table',
      'ACC-4': 'it expects the code and status of the table',
      'ACC-8': 'it expects the code and status of the table',
      'ACC-9': 'it expects the code and status of the table',
      'ACC-15': 'it expects the code and status of the table',
      'ACC-16': 'it expects the code and status of the table',
      'ACC-21': 'it expects the code and status of the table',
      'UPD-5': 'it expects the code and status of the table',
      'UPD-7': 'it expects the code and status of the table',
      'UPD-8': 'it expects the code and status of the table',
      'UPD-9': 'it expects the code and status of the table',
      'UPD-13': 'it expects the code and status of the table',
      'BULK-6': 'it expects the code and status of the table',
      'BULK-7': 'it expects the code and status of the table',
      'BULK-13': 'it expects the code and status of the table',
      'POS-1': 'it expects the code and status of the table',
      'TXN-3': 'it expects the code and status of the table',
      'TXN-4': 'it expects the code and status of the table',
      'TXN-5': 'it expects the code and status of the table',
      'TXN-10': 'it expects the code and status of the table',
      'TXN-11': 'it expects the code and status of the table',
      'TXN-12': 'it expects the code and status of the table',
      'TXS-3': 'it expects the code and status of the table',
      'TXS-5': 'it expects the code and status of the table',
      'TXS-11': 'it expects the code and status of the table',
      'TXS-12': 'it expects the code and status of the table',
      'TXS-14': 'it expects the code and status of the table',
      'TXS-15': 'it expects the code and status of the table',
      'TXS-16': 'it expects the code and status of the table',
      'TXS-17': 'it expects the code and status of the table',
      'IDEM-1a': 'it expects the code and status of the table',
      'IDEM-1b': 'it expects the code and status of the table',
      'IDEM-14a': 'it expects the code and status of the table',
      'AUTH-2': 'it expects the code and status of the table',
      'AUTH-4': 'it expects the code and status of the table',
      'AUTH-5': 'it expects the code and status of the table',
      'AUTH-6': 'it expects the code and status of the table',
      'AUTH-7': 'it expects the code and status of the table',
      'AUTH-8': 'it expects the code and status of the table',
      'HOOK-6': 'it expects the code and status of the table',
      'HOOK-12': 'it expects the code and status of the table',
      'LIM-2': 'it expects the code and status of the table',
      'CONV-1c': 'it expects the code and status of the table',
      'AUTH-3b': 'it expects the code and status of the table',
      'ERR-1b': 'the type does not end in the code as it is sent',
    },
  },
  {
    id: 'not-found-is-410',
    breaks: ['ERR-3'],
    story: 'What is not there is gone.',
    bend: underStatus('not_found', 410),
    alsoSeenAs: {
      'UPD-5': 'it expects the 404 of the table',
      'TXN-10': 'it expects the 404 of the table',
      'TXS-16': 'it expects the 404 of the table',
    },
  },
  {
    id: 'validation-is-400',
    breaks: ['ERR-3'],
    story: 'All validation is 400.',
    bend: underStatus('validation_failed', 400),
    alsoSeenAs: {
      'ACC-2': 'it expects the code and status of the table',
      'ACC-4': 'it expects the code and status of the table',
      'ACC-15': 'it expects the code and status of the table',
      'UPD-8': 'it expects the code and status of the table',
      'UPD-9': 'it expects the code and status of the table',
      'BULK-6': 'it expects the code and status of the table',
      'TXN-3': 'it expects the code and status of the table',
      'TXN-4': 'it expects the code and status of the table',
      'TXN-5': 'it expects the code and status of the table',
      'TXS-14': 'it expects the code and status of the table',
      'CONV-1c': 'it expects the code and status of the table',
    },
  },
  {
    id: 'precondition-is-428',
    breaks: ['ERR-3'],
    story: 'A stale tag is answered with the other precondition status.',
    bend: underStatus('revision_conflict', 428),
    alsoSeenAs: { 'UPD-7': 'a stale tag' },
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
      'POS-1': 'no scope',
      'TXN-12': 'no scope',
      'TXS-11': 'no amending',
      'TXS-17': 'no scope',
      'HOOK-6': 'no scope',
      'AUTH-4': 'no scope',
      'AUTH-8': 'not permitted',
    },
  },
];
