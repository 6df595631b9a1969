// Reads a profile strictly: what is unknown, missing or of the wrong kind is an error that names
// its field and says what to do.
import {
  type Field,
  type Group,
  isGroup,
  isList,
  type List,
  profileFields,
} from './profile-fields.ts';
import type { Place } from './target.ts';

export interface ServerCredential {
  readonly token: string;
  readonly brand_id?: string;
}

export interface Profile {
  readonly base_url?: string;
  readonly credentials: {
    readonly firm?: ServerCredential;
    readonly brand?: ServerCredential;
    readonly other_brand?: ServerCredential;
    readonly other_firm?: ServerCredential;
    readonly no_scopes?: ServerCredential;
    readonly no_amend?: ServerCredential;
    readonly amend_only?: ServerCredential;
    readonly delegated?: {
      readonly token: string;
      readonly account_id: string;
      readonly trading_account_id: string;
    };
    readonly read_only?: { readonly token: string; readonly account_id: string };
    readonly client?: { readonly client_id: string; readonly client_secret: string };
  };
  readonly seeds?: {
    readonly trading_account?: Place;
    readonly second_trading_account?: Place;
    readonly provider_trading_account?: Place;
    readonly settled_transactions?: readonly { readonly id: string; readonly account_id: string }[];
  };
  readonly plan?: { readonly per_second: number; readonly firm_per_second?: number };
  readonly receiver?: { readonly listen: string; readonly public_url: string };
}

export interface FieldProblem {
  /** Dotted: `credentials.firm.token`. */
  readonly field: string;
  readonly message: string;
}

export type ParsedProfile =
  | {
      readonly profile: Profile;
      /** Every value that came from a secret field, to keep it out of reports. */
      readonly secrets: readonly string[];
      readonly problems?: undefined;
    }
  | { readonly profile?: undefined; readonly problems: readonly FieldProblem[] };

type Env = Readonly<Record<string, string | undefined>>;

/** The profile in the JSON of a file, with `env:NAME` looked up, or everything wrong with it. */
export function parseProfile(given: unknown, env: Env): ParsedProfile {
  const reading = new ProfileReader(env);
  const profile = reading.group(profileFields, given, '') as unknown as Profile | undefined;
  const { problems, secrets } = reading;
  if (problems.length === 0 && Object.keys(profile?.credentials ?? {}).length === 0) {
    problems.push({ field: 'credentials', message: 'must hold at least one credential' });
  }
  if (profile !== undefined) problems.push(...sharedTokens(profile), ...sameBrands(profile));
  if (problems.length > 0 || profile === undefined) return { problems };
  return { profile, secrets };
}

function sameBrands({ credentials = {} }: Partial<Profile>): FieldProblem[] {
  const { brand, other_brand: other } = credentials;
  if (other?.brand_id === undefined || other.brand_id !== brand?.brand_id) return [];
  const message = 'must be another than that of credentials.brand';
  return [{ field: 'credentials.other_brand.brand_id', message }];
}

/**
 * Two roles with one token are one credential: what tells them apart would look like a deviation.
 */
function sharedTokens({ credentials = {} }: Partial<Profile>): FieldProblem[] {
  const owners = new Map<string, string>();
  return Object.entries(credentials).flatMap(([role, given]) => {
    const token: unknown = Reflect.get(given, 'token');
    if (typeof token !== 'string') return [];
    const owner = owners.get(token);
    owners.set(token, owner ?? role);
    const advice = 'each role needs a credential of its own';
    const message = `is the token of credentials.${owner} too; ${advice}`;
    return owner === undefined ? [] : [{ field: `credentials.${role}.token`, message }];
  });
}

class ProfileReader {
  readonly problems: FieldProblem[] = [];
  readonly secrets: string[] = [];
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  #wrong(field: string, message: string): undefined {
    this.problems.push({ field: field === '' ? 'the profile' : field, message });
    return undefined;
  }

  group(group: Group, given: unknown, at: string): Record<string, unknown> | undefined {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      return this.#wrong(at, `must be an object, not ${shown(given)}`);
    }
    const names = Object.keys(group.fields);
    const path = (name: string) => (at === '' ? name : `${at}.${name}`);
    for (const name of Object.keys(given)) {
      if (names.includes(name)) continue;
      this.#wrong(path(name.slice(0, 60)), `is not known; use one of ${names.join(', ')}`);
    }
    const found: Record<string, unknown> = {};
    for (const [name, node] of Object.entries(group.fields)) {
      const value: unknown = Reflect.get(given, name);
      if (value === undefined) {
        if ('required' in node && node.required) {
          this.#wrong(path(name), `is missing: ${node.words}`);
        }
      } else {
        const read = this.#node(node, value, path(name));
        if (read !== undefined) found[name] = read;
      }
    }
    return found;
  }

  #node(node: Field | Group | List, value: unknown, at: string): unknown {
    if (isGroup(node)) return this.group(node, value, at);
    if (!isList(node)) return this.#field(node, value, at);
    if (!Array.isArray(value)) return this.#wrong(at, `must be a list, not ${shown(value)}`);
    return value.map((entry, index) => this.group(node.each, entry, `${at}[${index}]`));
  }

  #field(field: Field, given: unknown, at: string): unknown {
    if (field.kind === 'rate') {
      const isValid = typeof given === 'number' && given > 0 && given <= 1_000_000;
      return isValid ? given : this.#wrong(at, `must be a number above 0, not ${shown(given)}`);
    }
    if (typeof given !== 'string' && field.kind === 'secret') {
      return this.#wrong(at, 'must be a string: the value itself, or env:NAME');
    }
    if (typeof given !== 'string') {
      // CONV-1: ids are decimal strings, here too.
      const hint = typeof given === 'number' ? ` (write "${given}")` : '';
      return this.#wrong(at, `must be a string, not ${shown(given)}${hint}`);
    }
    if (field.kind === 'secret') return this.#secret(given, at);
    const problem = CHECKS[field.kind](given);
    return problem === undefined ? given : this.#wrong(at, `${problem}, not ${shown(given)}`);
  }

  #secret(given: string, at: string): string | undefined {
    const name = /^env:(.*)$/.exec(given)?.[1];
    if (name === undefined) {
      if (given.trim() === '') return this.#wrong(at, 'is blank: give the value, or env:NAME');
      if (/[…\s]/.test(given)) return this.#wrong(at, 'is not filled in yet, or has a space in it');
      this.secrets.push(given);
      return given;
    }
    const value = this.#env[name];
    if (value === undefined || value === '') {
      const part = at.split('.').slice(0, 2).join('.');
      const why = `names the environment variable ${name}, which is not set or is empty`;
      return this.#wrong(at, `${why}; set it, or take ${part} out of the profile`);
    }
    this.secrets.push(value);
    return value;
  }
}

const CHECKS = {
  id: (text: string) => (/^[0-9]+$/.test(text) ? undefined : 'must be an id, a decimal string'),
  text: (text: string) => (text.trim() !== '' ? undefined : 'must not be blank'),
  url: (text: string) => {
    if (!isUrl(text, ['http:', 'https:'])) return 'must be a url such as https://api.example.com';
    const isWhole = /\/api\/v1\/*$/.test(new URL(text).pathname);
    return isWhole ? 'must leave the path /api/v1 out, which is added to it' : undefined;
  },
  public_url: (text: string) =>
    isUrl(text, ['https:'])
      ? undefined
      : 'must be a url that begins with https:// (the service takes no other)',
  listen: (text: string) =>
    listenAddress(text) === undefined ? 'must be host:port such as 127.0.0.1:9000' : undefined,
} as const;

function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}

/** The parts of `127.0.0.1:9000` or `[::1]:9000`. */
export function listenAddress(text: string): { host: string; port: number } | undefined {
  const match = /^(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const port = Number(match[2]);
  return port <= 65_535 ? { host: match[1]!.replace(/^\[|\]$/g, ''), port } : undefined;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
