// Checks the profile of a target before rules rely on it: that the target is the API, that each
// credential has its role, and that seeds and receiver exist. A wrong profile must not look like a
// deviating target. The profile is only blamed for behaviour that one broken rule cannot explain.
import { parseUrl } from '../../../fixtures/parse-url.ts';
import type { Capability, Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import {
  Blocked,
  Inconclusive,
  MissingCapability,
  Unreachable,
} from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import { nothingAnswers } from '../../engine/send/unreachable.ts';
import type { Scenario } from '../../engine/types.ts';
import { type Place, SEED_KINDS } from '../../providers/target.ts';

const ACCOUNTS = '/api/v1/accounts';

const profileTarget: Scenario = {
  id: 'profile-target',
  title: 'The target answers as the API does and takes the main credential',
  rules: [],
  async run(t) {
    const first = await firstAnswer(t);
    if (first === undefined) return;
    if (first.status === 401) throw new Blocked(tokenRefused(t));
    const absent = [404, 405, 501].includes(first.status) && first.code === undefined;
    const isOdd = first.status < 400 || absent;
    if (isOdd) requireNoRedirect(t, first);
    // With a control plane credentials are created for the run, so a refusal is the target's fault.
    if (t.has('mint') && !isOdd) return;
    const plain = await answered(create(t, t.mainRole));
    if (plain === undefined) return;
    const brand = createdId(plain, 'brand_id');
    if (brand !== undefined && t.brandId(t.mainRole) === undefined) {
      t.target.nameBrand?.(t.mainRole, brand);
    }
    if (isOdd) requireApi(t, first, plain);
    if (!t.has('mint')) requireCreated(t, plain);
  },
};

/** Undefined if the target fails: a target that deviates is judged, not rejected. */
async function firstAnswer(t: ScenarioContext): Promise<Answer | undefined> {
  const plain = { method: 'POST', path: ACCOUNTS, body: {} };
  try {
    const answer = await t.call(plain);
    if (answer.source === 'service') return answer;
  } catch (error) {
    if (!(error instanceof Unreachable) || !error.neverSent) throw error;
    throw new Inconclusive(nothingAnswers(t.baseUrl, error));
  }
  try {
    return await t.answered(plain);
  } catch (error) {
    if (error instanceof Blocked) return undefined;
    if (!(error instanceof Inconclusive)) throw error;
    const advice = error.message.includes(': 429')
      ? 'wait until the limit of this credential is over, or lower --max-rate'
      : 'something in front of the API answers: check that the API runs behind it, and --base-url';
    throw new Inconclusive(`${error.message}: ${advice}`);
  }
}

function tokenRefused(t: ScenarioContext): string {
  return `the token was refused (401): check ${t.target.mainName}`;
}

/** A redirect is an answer and is never followed: the profile's base URL is probably wrong. */
function requireNoRedirect({ baseUrl }: ScenarioContext, { status, headers }: Answer): void {
  const location = headers.get('location');
  if (status < 300 || status >= 400 || location === undefined) return;
  const url = `${baseUrl}${ACCOUNTS}`;
  const words = `POST ${url} is answered with ${status} and leads to ${location}`;
  const href = parseUrl(location, url)?.href ?? '';
  const at = href.indexOf(ACCOUNTS);
  const advice = at < 0 ? 'Is the base URL right?' : `Try --base-url ${href.slice(0, at)}`;
  throw new Blocked(`${words}. ${advice}`);
}

/** The target is not the API only if the API would give neither of the two answers. */
function requireApi({ baseUrl }: ScenarioContext, first: Answer, plain: Answer): void {
  if (plain.isServed && plain.at('id') !== undefined) return;
  if (!plain.isServed && plain.code !== undefined) return;
  const seen = `${first.summary} to a create without a key, ${plain.summary} to a plain one`;
  const words = `this does not look like the API: POST ${baseUrl}${ACCOUNTS} answered ${seen}`;
  throw new Blocked(`${words}. Is the base URL right?`);
}

/** If even the simplest create is refused, every scenario would be blocked. */
function requireCreated(t: ScenarioContext, plain: Answer): void {
  if (![401, 403, 422].includes(plain.status)) return;
  if (plain.status === 401) throw new Blocked(tokenRefused(t));
  const check =
    t.brandId(t.mainRole) === undefined
      ? 'add its brand_id (--brand-id for a token)'
      : 'check its scopes and its brand_id';
  const words = `a plain create under ${t.target.mainName} is refused (${plain.refusal}): ${check}`;
  throw new Blocked(`${words}; if that is right, the target breaks ACC-1`);
}

/** Describes the error in a credential; undefined if it has the role that the profile gives it. */
type FindFault = (t: ScenarioContext) => Promise<string | undefined>;

const FAULTS: Readonly<Record<Role, FindFault | undefined>> = {
  firm: undefined,
  brand: (t) => firmWide(t, 'brand', 'other_brand'),
  other_brand: async (t) => (await sameBrand(t)) ?? (await firmWide(t, 'other_brand', 'brand')),
  other_firm: sameFirm,
  no_scopes: (t) => holdsScopes(t, 'no_scopes', 'amend_only'),
  no_amend: lacksScopes,
  amend_only: (t) => holdsScopes(t, 'amend_only', 'no_scopes'),
  delegated: cannotTrade,
  read_only: undefined,
  client: undefined,
};

/** Roles that create accounts at their own brand. */
const CREATORS: readonly Role[] = ['firm', 'brand', 'other_brand', 'other_firm'];

const roleScenarios = Object.entries(FAULTS).map(([name, findFault]): Scenario => {
  const role = name as Role;
  return {
    id: `profile-${role.replace('_', '-')}`,
    title: `credentials.${role} is what it is called`,
    rules: [],
    confirms: role,
    async run(t) {
      if (role === t.mainRole || role === 'client') return;
      // AUTH-1: with a key, a 401 can only be about the token.
      const harmless = await answered(t.answered('createAccount', { as: role, body: {} }));
      if (harmless?.status === 401) refuse(role, 'its token was refused (401), so it is not used');
      if (CREATORS.includes(role) && t.brandId(role) === undefined) await findBrand(t, role);
      const fault = await findFault?.(t);
      if (fault !== undefined) refuse(role, `${fault}, so it is not used: check the profile`);
    },
  };
});

function refuse(need: Capability, why: string): never {
  throw new MissingCapability(need, why);
}

/** ACC-15: a brand-bound credential creates in its brand without naming it. */
async function findBrand(t: ScenarioContext, role: Role): Promise<void> {
  const created = await create(t, role);
  const brand = createdId(created, 'brand_id');
  if (brand !== undefined) t.target.nameBrand?.(role, brand);
  else refuse(role, 'creates under it must name a brand, so it is not used: add its brand_id');
}

/** ACC-18 shows the firm, and AUTH-7 hides other firms' accounts: both would have to be broken. */
async function sameFirm(t: ScenarioContext): Promise<string | undefined> {
  const ours = await create(t, t.mainRole);
  const firm = createdId(ours, 'firm_id');
  if (firm === undefined) return undefined;
  const own = createdId(await create(t, 'other_firm'), 'firm_id');
  // A credential of another firm cannot create at our brand.
  const here = { brand_id: ours.at('brand_id') };
  const there = own ?? createdId(await t.create(here, { as: 'other_firm' }), 'firm_id');
  if (there !== firm) return undefined;
  const id = createdId(ours, 'id') ?? '';
  const patch = { first_name: 'Ada' };
  const reached = await t.update(id, patch, '"no-such-tag"', { as: 'other_firm' });
  if (reached.status === 404) return undefined;
  return `it is of firm ${firm}, as ${t.target.mainName} is`;
}

/** ACC-15 and ACC-16 would both have to be broken for this credential to look firm-wide. */
async function firmWide(t: ScenarioContext, role: Role, other: Role): Promise<string | undefined> {
  const elsewhere = t.brandId(other);
  if (elsewhere === undefined) return undefined;
  const unnamed = await t.create({ brand_id: undefined }, { as: role });
  if (unnamed.status !== 422) return undefined;
  const named = await t.create({ brand_id: elsewhere }, { as: role });
  return named.isServed ? 'it is bound to no brand' : undefined;
}

async function sameBrand(t: ScenarioContext): Promise<string | undefined> {
  if (!t.has('brand')) return undefined;
  const [one, other] = [await create(t, 'brand'), await create(t, 'other_brand')];
  const brand = createdId(one, 'brand_id');
  if (brand === undefined || createdId(other, 'brand_id') !== brand) return undefined;
  return `it is bound to brand ${brand}, as credentials.brand is`;
}

/** AUTH-4: why it seems to hold the scope that it should lack; undefined if it does not. */
async function holdsScopes(t: ScenarioContext, role: Role, other: Role) {
  if (!(await create(t, role)).isServed) return undefined;
  const held = 'it creates accounts, so it holds accounts:write';
  if (t.has(other) && (await create(t, other)).status === 403) return held;
  const hooks = await t.call('listWebhooks', { as: role });
  const order = await t.call('createTransaction', { as: role, body: {} });
  const isServed = hooks.status !== 403 && order.status !== 403;
  return isServed ? 'no operation that was tried is refused to it for want of a scope' : undefined;
}

async function lacksScopes(t: ScenarioContext): Promise<string | undefined> {
  const created = await create(t, 'no_amend');
  if (created.status !== 403 || created.code !== 'forbidden') return undefined;
  return 'it lacks accounts:write: a plain create is refused (403)';
}

/** TXN-10, AUTH-2: its place in the profile must be its own, with write access. */
async function cannotTrade(t: ScenarioContext): Promise<string | undefined> {
  const { accountId, tradingAccountId } = await t.credential('delegated');
  if (accountId === undefined || tradingAccountId === undefined) return undefined;
  const place = { account_id: accountId, trading_account_id: tradingAccountId, currency: 'USD' };
  const created = await t.record(place, {}, { as: 'delegated' });
  if (created.code === 'read_only_credential') return 'it is read-only (403 read_only_credential)';
  if (created.status === 404 && created.code === 'not_found') {
    return `it does not reach account ${accountId} and its ${tradingAccountId} (404)`;
  }
  await cancelCreated(t, created, place, 'delegated');
  return undefined;
}

async function cancelCreated(
  t: ScenarioContext,
  created: Answer,
  { account_id }: Place,
  as?: Role,
) {
  const id = createdId(created, 'id');
  if (id !== undefined) await t.call('cancelTransaction', { as, id, account_id });
}

const seedScenarios = SEED_KINDS.map(
  (kind): Scenario => ({
    id: `profile-${kind.replaceAll('_', '-')}`,
    title: `seeds.${kind} is a trading account that the target knows`,
    rules: [],
    confirms: kind,
    async run(t) {
      const place = await t.target.seed(kind);
      const created = await t.answered('createTransaction', { body: t.newTransaction(place) });
      if (created.status === 404 && created.code === 'not_found') {
        const names = `account ${place.account_id} with trading account ${place.trading_account_id}`;
        refuse(kind, `the target does not know ${names} (404), so it is not used`);
      }
      await cancelCreated(t, created, place);
    },
  }),
);

const RECEIVED_WITHIN_MS = 10_000;

const profileReceiver: Scenario = {
  id: 'profile-receiver',
  title: 'A request to receiver.public_url, or a delivery of the target, arrives',
  rules: [],
  confirms: 'receiver',
  async run(t) {
    const hook = await t.receiver();
    await reach(t, hook.url);
    if (hook.deliveries.length > 0) return;
    // The host name may only be known to the target.
    await t.given.webhook(hook, ['account']);
    await create(t, t.mainRole);
    if (await t.until(() => hook.deliveries.length > 0, RECEIVED_WITHIN_MS)) return;
    const seen = `neither a request to ${hook.url} nor a delivery of the target arrived`;
    refuse('receiver', `${seen}, so rules about deliveries are not tested`);
  },
};

async function reach(t: ScenarioContext, url: string): Promise<void> {
  try {
    const headers = [['content-type', 'application/json']] as const;
    const body = Buffer.from('{}');
    await t.run.sender.send({ method: 'POST', url, headers, body, timeoutMs: RECEIVED_WITHIN_MS });
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
  }
}

/** A minimal account under a role; a role without a brand names the main role's brand. */
function create(t: ScenarioContext, role: Role): Promise<Answer> {
  const isNamed = t.brandId(role) !== undefined || CREATORS.includes(role);
  const body = t.newAccount(isNamed ? {} : { brand_id: t.brandId(t.mainRole) }, role);
  return t.answered('createAccount', { as: role, body });
}

/** Undefined if the service does not answer; the run itself reports that. */
async function answered(sent: Promise<Answer>): Promise<Answer | undefined> {
  return sent.catch((error: unknown) => {
    const isExpected = [Blocked, Inconclusive, Unreachable].some((kind) => error instanceof kind);
    if (!isExpected) throw error;
    return undefined;
  });
}

function createdId(answer: Answer, name: string): string | undefined {
  return answer.isServed ? answer.idAt(name) : undefined;
}

export const profileScenarios: readonly Scenario[] = [
  profileTarget,
  ...roleScenarios,
  ...seedScenarios,
  profileReceiver,
];
