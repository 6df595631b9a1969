// Deviations of refusals and request ids (ERR).

import type { OperationName, RefusalCode } from '../../fixtures/operations.ts';
import type { RuleId } from '../../fixtures/rules.ts';
import type { DeviationFamily } from './deviation.ts';
import {
  everyReply,
  type Json,
  mapJson,
  type Override,
  refusal,
  seenBy,
  stage,
  underStatus,
  withHeaders,
  writeOperations,
} from './overrides.ts';

/** Changes every problem. */
const problems =
  (change: (body: Json) => Json): Override =>
  (behaviour) => ({
    ...behaviour,
    refuse: (context, problem) => mapJson(behaviour.refuse(context, problem), change),
  });

/** Refuses operations in plain text for this reason. */
const inPlainText = (
  names: OperationName | readonly OperationName[],
  why: RuleId | RefusalCode,
): Override =>
  refusal(names, why, (_context, given) => {
    const { detail } = JSON.parse(given.reply.body) as Json;
    return { ...given, reply: { ...given.reply, contentType: 'text/plain', body: `${detail}\n` } };
  });

export const errorDeviations: DeviationFamily = {
  'problem-as-plain-json': {
    breaks: ['ERR-1a'],
    story: 'Errors are application/json like every other response.',
    override: (behaviour) => ({
      ...behaviour,
      refuse: (context, problem) => ({
        ...behaviour.refuse(context, problem),
        contentType: 'application/json',
      }),
    }),
    alsoSeenAs: { 'LIM-6': 'a 429 is no problem either' },
  },
  'problem-lacks-errors': {
    breaks: ['ERR-1a'],
    story: 'An empty list is left out.',
    override: problems(({ errors, ...rest }) =>
      Array.isArray(errors) && errors.length === 0 ? rest : { ...rest, errors },
    ),
    alsoSeenAs: { 'LIM-6': 'a 429 has no errors either' },
  },
  'problem-detail-null': {
    breaks: ['ERR-1a'],
    story: 'Details are kept secret.',
    override: problems((body) => ({ ...body, detail: null })),
    alsoSeenAs: { 'BULK-5': 'a failed row has no detail' },
  },
  'problem-type-in-kebab-case': {
    breaks: ['ERR-1b'],
    story: 'Addresses are written with hyphens.',
    override: problems((body) => ({ ...body, type: String(body.type).replaceAll('_', '-') })),
  },
  'problem-status-always-400': {
    breaks: ['ERR-1b'],
    story: 'The member status is a constant.',
    override: problems((body) => ({ ...body, status: 400 })),
  },
  'unreadable-as-problem': {
    breaks: ['ERR-2'],
    story: 'Every refusal is a problem, even of a body that cannot be read.',
    override: stage('readable', (given, context) => {
      if (given === null) return null;
      const { status, body } = given.reply;
      const problem = {
        status,
        title: 'Refused',
        code: 'validation_failed',
        detail: body,
        errors: [],
      };
      return { ...given, reply: context.behaviour.refuse(context, problem) };
    }),
  },
  'codes-in-capitals': {
    breaks: ['ERR-3'],
    story: 'Codes are constants in capitals.',
    override: problems((body) => ({ ...body, code: String(body.code).toUpperCase() })),
    alsoSeenAs: {
      ...seenBy(
        'it expects the code and status of the table',
        `ACC-2 ACC-4 ACC-8 ACC-9 ACC-15 ACC-16 ACC-21 UPD-5 UPD-7 UPD-8 UPD-9 UPD-13
        BULK-6 BULK-7 BULK-13 POS-1 TXN-3 TXN-4 TXN-5 TXN-10 TXN-11 TXN-12 TXS-3 TXS-5
        TXS-11 TXS-12 TXS-14 TXS-15 TXS-16 TXS-17 IDEM-1a IDEM-1b IDEM-14a AUTH-2 AUTH-4
        AUTH-5 AUTH-6 AUTH-7 AUTH-8 HOOK-6 HOOK-12 LIM-2 CONV-1c AUTH-3b`,
      ),
      'ERR-1b': 'the type does not end in this code',
    },
  },
  'not-found-is-410': {
    breaks: ['ERR-3'],
    story: 'A record that does not exist is gone.',
    override: underStatus('not_found', 410),
    alsoSeenAs: seenBy('it expects the status of the table', 'UPD-5 TXN-10 TXS-16'),
  },
  'validation-is-400': {
    breaks: ['ERR-3'],
    story: 'Every validation failure is 400.',
    override: underStatus('validation_failed', 400),
    alsoSeenAs: seenBy(
      'it expects the status of the table',
      'ACC-2 ACC-4 ACC-15 UPD-8 UPD-9 BULK-6 TXN-3 TXN-4 TXN-5 TXS-14 CONV-1c',
    ),
  },
  'precondition-is-428': {
    breaks: ['ERR-3'],
    story: 'A stale tag is answered with the other precondition status.',
    override: underStatus('revision_conflict', 428),
    alsoSeenAs: { 'UPD-7': 'it expects the status of the table' },
  },
  'forbidden-is-401': {
    breaks: ['ERR-3'],
    story: 'A missing scope is answered like a missing token.',
    override: underStatus('forbidden', 401),
    alsoSeenAs: seenBy(
      'it expects the status of the table',
      `
        ACC-16 ACC-21 UPD-13 BULK-13 POS-1 TXN-12 TXS-11 TXS-17 HOOK-6 AUTH-4 AUTH-8`,
    ),
  },
  'id-not-decimal-in-plain-text': {
    breaks: ['ERR-1a'],
    story: 'Ids are read together with the body and refused like an unreadable one.',
    override: inPlainText(writeOperations, 'CONV-1c'),
  },
  'amend-missing-in-plain-text': {
    breaks: ['ERR-1a'],
    story: 'Reversals are another service, which refuses in plain text.',
    override: inPlainText('cancelTransaction', 'TXS-11'),
  },
  'stale-tag-in-plain-text': {
    breaks: ['ERR-1a'],
    story: 'A proxy compares tags and answers in plain text.',
    override: inPlainText('updateAccount', 'revision_conflict'),
  },
  'request-id-header-missing': {
    breaks: ['ERR-4'],
    story: 'Only errors have a request id.',
    override: everyReply((reply) =>
      reply.status < 400 ? withHeaders(reply, { 'x-request-id': '' }) : reply,
    ),
    alsoSeenAs: { 'IDEM-5': 'replays have none either' },
  },
  'request-id-header-constant': {
    breaks: ['ERR-4'],
    story: 'The request id is that of the connection.',
    override: everyReply((reply) => withHeaders(reply, { 'x-request-id': 'req_constant' })),
    alsoSeenAs: { 'IDEM-5': 'a replay has the same one' },
  },
};
