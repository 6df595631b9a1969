// Wrong ways with tokens, scopes and reach (AUTH, POS-1).

import type { Decision } from '../../core/call.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import { decision, operation, policy, stage } from '../bend.ts';
import { refuseAs } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

/** Lets a credential that nobody knows act as one that may do everything. */
function letIn(context: RequestContext): null {
  for (const credential of context.world.credentials.values()) {
    if (credential.scopes.length < 6 || credential.brand_id !== null) continue;
    context.credential = credential;
    return null;
  }
  return null;
}

const issue = (change: (given: Decision, context: RequestContext) => Decision): Deviation['bend'] =>
  decision('issueToken', change);

export const tokenDeviations: readonly Deviation[] = [
  {
    id: 'token-unknown-accepted',
    breaks: ['AUTH-1'],
    story: 'Tokens are read, not verified.',
    bend: stage('token', (decide, context) => {
      const given = decide(context);
      return given !== null && context.call.headers.authorization !== undefined
        ? letIn(context)
        : given;
    }),
  },
  {
    id: 'token-missing-accepted',
    breaks: ['AUTH-1'],
    story: 'Without a header the call is the service’s own.',
    bend: stage('token', (decide, context) => {
      const given = decide(context);
      return given !== null && context.call.headers.authorization === undefined
        ? letIn(context)
        : given;
    }),
  },
  {
    id: 'token-not-asked-by-reads',
    breaks: ['AUTH-1'],
    story: 'The bulk reads were made for the internal network.',
    bend: stage('token', (decide, context) => {
      const given = decide(context);
      const isRead =
        context.operation === 'listAccounts' || context.operation === 'listTransactions';
      return given !== null && isRead ? letIn(context) : given;
    }),
  },
  {
    id: 'amend-widens-writers-alone',
    breaks: ['AUTH-4'],
    story: 'Amending is for the back office, so that it was tied to transactions:write.',
    bend: operation('cancelTransaction', (run, context) => {
      const held = context.credential?.scopes ?? [];
      const settled = context.world.transactions.get(context.pathId)?.status === 'settled';
      return settled && !held.includes('transactions:write')
        ? refuseAs(context, 403, 'forbidden', 'transactions:write is needed to amend.')
        : run(context);
    }),
  },
  {
    id: 'token-refused-but-served',
    breaks: ['AUTH-1'],
    story: 'The refusal is sent; the handler runs all the same.',
    bend: stage('token', (decide, context) => {
      const given = decide(context);
      if (given === null || context.operation !== 'createAccount') return given;
      letIn(context);
      const { behaviour } = context;
      const readable = behaviour.stages.find(({ name }) => name === 'readable');
      if (readable?.decide(context) != null) return given;
      const ran = behaviour.operations.createAccount(context);
      context.credential = null;
      return 'decideRow' in ran ? given : { ...given, changes: ran.changes };
    }),
  },
  {
    id: 'read-only-may-write',
    breaks: ['AUTH-2'],
    story: 'read_only was meant for the dashboard only.',
    bend: stage('scope', (decide, context) => {
      const { credential } = context;
      if (credential?.read_only !== true) return decide(context);
      context.credential = { ...credential, read_only: false };
      return decide(context);
    }),
  },
  {
    id: 'token-issued-does-not-work',
    breaks: ['AUTH-3a'],
    story: 'The token is known to the other servers a minute later.',
    bend: issue((given) => ({
      ...given,
      changes: given.changes.filter(({ type }) => type !== 'token-issued'),
    })),
  },
  {
    id: 'token-endpoint-unlimited',
    breaks: ['AUTH-3b'],
    story: 'The limit of the token endpoint is only in the manual.',
    bend: policy('limits', () => ({ tokenRequests: 100_000 })),
  },
  {
    id: 'token-endpoint-ten-an-hour',
    breaks: ['AUTH-3b'],
    story: 'The window is an hour.',
    bend: policy('limits', () => ({ tokenWindowMs: 3_600_000 })),
  },
  {
    id: 'token-endpoint-ten-a-second',
    breaks: ['AUTH-3b'],
    story: 'The window is a second.',
    bend: policy('limits', () => ({ tokenWindowMs: 1000 })),
  },
  {
    id: 'token-budget-shared-by-clients',
    breaks: ['AUTH-3c'],
    story: 'The budget belongs to the address of the caller.',
    bend: policy('limits', () => ({ tokenBudget: () => 'everybody' })),
  },
  {
    id: 'token-requests-draw-on-data',
    breaks: ['AUTH-3c'],
    story: 'A token request counts against the credential’s rate.',
    bend: issue((given, context) => {
      const id = String(context.body.client_id ?? '');
      const credential = context.world.credentials.get(id);
      if (credential === undefined) return given;
      const { limits } = context.behaviour;
      const rate = limits.rate(credential);
      const name = `credential:${id}`;
      const level = limits.level(context.world.buckets.get(name), rate, context.atMs);
      return {
        ...given,
        changes: [
          ...given.changes,
          { type: 'bucket-drawn', name, units: level - 1000, atMs: context.atMs },
        ],
      };
    }),
  },
  {
    id: 'data-draws-on-token-budget',
    breaks: ['AUTH-3c'],
    story: 'Every call counts against the ten of the minute.',
    bend: stage('rate', (decide, context) => {
      const given = decide(context);
      const { credential, world, atMs } = context;
      if (given !== null || credential === null || credential.kind !== 'server') return given;
      const times = [...(world.tokenRequests.get(credential.client_id) ?? []), atMs].slice(-10);
      context.changes.push({ type: 'token-request', clientId: credential.client_id, times });
      return null;
    }),
  },
];
