// The sandbox as a whole on the control plane: schemas of `info` and `questions`, and their types.
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
import { clockSchema, credentialSchema } from './records.ts';

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

export type Counts = Readonly<Record<(typeof counts)[number], number>>;

export const infoSchema = object('What this sandbox is, and what is in this world.', {
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

const anyValue = (description: string) =>
  ({ type: ['string', 'number', 'boolean', 'array', 'object', 'null'], description }) as const;

export const questionsSchema = object(
  'The rules of the API, and what its description leaves open.',
  {
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
  },
);
export type QuestionsShown = ValueOf<typeof questionsSchema>;
