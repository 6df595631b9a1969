// Wrong ways of creating accounts (ACC).
import { callerOf } from '../../core/pipeline/request-context.ts';
import { findReferenced } from '../../core/references.ts';
import { isBlank } from '../../core/values/text.ts';
import { members, operation, policy, reply, stage } from '../bend.ts';
import { filledIn, refuseAs } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

export const accountDeviations: readonly Deviation[] = [
  {
    id: 'account-create-answers-200',
    breaks: ['ACC-1'],
    story: 'Every successful call answers 200.',
    bend: reply('createAccount', (given) =>
      given.status === 201 ? { ...given, status: 200 } : given,
    ),
  },
  {
    id: 'account-names-swapped',
    breaks: ['ACC-1'],
    story: 'The constructor takes the last name first.',
    bend: operation('createAccount', (run, context) => {
      const { first_name, last_name, ...rest } = context.body;
      context.body = { ...rest, first_name: last_name, last_name: first_name };
      return run(context);
    }),
  },
  {
    id: 'account-reference-may-be-empty',
    breaks: ['ACC-2'],
    story: 'Only a missing reference is noticed.',
    bend: policy('values', (values) => ({
      isBlank: (text) => text !== '' && isBlank(text),
      maxReference: values.maxReference,
    })),
    alsoSeenAs: { 'TXN-3': 'the same check serves transactions', 'TXS-14': 'and reasons' },
  },
  {
    id: 'account-reference-254',
    breaks: ['ACC-2', 'TXN-3'],
    story: 'Less than 255 where the rule says at most.',
    bend: policy('values', () => ({ maxReference: 254 })),
  },
  {
    id: 'account-missing-member-is-problem',
    breaks: ['ACC-3', 'ERR-2'],
    story: 'The framework’s validation turns every missing member into a problem of 422.',
    bend: stage('readable', (decide, context) => {
      const refused = decide(context);
      return refused !== null && / is required\./.test(refused.reply.body)
        ? refuseAs(context, 422, 'validation_failed', refused.reply.body.trim())
        : refused;
    }),
  },
  {
    id: 'account-email-optional',
    breaks: ['ACC-3'],
    story: 'An account without email is made with an empty one.',
    bend: filledIn(['createAccount'], 'email', ({ n }) => `none-${n}@example.com`),
  },
  {
    id: 'account-email-unchecked',
    breaks: ['ACC-4'],
    story: 'The email is stored as sent.',
    bend: policy('values', () => ({ isEmail: () => true })),
  },
  {
    id: 'account-reference-taken-is-409',
    breaks: ['ACC-5'],
    story: 'A known reference is refused as taken.',
    bend: operation('createAccount', (run, context) => {
      const result = run(context);
      if ('decideRow' in result || context.idempotency !== 'converged') return result;
      return refuseAs(context, 409, 'invalid_state', 'This reference is used already.');
    }),
    alsoSeenAs: { 'IDEM-12': 'another key does not converge' },
  },
  {
    id: 'account-reference-answers-201-again',
    breaks: ['ACC-5'],
    story: 'Finding is answered like creating.',
    bend: operation('createAccount', (run, context) => {
      const result = run(context);
      if ('decideRow' in result || context.idempotency !== 'converged') return result;
      return { ...result, reply: { ...result.reply, status: 201 } };
    }),
  },
  {
    id: 'account-reference-overwrites',
    breaks: ['ACC-5'],
    story: 'Create is an upsert: the names sent replace those that are stored.',
    bend: operation('createAccount', (run, context) => {
      const result = run(context);
      if ('decideRow' in result || context.idempotency !== 'converged') return result;
      const { id } = JSON.parse(result.reply.body) as { id: string };
      const found = context.world.accounts.get(id);
      const firstName = context.body.first_name;
      if (found === undefined || typeof firstName !== 'string' || firstName === found.first_name)
        return result;
      const account = { ...found, firstName, revision: found.revision + 1 };
      const { behaviour } = context;
      return {
        ...result,
        reply: {
          ...result.reply,
          body: behaviour.serialize.account(account),
          etag: behaviour.values.etag(account),
        },
        changes: [{ type: 'account-changed', account }],
      };
    }),
  },
  {
    id: 'account-reference-case-sensitive',
    breaks: ['ACC-6'],
    story: 'References are compared as they are.',
    bend: policy('values', () => ({ referenceKey: (reference) => reference })),
  },
  {
    id: 'account-reference-freed-by-update',
    breaks: ['ACC-7'],
    story: 'The look-up goes by the revision that was first stored.',
    bend: operation('createAccount', (run, context) => {
      const { world, behaviour } = context;
      const index = behaviour.accounts.referenceIndex(
        callerOf(context).firm_id,
        String(context.body.brand_id ?? callerOf(context).brand_id),
      );
      const key = behaviour.values.referenceKey(String(context.body.client_reference_id));
      const { byReference } = world.people.get(index) ?? {};
      const found = findReferenced(byReference, key, world.accounts, () => true);
      if (found === null || found.revision === behaviour.accounts.firstRevision)
        return run(context);
      return refuseAs(
        context,
        409,
        'invalid_state',
        'Someone with this email already exists at this brand.',
      );
    }),
  },
  {
    id: 'account-found-echoes-reference',
    breaks: ['ACC-5'],
    story: 'The answer is printed from the request where the two should be the same.',
    bend: members(
      'createAccount',
      (body, context) => ({ ...body, client_reference_id: context.body.client_reference_id }),
      200,
    ),
  },
];
