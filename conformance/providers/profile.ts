// A profile: what a target without a control plane offers the runner. One schema gives its type, its
// validation and its documentation.

import { parseUrl } from '../../fixtures/parse-url.ts';
import { id, listOf, object, ofType, text, type ValueOf } from '../../fixtures/schemas/kit.ts';
import { type Schema, validate } from '../../fixtures/schemas/validate.ts';
import type { RequestBody } from '../engine/send/call.ts';
import example from './example-profile.json' with { type: 'json' };

/** One error in a profile: the dotted field, and how to fix it. */
interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

const token = text('Its access token, best as env:NAME so that the file holds no secret');
const credential = (words: string, brand: string) =>
  object(words, { token, 'brand_id?': id(brand) });
const withToken = (words: string) => object(words, { token });

const place = (words: string) =>
  object(words, {
    account_id: id('The account'),
    trading_account_id: id('A trading account that belongs to it'),
    currency: text('Its currency code'),
  });

/** Any JSON object: a request body whose form is open. */
const body = (description: string) => ofType<RequestBody>({ type: 'object', description });

const rate = (description: string) =>
  ({ type: 'number', minimum: 0.1, maximum: 1_000_000, description }) as const;

const httpsUrl = (description: string) =>
  ({ type: 'string', pattern: '^https://[^/?#\\s]+\\S*$', description }) as const;

const profileSchema = object('What a target without a control plane offers the runner', {
  'base_url?': {
    type: 'string',
    pattern: '^https?://[^\\s]+(?<!/api/v1/*)$',
    description: 'Where the API is served, such as https://api.example.com, without /api/v1',
  },
  credentials: object('Who the runner acts as; one is enough, each further one unlocks rules', {
    'firm?': credential(
      'A firm-wide server credential with every scope; scenarios act as it by default',
      'A brand of the firm: creates must name one',
    ),
    'brand?': credential(
      'A server credential of the same firm with every scope, bound to one brand',
      'The brand that it is bound to',
    ),
    'other_brand?': credential(
      'The same, bound to another brand of the firm',
      'The brand that it is bound to',
    ),
    'other_firm?': credential(
      'A server credential with every scope of another firm',
      'A brand of that firm',
    ),
    'no_scopes?': withToken('A firm-wide server credential without any scope'),
    'no_amend?': withToken('A firm-wide server credential with all scopes but transactions:amend'),
    'amend_only?': withToken('A firm-wide server credential with transactions:amend alone'),
    'delegated?': object('A delegated trader token with trader:trade and trader:funds', {
      token,
      account_id: id('The one account that it reaches'),
      trading_account_id: id('A trading account of that account'),
    }),
    'read_only?': object('A delegated trader token that was minted read-only', {
      token,
      account_id: id('The one account that it reaches'),
    }),
    'client?': object('A client of the token endpoint', {
      client_id: text('Its id, or env:NAME'),
      client_secret: text('Its secret, best as env:NAME'),
    }),
  }),
  'seeds?': object('Records that the API cannot make', {
    'trading_account?': place('An account with a trading account; transactions are made on it'),
    'second_trading_account?': place('The same of another account'),
    'provider_trading_account?': place(
      'A trading account whose withdrawals pay out through a payment provider',
    ),
    'settled_transactions?': listOf(
      object('One settled transaction', {
        id: id('The transaction'),
        account_id: id('The account that owns it'),
      }),
      'Settled transactions. Cancelling uses one up, so each is used once; a file beside the profile keeps which',
    ),
  }),
  'positions?': object('Orders, whose form the specification leaves open (NS-1)', {
    open: object('Opening a position', {
      body: body('The order that opens; trading_account_id is added to it'),
      'other_body?': body('An order of another instrument, side and size, which POS-2 needs'),
    }),
    close: object('The order that closes it', {
      body: body(
        'The order that closes; trading_account_id is added, and position_id unless a member is "{position_id}"',
      ),
    }),
  }),
  'plan?': object('The rates of the credentials; 5 and 20 a second are assumed without it', {
    per_second: rate('Requests a second of one credential: 5 Sandbox, 50 Standard, 200 Pro'),
    'firm_per_second?': rate('Requests a second of the whole firm; four times that if left out'),
  }),
  'receiver?': object('A webhook endpoint of the runner that the target can reach', {
    'listen?': {
      type: 'string',
      pattern: '^(\\[[0-9A-Fa-f:]+\\]|[A-Za-z0-9.\\-]+):\\d{1,5}$',
      description: 'Where the runner listens on this machine, as host:port such as 127.0.0.1:9000',
    },
    public_url: httpsUrl('The https:// url that leads there; paths are added to it'),
  }),
});

export type Profile = ValueOf<typeof profileSchema>;

/** As `conformance init` writes it: parts with unset variables count as absent. */
export const EXAMPLE_PROFILE: Profile = example;

export interface ReadProfile {
  readonly profile: Profile;
  /** Every secret in it, to keep it out of reports. */
  readonly secrets: readonly string[];
  /** Parts that count as absent, one sentence each. */
  readonly notes: readonly string[];
  /** Secrets that are written out in the file, one sentence each. */
  readonly warnings: readonly string[];
  /** The variable of each field that names one. */
  readonly variables: ReadonlyMap<string, string>;
}

type ParsedProfile =
  | (ReadProfile & { readonly problems?: undefined })
  | { readonly profile?: undefined; readonly problems: readonly FieldProblem[] };

type Env = Readonly<Record<string, string | undefined>>;

/** The value of a variable that is not set. */
const UNSET = 'env:';
const SECRET = /^credentials\.\w+\.(token|client_id|client_secret)$/;
/** A part that is skipped as a whole if a variable inside it is not set. */
const PART = /^(credentials\.\w+|seeds\.\w+(\[\d+\])?|receiver)$/;

/** The profile from the JSON of a file, with `env:NAME` resolved, or all of its errors. */
export function parseProfile(given: unknown, env: Env): ParsedProfile {
  const lookup = new Lookup(env);
  const profile = lookup.filled(given, '') as Profile;
  const problems = [
    ...lookup.problems,
    ...validate(profileSchema as Schema, profile, 'the profile'),
  ];
  if (problems.length === 0) {
    problems.push(...noCredential(profile, lookup.unset), ...sameBrands(profile));
    problems.push(...sharedTokens(profile), ...badAddress(profile));
  }
  if (problems.length > 0) return { problems };
  const unset = [...lookup.unset].map(([part, own]) => `${part} (${own.join(', ')})`).join(', ');
  const notes = unset === '' ? [] : [`Not given, as their variables are not set: ${unset}.`];
  const { secrets, variables } = lookup;
  const warnings = lookup.plain.map((field) => {
    const what = field.endsWith('token') ? 'a token' : 'a secret';
    return `${field} holds ${what}: use env:NAME, so that the file holds none`;
  });
  return { profile, secrets, notes, warnings, variables };
}

/** Resolves variables, leaves out parts with a variable that is not set, and collects secrets. */
class Lookup {
  /** Parts that are left out, each with the names of its variables. */
  readonly unset = new Map<string, string[]>();
  readonly variables = new Map<string, string>();
  /** Fields that hold a secret itself. */
  readonly plain: string[] = [];
  readonly problems: FieldProblem[] = [];
  readonly secrets: string[] = [];
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  /** Undefined for a part that counts as absent. */
  filled(value: unknown, field: string): unknown {
    if (SECRET.test(field)) return this.#secret(value, field);
    if (typeof value === 'string') return this.#lookedUp(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const rows = value.map((each, at) => this.filled(each, `${field}[${at}]`));
      return rows.filter((each) => each !== undefined);
    }
    const members = Object.entries(value).flatMap(([name, each]) => {
      const filled = this.filled(each, field === '' ? name : `${field}.${name}`);
      if (filled === UNSET) {
        this.unset.set(field, [...(this.unset.get(field) ?? []), String(each).slice(UNSET.length)]);
      }
      return filled === undefined ? [] : [[name, filled] as const];
    });
    const isLeftOut = PART.test(field) && members.some(([, each]) => each === UNSET);
    return isLeftOut ? undefined : Object.fromEntries(members);
  }

  /** Never shows the value in a message: it may be a secret. */
  #secret(value: unknown, field: string): string {
    const message = secretProblem(value) ?? this.#variableProblem(String(value));
    if (message !== undefined) this.problems.push({ field, message });
    if (message !== undefined || typeof value !== 'string') return 'no secret';
    const found = this.#lookedUp(value);
    if (value.startsWith(UNSET)) this.variables.set(field, value.slice(UNSET.length));
    else if (!field.endsWith('client_id')) this.plain.push(field);
    if (found !== UNSET) this.secrets.push(found);
    return found;
  }

  #variableProblem(value: string): string | undefined {
    if (this.#env[value]) return `is the name of a variable: did you mean env:${value}?`;
    if (!/[\r\n]$/.test(this.#lookedUp(value))) return undefined;
    return `cannot be used: ${value.slice(UNSET.length)} ends with a line break`;
  }

  #lookedUp(value: string): string {
    if (!value.startsWith(UNSET)) return value;
    return this.#env[value.slice(UNSET.length)] || UNSET;
  }
}

function secretProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string: the value itself, or env:NAME';
  if (value.trim() === '') return 'is blank: give the value, or env:NAME';
  return /[…\s]/.test(value) ? 'is not filled in yet, or has a space in it' : undefined;
}

function noCredential(
  { credentials }: Profile,
  unset: ReadonlyMap<string, readonly string[]>,
): FieldProblem[] {
  if (Object.keys(credentials).length > 0) return [];
  const [name] = [...unset].find(([part]) => part.startsWith('credentials.'))?.[1] ?? [];
  const needs = `needs at least one whose variable is set, such as ${name}`;
  const message = name === undefined ? 'must hold at least one credential' : needs;
  return [{ field: 'credentials', message }];
}

function sameBrands({ credentials: { brand, other_brand: other } }: Profile): FieldProblem[] {
  if (other?.brand_id === undefined || other.brand_id !== brand?.brand_id) return [];
  const message = 'must be another than that of credentials.brand';
  return [{ field: 'credentials.other_brand.brand_id', message }];
}

/** Two roles with one token are one credential: rules about their difference would deviate. */
function sharedTokens({ credentials }: Profile): FieldProblem[] {
  const owners = new Map<string, string>();
  return Object.entries(credentials).flatMap(([role, given]) => {
    const own = 'token' in given ? given.token : undefined;
    if (own === undefined) return [];
    const owner = owners.get(own);
    owners.set(own, owner ?? role);
    const message = `is the token of credentials.${owner} too; each role needs a credential of its own`;
    return owner === undefined ? [] : [{ field: `credentials.${role}.token`, message }];
  });
}

function badAddress({ base_url: baseUrl, receiver }: Profile): FieldProblem[] {
  const { listen, public_url: publicUrl } = receiver ?? {};
  const isBad = (url: string | undefined) => url !== undefined && parseUrl(url) === null;
  const isFar = listen !== undefined && listenAddress(listen).port > 65_535;
  return [
    ...(isBad(baseUrl) ? [{ field: 'base_url', message: 'must be a URL' }] : []),
    ...(isBad(publicUrl) ? [{ field: 'receiver.public_url', message: 'must be a URL' }] : []),
    ...(isFar
      ? [{ field: 'receiver.listen', message: 'must be host:port with a port to 65535' }]
      : []),
  ];
}

/** The parts of `127.0.0.1:9000` or `[::1]:9000`. */
export function listenAddress(listen: string): { host: string; port: number } {
  const at = listen.lastIndexOf(':');
  const host = listen.slice(0, at).replace(/^\[|\]$/g, '');
  return { host, port: Number(listen.slice(at + 1)) };
}

/** Every field by its dotted path with its description, in the order of the schema. */
export function profileFields(
  schema: Schema = profileSchema as Schema,
  path: readonly string[] = [],
): { readonly path: readonly string[]; readonly words: string; readonly required: boolean }[] {
  const inner = schema.items ?? schema;
  return Object.entries(inner.properties ?? {}).flatMap(([name, member]) => [
    {
      path: [...path, name],
      words: member.description ?? '',
      required: inner.required?.includes(name) === true,
    },
    ...profileFields(member, [...path, name]),
  ]);
}
