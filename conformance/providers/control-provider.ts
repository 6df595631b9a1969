// Targets with a control plane: a world for the run and one for each scenario that needs its own. Every
// credential, trading account, name and fault is created on demand.
import { randomUUID } from 'node:crypto';
import { EVERY_CAPABILITY, type Role } from '../engine/capabilities.ts';
import { Blocked, MissingCapability } from '../engine/scenario-errors.ts';
import { Answer } from '../engine/send/answer.ts';
import { encodeCall } from '../engine/send/call.ts';
import type { HeaderLine } from '../engine/send/headers.ts';
import type { Sender } from '../engine/send/sender.ts';
import { WORLD_HEADER } from '../spec/literals.ts';
import { SCOPES, TRADER_SCOPES } from '../spec/operations.ts';
import { ControlPlaneClient, controlOperator, type Row } from './control-plane.ts';
import type { Profile } from './profile.ts';
import { isAmple, ordersOf } from './profile-provider.ts';
import type {
  Credential,
  CredentialOptions,
  OrderTemplates,
  Place,
  Provider,
  Target,
} from './target.ts';
import { COPY_WITHIN_MS, type WebhookEndpoint, WebhookReceiver } from './webhook-receiver.ts';

export interface ControlProviderOptions {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly sender: Sender;
  readonly controlToken?: string | undefined;
  readonly secret?: (value: string) => void;
  /** Orders of a profile, for a target that does not accept the usual ones. */
  readonly positions?: Profile['positions'];
  readonly maxRate?: number | undefined;
  /** Takes the deliveries, if they do not come over the network. */
  readonly receiver?: WebhookReceiver;
}

/** The fastest plan, whose limits are tested as well. */
const PRO_PER_SECOND = 200;

/** NS-1: the usual order members, for worlds that are dropped afterwards. */
const USUAL_ORDERS: OrderTemplates = {
  open: [
    usualOrder('instrument', 'side', 'volume', ['buy', 'sell']),
    usualOrder('symbol', 'side', 'volume', ['buy', 'sell']),
    usualOrder('instrument', 'side', 'size', ['buy', 'sell']),
    usualOrder('symbol', 'direction', 'lots', ['long', 'short']),
  ],
  close: {},
};

function usualOrder(instrument: string, side: string, size: string, sides: [string, string]) {
  return {
    terms: { [instrument]: 'EURUSD', [side]: sides[0], [size]: '0.10' },
    other: { [instrument]: 'GBPUSD', [side]: sides[1], [size]: '0.20' },
  };
}

export async function controlProvider(options: ControlProviderOptions): Promise<Provider> {
  const { controlUrl, sender, controlToken } = options;
  const plane = new ControlPlaneClient(controlUrl, sender, controlToken);
  const absent = await plane.absence();
  if (absent !== null) throw new Blocked(absent);
  /** Drops each world that still exists. */
  const leaves = new Set<() => Promise<void>>();
  let listening: Promise<WebhookReceiver> | undefined;
  const receiver = () => {
    listening ??= Promise.resolve(options.receiver ?? WebhookReceiver.listen());
    return listening;
  };
  /** A world whose clock stands still: only the scenario causes anything in it. */
  const makeWorld = async (): Promise<Target> => {
    const { name } = await plane.ask('POST', 'worlds', { clock: 'frozen' });
    if (typeof name !== 'string') throw new Blocked('the control plane made no world');
    const leave = async () => {
      if (leaves.delete(leave)) await plane.ask('DELETE', `worlds/${name}`);
    };
    leaves.add(leave);
    const own = plane.at(`${plane.url}/worlds/${name}`);
    return controlTarget(options, own, receiver, { leave, header: [WORLD_HEADER, name] });
  };
  const whole = () => controlTarget(options, plane, receiver);
  // Whether worlds are offered is found out by creating the run's own.
  const world = await makeWorld().catch((error: unknown) => {
    if (error instanceof Blocked) return undefined;
    throw error;
  });
  const target = world ?? whole();
  return {
    ...{ offers: target.offers, worlds: world !== undefined, notes: [] },
    shared: async () => target,
    own: async () => (world === undefined ? whole() : makeWorld()),
    async close() {
      for (const leave of leaves) await leave().catch(() => {});
      await (await listening)?.close();
    },
  };
}

/** The identities of the default world that the contract of the control plane fixes. */
const FIRMS = { firm: '1', other_firm: '2' } as const;
const BRANDS = { brand: '10', other_brand: '11' } as const;
const OTHER_FIRMS_BRAND = '20';

/** So high that no scenario reaches it by accident. */
const AMPLE_PER_SECOND = 100_000;

const ROLE_CREDENTIALS: Partial<Record<Role, CredentialOptions>> = {
  firm: { scopes: SCOPES },
  brand: { scopes: SCOPES, brand: 'brand' },
  other_brand: { scopes: SCOPES, brand: 'other_brand' },
  other_firm: { scopes: SCOPES, firm: 'other_firm' },
  no_scopes: { scopes: [] },
  no_amend: { scopes: SCOPES.filter((each) => each !== 'transactions:amend') },
  amend_only: { scopes: ['transactions:amend'] },
  client: { scopes: SCOPES },
};

interface World {
  /** Drops the world. */
  readonly leave: () => Promise<void>;
  readonly header: HeaderLine;
}

/** A world or, without one, the whole target. */
function controlTarget(
  { baseUrl, sender, secret, maxRate, positions }: ControlProviderOptions,
  plane: ControlPlaneClient,
  receiver: () => Promise<WebhookReceiver>,
  world?: World,
): Target {
  // A control plane can create everything that a scenario may need.
  const hasBursts = isAmple(maxRate, PRO_PER_SECOND);
  const offers = new Set(EVERY_CAPABILITY.filter((each) => each !== 'bursts' || hasBursts));
  const credentials = new Map<Role, Promise<Credential>>();
  /** The endpoints of this target, each with its receiver. */
  const endpoints: [WebhookReceiver, WebhookEndpoint][] = [];
  let minted = 0;
  let ample: Promise<void> | undefined;

  /** Firms are limited too: scenarios about something else must not reach the firm's limit. */
  const makeFirmsAmple = async () => {
    for (const id of Object.values(FIRMS)) {
      await plane.ask('PATCH', `firms/${id}`, { rate_per_second: AMPLE_PER_SECOND });
    }
  };

  const mint = async (wanted: CredentialOptions, name?: string): Promise<Credential> => {
    ample ??= makeFirmsAmple();
    await ample;
    minted += 1;
    const ownName = name ?? `minted-${minted}`;
    const row = await plane.ask('POST', 'credentials', {
      name: ownName,
      kind: wanted.kind ?? 'server',
      firm_id: FIRMS[wanted.firm ?? 'firm'],
      scopes: wanted.scopes,
      ...rateOf(wanted),
      brand_id: wanted.brand && BRANDS[wanted.brand],
      read_only: wanted.readOnly,
      account_id: wanted.accountId,
      minted_by: wanted.mintedBy,
    });
    const made = credentialOf(row, ownName, wanted);
    for (const each of [made.token, made.clientSecret ?? []].flat()) secret?.(each);
    return made;
  };

  /** How far the clock was advanced, and how many advances that may bring a retry are under way. */
  let advancedMs = 0;
  let longAdvances = 0;
  const plain = controlOperator(plane, mint);
  const operator: typeof plain = {
    ...plain,
    advance: async (byMs) => {
      const long = byMs >= COPY_WITHIN_MS ? 1 : 0;
      advancedMs += byMs;
      longAdvances += long;
      await plain.advance(byMs).finally(() => {
        longAdvances -= long;
      });
    },
  };

  const placeFor = async (minter: Credential): Promise<Place> => {
    const key = `delegate-${randomUUID()}`;
    const email = `${key}@conformance.example.com`;
    const body = { client_reference_id: key, email, brand_id: BRANDS.brand };
    const call = encodeCall({ method: 'POST', path: '/api/v1/accounts', key, body });
    const request = {
      method: 'POST',
      url: baseUrl + call.target,
      headers: [['authorization', `Bearer ${minter.token}`] as const, ...call.headers],
      body: call.body,
    };
    const response = await sender.send({ ...request, timeoutMs: 30_000 });
    const answer = new Answer({ request, response });
    const id = answer.idAt('id');
    if (answer.isServed && id !== undefined) return operator.openTradingAccount(id);
    const seen = `${answer.status} ${answer.text}`;
    throw new Blocked(`setup failed: an account for a delegated token: ${seen}`);
  };

  const make = async (role: Role): Promise<Credential> => {
    const wanted = ROLE_CREDENTIALS[role];
    if (wanted !== undefined) return mint(wanted, role);
    // A delegated token is metered against the credential that mints it, so each has its own.
    const minter = await mint({ scopes: SCOPES }, `${role}-minter`);
    const place = await placeFor(minter);
    const wantedHere = {
      kind: 'delegated',
      scopes: TRADER_SCOPES,
      accountId: place.account_id,
      readOnly: role === 'read_only',
      mintedBy: minter.clientId,
    } as const;
    return { ...(await mint(wantedHere, role)), tradingAccountId: place.trading_account_id };
  };

  return {
    ...{ baseUrl, offers, operator, mainRole: 'firm' },
    addedHeaders: world === undefined ? [] : [world.header],
    orders: ordersOf(positions) ?? USUAL_ORDERS,
    disposable: world !== undefined,
    mainName: 'the credential that the control plane made',
    credential: (role) => {
      const made = credentials.get(role) ?? make(role);
      credentials.set(role, made);
      return made;
    },
    brandId: (role) => {
      if (role === 'other_firm') return OTHER_FIRMS_BRAND;
      return role === 'other_brand' ? BRANDS.other_brand : BRANDS.brand;
    },
    seed: async (kind) => {
      const why = 'trading accounts are opened here, not taken from a profile';
      throw new MissingCapability(kind, why);
    },
    settledTransaction: async () => {
      throw new MissingCapability('settled_transaction', 'transactions are settled here');
    },
    receiver: async () => {
      const own = await receiver();
      let forward = { from: '', to: '' };
      const urlOf = (name: string) => {
        const from = `https://${name}.hooks.example.com`;
        forward = { from, to: `${own.origin}/${name}` };
        return `${from}/${name}`;
      };
      const hook = own.hook(urlOf, () => (longAdvances > 0 ? undefined : Date.now() + advancedMs));
      endpoints.push([own, hook]);
      await plane.ask('PUT', 'forwards', forward);
      return hook;
    },
    close: async () => {
      for (const [own, endpoint] of endpoints.splice(0)) own.forget(endpoint);
      await world?.leave();
    },
  };
}

function credentialOf(row: Row, name: string, wanted: CredentialOptions): Credential {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const token = text(row.token);
  if (token === undefined) throw new Blocked('the control plane made no token');
  const isOtherFirm = wanted.firm === 'other_firm';
  return {
    name,
    token,
    brandId: isOtherFirm ? OTHER_FIRMS_BRAND : BRANDS[wanted.brand ?? 'brand'],
    firmId: text(row.firm_id),
    accountId: text(row.account_id),
    clientId: text(row.client_id),
    clientSecret: text(row.client_secret),
    rates: [],
  };
}

function rateOf({ perSecond, plan, kind }: CredentialOptions): object {
  const onPlan = plan === undefined ? {} : { plan };
  if (perSecond === null) return onPlan;
  if (perSecond !== undefined) return { rate_per_second: perSecond, ...onPlan };
  // LIM-10: a delegated token has the Sandbox rate under any plan.
  const isHeld = plan !== undefined || kind === 'delegated';
  return isHeld ? onPlan : { rate_per_second: AMPLE_PER_SECOND };
}
