// Wrong ways of updating accounts (UPD).
import { decision, members, operation, reply } from '../bend.ts';
import { refuseAs, refusedWith } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';
import { left, update } from './bends.ts';

export const updateDeviations: readonly Deviation[] = [
  {
    id: 'update-answers-204',
    breaks: ['UPD-1'],
    story: 'The client has the account already, so nothing is sent back.',
    bend: reply(update, (given) =>
      given.status === 200 ? { ...given, status: 204, contentType: null, body: '' } : given,
    ),
  },
  {
    id: 'update-keeps-revision',
    breaks: ['UPD-1'],
    story: 'The revision is raised by a job later on.',
    bend: left((after, before) => ({ ...after, revision: before.revision })),
  },
  {
    id: 'update-answers-old-account',
    breaks: ['UPD-1'],
    story: 'The record is printed before the change is written.',
    bend: decision(update, (given, context) => {
      const before = context.world.accounts.get(context.pathId);
      return given.reply.status !== 200 || before === undefined
        ? given
        : {
            ...given,
            reply: { ...given.reply, body: context.behaviour.serialize.account(before) },
          };
    }),
    alsoSeenAs: {
      'ACC-19': 'tag and revision differ',
    },
  },
  {
    id: 'update-replaces-whole-account',
    breaks: ['UPD-2'],
    story: 'PATCH is served by the code for PUT: what is not sent is emptied.',
    bend: left((after, _before, { body }) => ({
      ...after,
      first_name: typeof body.first_name === 'string' ? after.first_name : null,
      last_name: typeof body.last_name === 'string' ? after.last_name : null,
      country: typeof body.country === 'string' ? after.country : null,
      language: typeof body.language === 'string' ? after.language : null,
    })),
  },
  {
    id: 'update-resets-status',
    breaks: ['UPD-2'],
    story: 'Every update puts the account back to review.',
    bend: left((after, _before, { body }) =>
      typeof body.status === 'string' ? after : { ...after, status: 'Review' },
    ),
  },
  ...(['first_name', 'last_name', 'country', 'language', 'status'] as const).map(
    (member): Deviation => ({
      id: `update-ignores-${member.replace('_', '-')}`,
      breaks: ['UPD-3'],
      story: `${member} was forgotten in the list of what can be updated.`,
      bend: operation(update, (run, context) => {
        const { [member]: _, ...rest } = context.body;
        context.body = rest;
        return run(context);
      }),
      ...(member === 'status' ? { alsoSeenAs: { 'UPD-4': 'a status cannot be set' } } : {}),
    }),
  ),
  {
    id: 'update-status-capitalised',
    breaks: ['UPD-4'],
    story: 'Statuses are written with a capital.',
    bend: left((after) => ({
      ...after,
      status: `${after.status.charAt(0).toUpperCase()}${after.status.slice(1).toLowerCase()}`,
    })),
  },
  {
    id: 'update-unknown-is-403',
    breaks: ['UPD-5'],
    story: 'What is not yours is forbidden, existing or not.',
    bend: refusedWith(update, /"not_found"/, (context) =>
      refuseAs(context, 403, 'forbidden', 'This account is not yours.'),
    ),
  },
  {
    id: 'update-answers-without-firm',
    breaks: ['ACC-18'],
    story: 'The answer of an update is put together by hand.',
    bend: members(update, ({ firm_id: _, ...rest }) => rest),
  },
];
