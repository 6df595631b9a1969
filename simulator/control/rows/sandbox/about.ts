// Rows about the sandbox itself: that it is there, what it is, and its description.

import {
  flag,
  listOf,
  object,
  orNull,
  text,
  type ValueOf,
  whole,
} from '../../../../fixtures/schemas/kit.ts';
import { defaultSettings, type SettingKey, settingKeys } from '../../../../fixtures/settings.ts';
import type { WorldHost } from '../../../host/world/world-host.ts';
import { countKeys, isSpent } from '../../../host/world/world-reads.ts';
import { answer } from '../../reply.ts';
import { type HandlerContext, row } from '../../row.ts';
import { clockSchema, credentialSchema } from '../../schemas/records.ts';
import { viewClock, viewLastingCredentials } from '../../views/records.ts';
import { countPending } from '../platform/deliveries.ts';

const anyCount = whole('How many.', 0, 1e15);
const counts = [
  'firms',
  'brands',
  'credentials',
  'tokens',
  'accounts',
  'trading_accounts',
  'transactions',
  'positions',
  'orders',
  'keys',
  'requests',
  'requests_kept',
  'events',
  'last_seq',
  'subscriptions',
  'deliveries',
  'deliveries_pending',
  'deliveries_in_flight',
  'faults',
  'held',
  'worlds',
] as const;

type Counts = Readonly<Record<(typeof counts)[number], number>>;

const infoSchema = object('What this sandbox is, and what is in this world.', {
  event: text('As in the ready event.'),
  version: text('Version of the program.'),
  pid: whole('Id of its process.', 0, 1e12),
  base_url: text('Where the API is served.'),
  control_url: text('This plane.'),
  dashboard_url: text('The dashboard.'),
  openapi_url: text('The description of the API.'),
  world: text('The world that it started with, or the name of this one.'),
  credentials: listOf(credentialSchema, 'Those with tokens that do not expire.'),
  subscription: orNull({ type: 'object', description: 'The one made by --forward-to.' }),
  clock: clockSchema,
  settings: { type: 'object', description: 'Every setting with the value in force.' },
  settings_changed: listOf(text('A setting.'), 'Those that differ from the default.'),
  deviations: listOf(text('Id of a deviation.'), 'Those that are switched on.'),
  allow_local_webhooks: flag('Departs from HOOK-7 and HOOK-8.'),
  state_error: orNull(text('Why the state file could not be written the last time.')),
  counts: object(
    'How many of each there are.',
    Object.fromEntries(counts.map((name) => [name, anyCount])) as Readonly<
      Record<(typeof counts)[number], typeof anyCount>
    >,
  ),
});

/** What `GET info` answers. */
export type InfoShown = ValueOf<typeof infoSchema>;

function countAll({ world, inFlight }: WorldHost, pending: number, worlds: number): Counts {
  const { journal, events } = world;
  return {
    firms: world.firms.size,
    brands: world.brands.size,
    credentials: world.credentials.size,
    tokens: world.tokens.size,
    accounts: world.accounts.size,
    trading_accounts: world.tradingAccounts.size,
    transactions: world.transactions.size,
    positions: world.positions.size,
    orders: world.orders.size,
    keys: countKeys(world.keys),
    requests: world.counters.request,
    requests_kept: journal.newest === 0 ? 0 : journal.newest - journal.oldest + 1,
    events: events.records.length,
    last_seq: events.lastSeq,
    subscriptions: world.subscriptions.size,
    deliveries: world.deliveries.size,
    deliveries_pending: pending,
    deliveries_in_flight: inFlight.size,
    faults: [...world.faults.values()].filter((fault) => !isSpent(fault)).length,
    held: world.suspendedCalls.size,
    worlds,
  };
}

function differs(settings: WorldHost['behaviour']['settings'], key: SettingKey): boolean {
  return JSON.stringify(settings[key]) !== JSON.stringify(defaultSettings[key]);
}

function tell({ plane, host, worldName, base }: HandlerContext<unknown, unknown>): InfoShown {
  const { sandbox, described } = plane;
  const { settings } = host.behaviour;
  const isFirst = host === sandbox.first;
  return {
    event: 'ready',
    version: plane.version,
    pid: process.pid,
    base_url: base,
    control_url: plane.controlUrl(base, worldName),
    dashboard_url: `${base}/`,
    openapi_url: `${base}/openapi.json`,
    world: isFirst ? sandbox.options.worldName : worldName,
    credentials: viewLastingCredentials(host),
    subscription: isFirst ? (described.subscription ?? null) : null,
    clock: viewClock(host),
    settings,
    settings_changed: settingKeys.filter((key) => differs(settings, key)),
    deviations: (sandbox.options.deviations ?? []).map(({ id }) => id),
    allow_local_webhooks: host.world.options.allowLocalWebhooks,
    state_error: host.stateTrouble,
    counts: countAll(host, countPending(host), sandbox.worlds.size),
  };
}

export const aboutRows = [
  row({
    name: 'getHealth',
    method: 'GET',
    path: 'health',
    tag: 'Sandbox',
    summary: 'Whether it is there',
    answer: {
      status: 200,
      words: 'It is.',
      schema: object('Ready.', { status: { type: 'string', enum: ['ready'] } }),
    },
    run: () => answer({ status: 'ready' }),
  }),
  row({
    name: 'getInfo',
    method: 'GET',
    path: 'info',
    tag: 'Sandbox',
    summary: 'What it is and what is in it',
    answer: { status: 200, words: 'Everything at a glance.', schema: infoSchema },
    run: (context) => answer(tell(context)),
  }),
  row({
    name: 'getDocument',
    method: 'GET',
    path: 'openapi.json',
    tag: 'Sandbox',
    summary: 'This description',
    answer: {
      status: 200,
      words: 'OpenAPI 3.1.',
      schema: { type: 'object', description: 'The description of this plane.' },
    },
    run: ({ plane, base }) => answer(plane.document(base)),
  }),
];
