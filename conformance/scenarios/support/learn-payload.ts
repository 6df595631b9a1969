// Finds out a request that the specification does not show (NS-1), from what the target says of it:
// a schema of its own, or the refusals that name what is missing or wrong.
import type { Answer, Json } from '../../engine/send/answer.ts';
import { type ApiDescription, isObject, type JsonObject } from './api-description.ts';
import { valuesFor } from './likely-values.ts';

export type Payload = { readonly [name: string]: Json };

export interface Learned {
  readonly body: Payload;
  readonly answer: Answer;
  /** The same with other values wherever others are known. */
  readonly other: Payload;
}

export interface LearningOptions {
  /** What is known of it already, and stays as it is. */
  readonly known: Payload;
  readonly send: (body: Payload) => Promise<Answer>;
  /** Values for members by their names, before any guess. */
  readonly valuesOf?: (name: string) => readonly Json[] | undefined;
  /** The payload begins with what this schema asks for. */
  readonly schema?: JsonObject | undefined;
  readonly description?: ApiDescription | undefined;
}

/** More than any order has members and wrong guesses. */
const MOST_TRIES = 24;

/** Undefined where what the target says leads to nothing. */
export async function learnPayload(options: LearningOptions): Promise<Learned | undefined> {
  const { known, send, schema } = options;
  const draft = new Draft(options);
  for (const name of requiredBy(schema)) if (!Object.hasOwn(known, name)) draft.add(name);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const answer = await send(draft.body);
    if (answer.status < 300) return { body: draft.body, answer, other: draft.other };
    // Anything else than a payload that is not understood is not for another payload to mend.
    if (answer.status !== 400 && answer.status !== 422) return undefined;
    if (!draft.mend(complaintIn(answer))) return undefined;
  }
  return undefined;
}

function requiredBy(schema: JsonObject | undefined): string[] {
  const required = schema?.required;
  if (Array.isArray(required)) return required.filter((each) => typeof each === 'string');
  return isObject(schema?.properties) ? Object.keys(schema.properties) : [];
}

class Draft {
  readonly #options: LearningOptions;
  readonly #choices = new Map<string, { values: readonly Json[]; at: number }>();

  constructor(options: LearningOptions) {
    this.#options = options;
  }

  get body(): Payload {
    return this.#print((values, at) => values[at]);
  }

  get other(): Payload {
    return this.#print((values, at) => values[at + 1] ?? values.find((_, index) => index !== at));
  }

  add(name: string, allowed: readonly string[] = []): void {
    this.#choices.set(name, { values: this.#valuesOf(name, allowed), at: 0 });
  }

  /** False where nothing can be made of what was said. */
  mend({ names, allowed }: Complaint): boolean {
    for (const name of names) {
      if (Object.hasOwn(this.#options.known, name)) continue;
      const choice = this.#choices.get(name);
      if (choice === undefined) {
        this.add(name, allowed);
        return true;
      }
      const values = allowed.length > 0 ? this.#valuesOf(name, allowed) : choice.values;
      const sent = choice.values[choice.at];
      const at = values.findIndex(
        (each, index) => each !== sent && (index > choice.at || allowed.length > 0),
      );
      if (at < 0) continue;
      this.#choices.set(name, { values, at });
      return true;
    }
    return false;
  }

  #valuesOf(name: string, allowed: readonly string[]): readonly Json[] {
    if (allowed.length > 0) return allowed;
    const own = this.#options.valuesOf?.(name);
    if (own !== undefined) return own;
    const { description, schema } = this.#options;
    const properties = isObject(schema?.properties) ? schema.properties : {};
    return valuesFor(name, description?.resolve(properties[name]));
  }

  #print(pick: (values: readonly Json[], at: number) => Json | undefined): Payload {
    const chosen = [...this.#choices].map(([name, { values, at }]) => [
      name,
      pick(values, at) ?? values[at] ?? null,
    ]);
    return { ...this.#options.known, ...Object.fromEntries(chosen) };
  }
}

interface Complaint {
  /** Members that it names, the likeliest first. */
  readonly names: readonly string[];
  /** The values that it says are allowed. */
  readonly allowed: readonly string[];
}

const NAME = '[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*';
const QUOTED = new RegExp(`["'\`“‘](${NAME})["'\`”’]`, 'g');
const SNAKE = /\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g;
const BEFORE = new RegExp(`\\b(${NAME})\\b(?= (?:is|are|must|may|should|has|cannot|was) )`, 'g');
const AFTER = new RegExp(
  `(?<=\\b(?:missing|required|lacks|without|needs|field|member|property|parameter)[: ]+)(${NAME})\\b`,
  'gi',
);
const LEADING = new RegExp(`^(${NAME})(?=:)`, 'g');
/** Words of sentences, that no member is called. */
const COMMON = new Set([
  ...['a', 'an', 'and', 'are', 'as', 'be', 'been', 'but', 'by', 'cannot', 'does', 'for', 'from'],
  ...[
    'has',
    'have',
    'in',
    'is',
    'it',
    'its',
    'must',
    'no',
    'not',
    'of',
    'one',
    'or',
    'see',
    'send',
  ],
  ...[
    'should',
    'that',
    'the',
    'there',
    'they',
    'this',
    'to',
    'was',
    'what',
    'which',
    'with',
    'you',
  ],
  ...['body', 'content', 'field', 'fields', 'json', 'key', 'line', 'member', 'members', 'message'],
  ...['missing', 'object', 'parameter', 'payload', 'property', 'read', 'request', 'required'],
  ...['string', 'text', 'type', 'unknown', 'valid', 'value'],
]);

export function complaintIn(answer: Answer): Complaint {
  const detail = answer.at('detail');
  const text = typeof detail === 'string' ? detail : answer.text;
  const names = [
    ...fieldsIn(answer.at('errors')),
    ...[QUOTED, SNAKE, LEADING, BEFORE, AFTER].flatMap((pattern) =>
      [...text.matchAll(pattern)].map((match) => match[1] ?? match[0]),
    ),
  ];
  const allowed = allowedIn(text);
  const wanted = names.filter((each) => !COMMON.has(each.toLowerCase()) && !allowed.includes(each));
  return { names: [...new Set(wanted)], allowed };
}

/** NS-13: entries of `errors` are of no form that is told; a text in them may name a member. */
function fieldsIn(errors: Json | undefined): string[] {
  if (!Array.isArray(errors)) return [];
  const texts = errors.flatMap((each) => {
    if (typeof each === 'string') return [each];
    if (!isObject(each)) return [];
    const named = ['field', 'name', 'path', 'pointer', 'param', 'property'].map((key) => each[key]);
    return named.filter((value): value is string => typeof value === 'string');
  });
  return texts.map((each) => each.split(/[./]/).at(-1) ?? '').filter((each) => /^\w+$/.test(each));
}

function allowedIn(text: string): string[] {
  const [, list = ''] = /\bone of:? ([^.;]+)/i.exec(text) ?? [];
  const words = list
    .split(/,|\||\/|\bor\b|\band\b/)
    .map((each) => each.replace(/["'`\s[\](){}]/g, ''));
  return words.filter((each) => each !== '');
}
