// Rows about the sandbox as a whole: health, info, its description, rules and questions, the stream.
import { questions } from '../../../fixtures/questions.ts';
import { findRule, ruleFamilies } from '../../../fixtures/rules.ts';
import { object } from '../../../fixtures/schemas/kit.ts';
import {
  defaultSettings,
  type SettingKey,
  settingKeys,
  settingSpecs,
} from '../../../fixtures/settings.ts';
import { countKeys } from '../../core/keys.ts';
import { isSpent } from '../../core/pipeline/find-fault.ts';
import type { WorldHost } from '../../host/world/world-host.ts';
import { followWorld } from '../follower.ts';
import { JsonText } from '../reply.ts';
import { type HandlerContext, row } from '../row.ts';
import { type Counts, type InfoShown, infoSchema, questionsSchema } from '../schemas/sandbox.ts';
import { viewClock, viewLastingCredentials } from '../views/records.ts';

export const aboutRows = {
  getHealth: row('GET', 'health', {
    summary: 'Check that the sandbox is ready',
    answer: object('Ready.', { status: { type: 'string', enum: ['ready'] } }),
    run: () => ({ status: 'ready' as const }),
  }),
  getInfo: row('GET', 'info', {
    summary: 'Read what the sandbox is and holds',
    answer: infoSchema,
    run: viewInfo,
  }),
  getDocument: row('GET', 'openapi.json', {
    summary: 'Read this description',
    answer: { type: 'object', description: 'The description of this plane in OpenAPI 3.1.' },
    run: ({ plane, base }) => new JsonText(plane.document(base)),
  }),
  listQuestions: row('GET', 'questions', {
    summary: 'List the rules, the open questions with their settings, and the deviations in force',
    answer: questionsSchema,
    run: ({ plane, host: { behaviour } }) => ({
      rules: ruleFamilies.flatMap(({ title, rules }) =>
        rules.map(({ id, words }) => ({ id, family: title, words })),
      ),
      questions: questions.map(({ id, question, choice, where, noSetting, settings }) => ({
        ...{ id, question, choice, where, no_setting: noSetting ?? null },
        settings: settings.map((key) => ({
          key,
          description: settingSpecs[key].description,
          value: behaviour.settings[key],
          default: defaultSettings[key],
        })),
      })),
      deviations: (plane.sandbox.options.deviations ?? []).map(({ id, story, breaks }) => ({
        ...{ id, story },
        breaks: breaks.map((rule) => ({ id: rule, words: findRule(rule)?.words ?? '' })),
      })),
    }),
  }),
  followStream: row('GET', 'stream', {
    summary: 'Follow what happens',
    description:
      'Server-sent events: `request`, `event`, `delivery` and `clock` with the same JSON as the rows of the lists, `change` with `{command}` when the control plane changed anything else, and `world` with `{name, what}` when a world was made, dropped or replaced. `id` is a running number. A reader that is too slow gets `lost` with a `count` instead of the oldest.',
    stream: true,
    run: ({ plane, host, worldName }) => followWorld(plane, host, worldName),
  }),
};

function viewInfo({ plane, host, worldName, base }: HandlerContext): InfoShown {
  const { sandbox, options } = plane;
  const { settings } = host.behaviour;
  const isFirst = host === sandbox.first;
  const isChanged = (key: SettingKey) =>
    JSON.stringify(settings[key]) !== JSON.stringify(defaultSettings[key]);
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
    subscription: isFirst ? (options.subscription ?? null) : null,
    clock: viewClock(host),
    settings,
    settings_changed: settingKeys.filter(isChanged),
    deviations: (sandbox.options.deviations ?? []).map(({ id }) => id),
    allow_local_webhooks: host.world.options.allowLocalWebhooks,
    state_error: host.stateTrouble,
    counts: countAll(host, sandbox.worlds.size),
  };
}

function countAll({ world, inFlight }: WorldHost, worlds: number): Counts {
  const { journal, events } = world;
  let pending = 0;
  for (const open of world.openDeliveries.values()) pending += open.size;
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
