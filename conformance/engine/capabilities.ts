// What a scenario may need beyond one token and the API, with the names used by the catalogue and by
// profiles.
import type { Need as CatalogueNeed } from '../../fixtures/rules.ts';

/** The word for it in the rule catalogue; `control` only adds depth, and no rule depends on it. */
type Coarse = CatalogueNeed | 'control';

/** Only a control plane offers it; a profile cannot. */
function operator(coarse: Exclude<Coarse, 'roles'>, what: string) {
  return { coarse, add: `a control plane (--control-url), to ${what}`, isOperator: true };
}

/** `add` is what a user adds to a profile, or starts, to provide it. */
export const CAPABILITIES = {
  firm: { coarse: 'roles', add: 'credentials.firm, a firm-wide credential with its brand_id' },
  brand: { coarse: 'roles', add: 'credentials.brand, bound to one brand' },
  other_brand: { coarse: 'roles', add: 'credentials.other_brand, bound to another brand' },
  other_firm: { coarse: 'roles', add: 'credentials.other_firm, of another firm' },
  no_scopes: { coarse: 'roles', add: 'credentials.no_scopes, with no scope at all' },
  no_amend: { coarse: 'roles', add: 'credentials.no_amend, all scopes but transactions:amend' },
  amend_only: { coarse: 'roles', add: 'credentials.amend_only, with transactions:amend alone' },
  delegated: { coarse: 'roles', add: 'credentials.delegated, a trader token of one account' },
  read_only: { coarse: 'roles', add: 'credentials.read_only, a trader token minted read-only' },
  client: { coarse: 'roles', add: 'credentials.client, a client_id and its client_secret' },
  /** Credentials of any scopes, made on demand. */
  mint: operator('control', 'make credentials of any scopes'),
  trading_account: { coarse: 'seed', add: 'seeds.trading_account' },
  /** An account that has never received a payment, with its own trading account. */
  fresh_trading_account: operator('seed', 'open trading accounts'),
  second_trading_account: {
    coarse: 'seed',
    add: 'seeds.second_trading_account, of another account',
  },
  provider_trading_account: { coarse: 'seed', add: 'seeds.provider_trading_account' },
  settled_transaction: { coarse: 'seed', add: 'seeds.settled_transactions, one each time' },
  /** Settles a transaction that the scenario chooses. */
  settle: operator('seed', 'settle transactions'),
  /** Order payloads, which the specification leaves open (NS-1). */
  orders: { coarse: 'seed', add: 'positions, the orders that open and close a position' },
  other_order: { coarse: 'seed', add: 'positions.open.other_body, an order of another instrument' },
  /** A URL that belongs to the tester, to subscribe with; nothing needs to listen there. */
  public_url: { coarse: 'receiver', add: 'receiver.public_url, an https url of your own' },
  receiver: { coarse: 'receiver', add: 'receiver, with a public_url the target can reach' },
  clock: operator('clock', 'move its clock'),
  fault: operator('fault', 'make it answer slowly or fail'),
  permissions: operator('fault', "switch a firm's permissions"),
  dns: operator('dns', 'change what a name resolves to'),
  plan: { coarse: 'plan', add: 'plan, the rates that the credentials are held to' },
  /** More concurrent requests than the plan allows, as tests of limits need. */
  bursts: { coarse: 'plan', add: 'no --max-rate, or one of 20 times the plan at least' },
  /** Credentials with a rate that the scenario chooses. */
  rates: operator('control', "set a credential's own rate"),
  /** Balances and their entries. */
  ledger: operator('control', 'read balances'),
  /** Events of any kind, created on demand. */
  emit: operator('control', 'make events'),
} as const satisfies Record<string, { readonly coarse: Coarse; readonly add: string }>;

export type Capability = keyof typeof CAPABILITIES;
export const EVERY_CAPABILITY = Object.keys(CAPABILITIES) as Capability[];

/** The credentials that a scenario can act as, by their names in a profile. */
export type Role = {
  [C in Capability]: (typeof CAPABILITIES)[C]['coarse'] extends 'roles' ? C : never;
}[Capability];

export function isRole(name: string): name is Role {
  return EVERY_CAPABILITY.some((each) => each === name && CAPABILITIES[each].coarse === 'roles');
}

export function isOperatorCapability(need: Capability): boolean {
  return 'isOperator' in CAPABILITIES[need];
}

/** The part of a profile that provides it. */
export function nameInProfile(need: Capability): string {
  return CAPABILITIES[need].add.split(',')[0]!;
}

/**
 * Where a scenario runs. `shared`: concurrent with others, separated by fresh references.
 * `own_world`: in a separate world (or alone on the whole target). `limits`: exhausts a rate, last and
 * with its own credentials.
 */
export type Lane = 'shared' | 'own_world' | 'limits';

/** With these, a scenario affects others or is affected by them. */
const OWN_WORLD: readonly Capability[] = [
  ...(['clock', 'fault', 'dns', 'permissions', 'receiver', 'public_url'] as const),
];

interface Placed {
  readonly lane?: Lane;
  readonly needs?: readonly Capability[];
}

export function laneOf({ lane, needs = [] }: Placed): Lane {
  return lane ?? (needs.some((each) => OWN_WORLD.includes(each)) ? 'own_world' : 'shared');
}
