// The processing of one request: the checks in the style's order, then the operation, once per key.
import { Context, decided, Early, type Operation, withHeader } from './context.ts';
import { meetFault } from './faults.ts';
import { checkKey, endAttempt, findRecord } from './keys.ts';
import { takeAllowance } from './limits.ts';
import { ACCOUNT_FIELDS } from './operations.ts';
import type { Call, Reply } from './records.ts';
import type { Step, Style } from './styles.ts';
import { issueToken, TOKEN_PATH } from './tokens.ts';
import { isObject, type Json, parse } from './values.ts';
import type { World } from './world.ts';

const BULK_BYTES = 16 * 1_048_576;

/** NS-31 */
const NO_OPERATION: Operation = {
  ...{
    name: 'none',
    method: '',
    path: '',
    scopes: [],
    takesKey: false,
    fields: null,
    required: [],
  },
  run: (context) => {
    if (context.style.unknownPath === 'text') return context.plain(404, 'nothing here');
    const { operations } = context.world;
    const others = operations.filter(({ path }) => idIn(path, context.path) !== null);
    if (others.length === 0) return context.notFound();
    const refusal = context.refusal(405, 'method_not_allowed', 'this path takes another method');
    return withHeader(refusal, 'Allow', others.map(({ method }) => method).join(', '));
  },
};

const ISSUE_TOKEN: Operation = { ...NO_OPERATION, name: 'issueToken', run: issueToken };

/** The id in a path, empty if the pattern has none; null if the path does not match. */
function idIn(pattern: string, path: string): string | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const at = wanted.indexOf('{id}');
  const isSame = wanted.every((part, index) => index === at || part === given[index]);
  if (wanted.length !== given.length || !isSame) return null;
  return at === -1 ? '' : given[at] || null;
}

function contextOf(world: World, call: Call): Context {
  const [path = ''] = call.target.split('?');
  if (call.method === 'POST' && path === TOKEN_PATH)
    return new Context(world, call, ISSUE_TOKEN, '');
  for (const operation of world.operations) {
    const id = operation.method === call.method ? idIn(operation.path, path) : null;
    if (id !== null) return new Context(world, call, operation, id);
  }
  return new Context(world, call, NO_OPERATION, '');
}

/** The reply to a call; null closes its connection. */
export async function answer(world: World, call: Call): Promise<Reply | null> {
  world.tick();
  const context = contextOf(world, call);
  for (const each of world.underway) {
    each.overlaps.push(context);
    context.overlaps.push(each);
  }
  world.underway.add(context);
  try {
    let early: Reply | undefined;
    for (const { before } of world.seams) early ??= await before?.(context);
    let reply: Reply | null = early ?? (await decide(context));
    for (const { reply: change } of world.seams) {
      if (reply !== null && change !== undefined) reply = change(context, reply);
    }
    return reply;
  } finally {
    world.underway.delete(context);
  }
}

async function decide(context: Context): Promise<Reply | null> {
  const { operation, style, world } = context;
  if (operation === NO_OPERATION || operation === ISSUE_TOKEN) {
    return decided(() => operation.run(context));
  }
  const early = decided(() => {
    for (const step of style.order) STEPS[step](context);
    return undefined;
  });
  // A refusal after the attempt started is stored under its key.
  if (early !== undefined && !context.isReplay) return endAttempt(context, early);
  const before = await meetFault(context, 'before');
  if (before !== undefined) return before === null ? null : endAttempt(context, before);
  // IDEM-14b: an attempt that was given up in the meantime does not run.
  if (world.givenUp.has(context.requestId)) {
    return context.refusal(503, 'write_contention', 'this attempt was given up');
  }
  const run = () => {
    for (const { check } of world.seams) check?.(context);
    return operation.run(context);
  };
  const reply = early ?? context.afterSeams(decided(run));
  const after = await meetFault(context, 'after', () => void endAttempt(context, reply));
  return after === null ? null : endAttempt(context, after ?? reply);
}

const STEPS: Record<Step, (context: Context) => void> = {
  key: checkKey,
  token: checkToken,
  rate: takeAllowance,
  body: readBody,
  replay: findRecord,
  scope: checkScopes,
};

/** AUTH-1, NS-16 */
function checkToken(context: Context): void {
  const credential = context.caller();
  if (credential !== undefined) {
    context.credential = context.credentialChange(credential);
    return;
  }
  const words = 'a valid bearer token is required';
  const replies = {
    problem: () => context.refusal(401, 'unauthorized', words),
    json: () => context.reply(401, { error: words }),
    text: () => context.plain(401, words),
  };
  throw new Early(withHeader(replies[context.style.unauthorized](), 'WWW-Authenticate', 'Bearer'));
}

/** AUTH-2, AUTH-4, AUTH-8 */
function checkScopes(context: Context): void {
  const { operation, style, credential } = context;
  const { scopes, takesKey, method, name } = operation;
  const hasScope = scopes.length === 0 || scopes.some((each) => credential.scopes.includes(each));
  const isWrite = takesKey || (style.readOnlyFirst && method !== 'GET');
  // NS-57: if a token has both faults, only one is reported.
  if (isWrite && credential.read_only && (style.readOnlyFirst || hasScope)) {
    context.refuse(403, 'read_only_credential', 'this token can only read');
  }
  if (!hasScope) context.refuse(403, 'forbidden', `this needs the scope ${scopes.join(' or ')}`);
  context.checkPermission(name);
}

/** ERR-2: parses the body, or refuses it in plain text. */
function readBody(context: Context): void {
  const { style, operation, call } = context;
  const { fields, name } = operation;
  const { unreadable, unknownFields } = style;
  if (fields === null) return;
  const refuse = (status: number, why: string): never => {
    throw new Early(context.plain(status, unreadable.words(why)));
  };
  const limit = name === 'bulkCreateAccounts' ? BULK_BYTES : style.singleBytes;
  if (call.body.length > limit) refuse(413, 'the body is too large');
  const [type = ''] = context.headers('content-type');
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    refuse(unreadable.type, 'the body must be application/json');
  }
  const body = parse(call.body);
  if (body === undefined) refuse(unreadable.syntax, 'the body is not JSON');
  if (!isObject(body)) throw refuse(unreadable.shape, 'the body must be an object');
  for (const field of fields) {
    const why = problemOf(context, field, body[field]);
    if (why !== null) refuse(unreadable.shape, why);
  }
  context.body = body;
  const unknown = Object.keys(body).find((each) => !fields.includes(each));
  const isRefused = unknown !== undefined && unknownFields === 'refused';
  context.need(!isRefused, `${unknown} is not known`, unknown);
}

function problemOf({ style, operation }: Context, name: string, value: Json | undefined) {
  const isUpdate = operation.name === 'updateAccount';
  if (value === null && isUpdate && style.nullInUpdate === 'unreadable') {
    return `${name} must be a string`;
  }
  if (value === undefined || value === null) {
    return operation.required.includes(name) ? `missing required field: ${name}` : null;
  }
  if (name === 'accounts') return rowsProblem(style, value);
  if (name === 'event_categories') {
    const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
    return isList ? null : `${name} must be a list of strings`;
  }
  const isDecimal = name === 'amount' || name === style.position.volume;
  const isTolerated = isDecimal && style.numbersAsAmounts && typeof value === 'number';
  return typeof value === 'string' || isTolerated ? null : `${name} must be a string`;
}

/** NS-33: a wrong type anywhere makes the whole body invalid; missing members fail single rows. */
function rowsProblem({ rowWithoutEmail, batchRefusal }: Style, rows: Json): string | null {
  if (!Array.isArray(rows)) return 'accounts must be a list';
  const required = [
    ...(rowWithoutEmail === 'unreadable' ? ['email'] : []),
    ...(batchRefusal.missing === 'text' ? ['client_reference_id'] : []),
  ];
  for (const [index, row] of rows.entries()) {
    if (!isObject(row)) return `accounts[${index}] must be an object`;
    const name = ACCOUNT_FIELDS.find((each) => typeof (row[each] ?? '') !== 'string');
    if (name !== undefined) return `accounts[${index}].${name} must be a string`;
    const missing = required.find((each) => typeof row[each] !== 'string');
    if (missing !== undefined) return `accounts[${index}]: missing required field: ${missing}`;
  }
  return null;
}
