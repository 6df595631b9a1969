// Every field of a profile: what it is for, what it may hold, and an example to fill in.

/** What a field holds. */
export type FieldKind = 'url' | 'public_url' | 'listen' | 'secret' | 'id' | 'text' | 'rate';

export interface Field {
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly words: string;
  /** As `conformance init` writes it. */
  readonly example: string | number;
}

export interface Group {
  readonly words: string;
  readonly fields: Readonly<Record<string, Field | Group | List>>;
}

export interface List {
  readonly words: string;
  readonly each: Group;
}

const token = (name: string): Field => ({
  kind: 'secret',
  required: true,
  words: 'its access token, best as env:NAME so that the file holds no secret',
  example: `env:${name}`,
});

const brandId = (example: string, words: string): Field => ({
  kind: 'id',
  required: false,
  words,
  example,
});

const id = (words: string, example: string): Field => ({
  kind: 'id',
  required: true,
  words,
  example,
});

const currency: Field = {
  kind: 'text',
  required: true,
  words: 'its currency code',
  example: 'USD',
};

const place = (words: string, account: string, tradingAccount: string): Group => ({
  words,
  fields: {
    account_id: id('the account', account),
    trading_account_id: id('a trading account that belongs to it', tradingAccount),
    currency,
  },
});

const itsBrand = 'the brand that it is bound to';

const credentials: Group = {
  words: 'who the runner acts as; one is enough to begin, each further one unlocks rules',
  fields: {
    firm: {
      words: 'a firm-wide server credential with every scope; scenarios act as it by default',
      fields: {
        token: token('FIRM_TOKEN'),
        brand_id: brandId('10', 'a brand of the firm: creates must name one'),
      },
    },
    brand: {
      words: 'a server credential of the same firm with every scope, bound to one brand',
      fields: { token: token('BRAND_TOKEN'), brand_id: brandId('10', itsBrand) },
    },
    other_brand: {
      words: 'the same, bound to another brand of the firm',
      fields: { token: token('OTHER_BRAND_TOKEN'), brand_id: brandId('11', itsBrand) },
    },
    other_firm: {
      words: 'a server credential with every scope of another firm',
      fields: {
        token: token('OTHER_FIRM_TOKEN'),
        brand_id: brandId('20', 'a brand of that firm'),
      },
    },
    no_scopes: {
      words: 'a firm-wide server credential without any scope',
      fields: { token: token('NO_SCOPES_TOKEN') },
    },
    no_amend: {
      words: 'a firm-wide server credential with every scope but transactions:amend',
      fields: { token: token('NO_AMEND_TOKEN') },
    },
    amend_only: {
      words: 'a firm-wide server credential with transactions:amend and no other scope',
      fields: { token: token('AMEND_ONLY_TOKEN') },
    },
    delegated: {
      words: 'a delegated trader token with trader:trade and trader:funds',
      fields: {
        token: token('DELEGATED_TOKEN'),
        account_id: id('the one account that it reaches', '1001'),
        trading_account_id: id('a trading account of that account', '5001'),
      },
    },
    read_only: {
      words: 'a delegated trader token that was minted read-only',
      fields: {
        token: token('READ_ONLY_TOKEN'),
        account_id: id('the one account that it reaches', '1001'),
      },
    },
    client: {
      words: 'a client of the token endpoint, for the rules about obtaining tokens',
      fields: {
        client_id: {
          kind: 'secret',
          required: true,
          words: 'its id, or env:NAME',
          example: 'env:CLIENT_ID',
        },
        client_secret: {
          kind: 'secret',
          required: true,
          words: 'its secret, best as env:NAME',
          example: 'env:CLIENT_SECRET',
        },
      },
    },
  },
};

const seeds: Group = {
  words: 'records that the API cannot make; they stay usable from run to run but for the last',
  fields: {
    trading_account: place('an account with a trading account', '1001', '5001'),
    second_trading_account: place('the same of another account', '1002', '5002'),
    provider_trading_account: place(
      'a trading account whose withdrawals pay out through a payment provider',
      '1001',
      '5003',
    ),
    settled_transactions: {
      words:
        'transactions that have settled; cancelling uses one up for good, so each is used once, ' +
        'and what was used is kept in a file beside the profile',
      each: {
        words: 'one of them',
        fields: {
          id: id('the transaction', '9001'),
          account_id: id('the account that owns it', '1001'),
        },
      },
    },
  },
};

/** The whole profile, in the order in which `conformance init` writes it. */
export const profileFields: Group = {
  words: 'what a target without a control plane offers the runner',
  fields: {
    base_url: {
      kind: 'url',
      required: false,
      words: 'where the API is served, without /api/v1; --base-url wins over it',
      example: 'https://api.example.com',
    },
    credentials,
    seeds,
    plan: {
      words:
        'the rates that the credentials are held to; without it 5 and 20 are kept to, untested',
      fields: {
        per_second: {
          kind: 'rate',
          required: true,
          words: 'requests a second of one credential: 5 Sandbox, 50 Standard, 200 Pro',
          example: 5,
        },
        firm_per_second: {
          kind: 'rate',
          required: false,
          words: 'requests a second of the whole firm; four times per_second when left out',
          example: 20,
        },
      },
    },
    receiver: {
      words: 'a webhook endpoint of the runner that the target can reach, by a tunnel for example',
      fields: {
        listen: {
          kind: 'listen',
          required: true,
          words: 'where the runner listens on this machine, as host:port',
          example: '127.0.0.1:9000',
        },
        public_url: {
          kind: 'public_url',
          required: true,
          words: 'the https url that leads there; paths are added to it',
          example: 'https://tunnel.example.com/hooks',
        },
      },
    },
  },
};

export function isGroup(node: Field | Group | List): node is Group {
  return 'fields' in node;
}

export function isList(node: Field | Group | List): node is List {
  return 'each' in node;
}
