// Rows about the sandbox as a whole: health, info, its description, rules and questions, the stream.
import { questions } from '../../../fixtures/questions.ts';
import { findRule, ruleFamilies } from '../../../fixtures/rules.ts';
import {
  anyText,
  flag,
  listOf,
  object,
  orNull,
  text,
  type ValueOf,
  whole,
} from '../../../fixtures/schemas/kit.ts';
import {
  defaultSettings,
  type SettingKey,
  settingKeys,
  settingSpecs,
} from '../../../fixtures/settings.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { isSpent } from '../../core/pipeline/find-fault.ts';
import type { Sandbox } from '../../host/world/sandbox.ts';
import type { WorldHost } from '../../host/world/world-host.ts';
import { followWorld } from '../follower.ts';
import { clockSchema, credentialSchema, viewClock, viewLastingCredentials } from '../records.ts';
import { JsonText } from '../reply.ts';
import { type HandlerContext, row } from '../row.ts';

const count = whole('How many.', 0, 1e15);

/** What is counted in a world, and how. */
const counted = {
  firms: ({ world }) => world.firms.size,
  brands: ({ world }) => world.brands.size,
  credentials: ({ world }) => world.credentials.size,
  tokens: ({ world }) => world.tokens.size,
  accounts: ({ world }) => world.accounts.size,
  trading_accounts: ({ world }) => world.tradingAccounts.size,
  transactions: ({ world }) => world.transactions.size,
  positions: ({ world }) => world.positions.size,
  orders: ({ world }) => world.orders.size,
  keys: ({ world }) => world.keys.size,
  requests: ({ world }) => world.counters.request,
  requests_kept: ({ world: { journal } }) =>
    journal.newest === 0 ? 0 : journal.newest - journal.oldest + 1,
  events: ({ world }) => world.events.records.length,
  last_seq: ({ world }) => world.events.lastSeq,
  subscriptions: ({ world }) => world.subscriptions.size,
  deliveries: ({ world }) => world.deliveries.size,
  deliveries_pending: ({ world }) =>
    [...world.openDeliveries.values()].reduce((sum, { size }) => sum + size, 0),
  deliveries_in_flight: ({ inFlight }) => inFlight.size,
  faults: ({ world }) => [...world.faults.values()].filter((fault) => !isSpent(fault)).length,
  held: ({ world }) => world.suspendedCalls.size,
  worlds: (_host, { worlds }) => worlds.size,
} as const satisfies Record<string, (host: WorldHost, sandbox: Sandbox) => number>;

type CountName = keyof typeof counted;

/** Maps the name of each count with `make`. */
function eachCount<V>(make: (name: CountName) => V): Readonly<Record<CountName, V>> {
  const names = Object.keys(counted) as CountName[];
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<CountName, V>;
}

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
    eachCount(() => count),
  ),
});

/** The response of `GET info`. */
export type InfoShown = ValueOf<typeof infoSchema>;

const anyValue = (description: string) =>
  ({ type: ['string', 'number', 'boolean', 'array', 'object', 'null'], description }) as const;

const questionsSchema = object('The rules of the API, and what its description leaves open.', {
  rules: listOf(
    object('A rule that the service is held to.', {
      id: anyText('Its id.'),
      family: anyText('What it is about.'),
      words: anyText('In words.'),
    }),
    'By family.',
  ),
  questions: listOf(
    object('An open question.', {
      id: anyText('Its id.'),
      question: anyText('The question.'),
      choice: anyText('What the simulator does unless a setting says otherwise.'),
      where: anyText('Where it is met.'),
      no_setting: orNull(anyText('Why there is nothing to set; null where there is.')),
      settings: listOf(
        object('A setting that decides it.', {
          key: anyText('Its name.'),
          description: anyText('What it decides.'),
          value: anyValue('In force.'),
          default: anyValue('What it is unless set.'),
        }),
        'The settings that decide it.',
      ),
    }),
    'By number.',
  ),
  deviations: listOf(
    object('A deviation that is switched on.', {
      id: anyText('Its id.'),
      story: anyText('How a real platform comes to do this.'),
      breaks: listOf(
        object('A rule.', { id: anyText('Its id.'), words: anyText('In words.') }),
        'The rules it breaks.',
      ),
    }),
    'Those that are switched on.',
  ),
});
export type QuestionsShown = ValueOf<typeof questionsSchema>;

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
    version: manifest.version,
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
    counts: eachCount((name) => counted[name](host, sandbox)),
  };
}
