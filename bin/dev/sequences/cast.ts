// Who acts in a sequence: the same credentials on each side, and one account for the traders.
import type { JsonObject } from '../../e2e/testing/second-mind/values/json.ts';
import type { Actor } from './actors.ts';
import type { Side } from './sides.ts';

const SCOPES = [
  'accounts:write',
  'trades:write',
  'trader:trade',
  'transactions:write',
  'trader:funds',
  'transactions:amend',
  'webhooks:manage',
];
const AMPLE = 100_000;

export interface Cast {
  readonly tokens: Readonly<Record<Actor, string>>;
  readonly accountId: string;
  readonly placeId: string;
}

export async function castOf(side: Side): Promise<Cast> {
  for (const id of ['1', '2'])
    await side.control('PATCH', `firms/${id}`, { rate_per_second: AMPLE });
  const mint = (over: JsonObject) =>
    side.control('POST', 'credentials', {
      kind: 'server',
      firm_id: '1',
      scopes: SCOPES,
      rate_per_second: AMPLE,
      ...over,
    });
  const server = async (over: JsonObject) => String((await mint(over)).token);
  const firm = await server({});
  const accountId = await trader(side, firm);
  const { id: placeId } = await side.control('POST', `accounts/${accountId}/trading-accounts`, {
    currency: 'USD',
  });
  const minter = await mint({});
  const delegated = async (readOnly: boolean) => {
    const made = await side.control('POST', 'credentials', {
      kind: 'delegated',
      firm_id: '1',
      scopes: ['trader:trade', 'trader:funds'],
      account_id: accountId,
      read_only: readOnly,
      minted_by: String(minter.client_id),
    });
    return String(made.token);
  };
  const tokens = {
    firm,
    brandA: await server({ brand_id: '10' }),
    brandB: await server({ brand_id: '11' }),
    otherFirm: await server({ firm_id: '2' }),
    noScopes: await server({ scopes: [] }),
    noAmend: await server({ scopes: SCOPES.filter((each) => each !== 'transactions:amend') }),
    amendOnly: await server({ scopes: ['transactions:amend'] }),
    slow: await server({ rate_per_second: 5 }),
    delegated: await delegated(false),
    readOnly: await delegated(true),
  };
  return { tokens, accountId, placeId: String(placeId) };
}

async function trader(side: Side, token: string): Promise<string> {
  const made = await side.send({
    method: 'POST',
    path: '/api/v1/accounts',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': 'trader',
    },
    body: { client_reference_id: 'trader', email: 'trader@x.example', brand_id: '10' },
  });
  return String(JSON.parse(made.text).id);
}
