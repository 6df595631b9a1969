// Access: credentials and firms, what they may do, how much allowance is left, which keys are kept.
import type {
  BucketShown,
  CredentialShown,
  FirmShown,
  KeyShown,
} from '../simulator/control/schemas/records.ts';
import { duration, plural } from './format.ts';
import {
  Badge,
  Checkbox,
  type Column,
  CopyButton,
  Field,
  Form,
  givenOf,
  Link,
  Panel,
  Problem,
  placeOf,
  TablePanel,
} from './kit.tsx';
import { useCommand, useLive, useRead } from './world.ts';

const plans = ['sandbox', 'standard', 'pro'] as const;

const scopes = [
  ...['accounts:write', 'trades:write', 'trader:trade', 'transactions:write', 'trader:funds'],
  ...['transactions:amend', 'webhooks:manage'],
];

export function AccessView() {
  const { value } = useRead<{ firms: FirmShown[] }>('firms');
  const firms = value?.firms ?? [];
  return (
    <div class="columns">
      <Credentials />
      <CreateCredential firms={firms} />
      <Panel
        title="Firms"
        note="An operation that is switched off is refused with 403 for every credential of the firm."
      >
        {firms.map((firm) => (
          <Firm key={firm.id} of={firm} />
        ))}
      </Panel>
      <Allowances />
      <Keys />
    </div>
  );
}

function Credentials() {
  const { plane } = useLive();
  const command = useCommand();
  const { value } = useRead<{ credentials: CredentialShown[] }>('credentials');
  const setPlan = (id: string, plan: string) =>
    void command.run(() => plane.send('PATCH', `credentials/${encodeURIComponent(id)}`, { plan }));
  const columns: readonly Column<CredentialShown>[] = [
    ['Name', ({ name }) => <strong>{name}</strong>, 'wrap'],
    ['Client id', ({ client_id }) => <code>{client_id}</code>, 'wrap'],
    ['Copy', (each) => <CopyButtons of={each} />],
    ['Reaches', reachOf],
    ['Scopes', (each) => each.scopes.join(', ') || 'none', 'words'],
    [
      'Plan',
      ({ name, plan, client_id }) => (
        <Field
          label={`Plan of ${name}`}
          value={plan}
          options={plans}
          onInput={(next) => setPlan(client_id, next)}
          quiet
        />
      ),
    ],
    ['A second', (each) => each.rate_per_second],
  ];
  return (
    <TablePanel
      title="Credentials"
      columns={columns}
      rows={value?.credentials ?? []}
      keyOf={(each) => each.client_id}
    >
      <Problem words={command.problem} />
    </TablePanel>
  );
}

function CopyButtons({ of: { token, client_secret, name } }: { of: CredentialShown }) {
  return (
    <span class="bar">
      {token === null ? (
        'no lasting token'
      ) : (
        <CopyButton text={token} words="Copy token" of={`of ${name}`} />
      )}
      <CopyButton text={client_secret} words="Copy secret" of={`of ${name}`} />
    </span>
  );
}

function reachOf({ account_id, brand_id, firm_id, read_only }: CredentialShown): string {
  const brand = brand_id === null ? `firm ${firm_id}` : `brand ${brand_id}`;
  const reach = account_id === null ? brand : `account ${account_id}`;
  return read_only ? `${reach}, reads only` : reach;
}

function CreateCredential({ firms }: { firms: readonly FirmShown[] }) {
  const { plane } = useLive();
  const brands = firms
    .flatMap((firm) => firm.brands)
    .map(({ id, name }) => [id, `brand ${id}, ${name}`] as const);
  return (
    <Panel title="Create a credential" note="It has every scope, and a token that does not expire.">
      <Form
        fields={[
          { name: 'name', label: 'Name' },
          { name: 'brand_id', label: 'Reaches', options: [['', 'the first firm'], ...brands] },
        ]}
        submit="Create the credential"
        run={(values) => plane.send('POST', 'credentials', { ...givenOf(values), scopes })}
      />
    </Panel>
  );
}

function Firm({ of: { id, name, plan, rate_per_second, permissions } }: { of: FirmShown }) {
  const { plane } = useLive();
  const command = useCommand();
  const change = (body: object) => plane.send('PATCH', `firms/${encodeURIComponent(id)}`, body);
  const off = Object.values(permissions).filter((allowed) => !allowed).length;
  return (
    <details class="ledger">
      <summary>
        <strong>
          Firm {id}, {name}
        </strong>{' '}
        <span class="note">
          {plan}, {rate_per_second} a second{off > 0 ? `, ${plural(off, 'operation')} off` : ''}
        </span>
      </summary>
      <Form
        fields={[
          { name: 'plan', label: `Plan of firm ${id}`, value: plan, options: plans },
          {
            name: 'rate',
            label: 'Requests a second',
            type: 'number',
            placeholder: `${rate_per_second}; empty: as the plan has it`,
          },
        ]}
        submit="Set"
        label={`Set the plan and rate of firm ${id}`}
        look="plain"
        run={({ rate = '', ...values }) =>
          change({ ...values, rate_per_second: rate === '' ? null : Number(rate) })
        }
      />
      <fieldset class="bar">
        <legend class="heard">Operations that firm {id} may use</legend>
        {Object.entries(permissions).map(([operation, allowed]) => (
          <Checkbox
            key={operation}
            label={operation}
            checked={allowed === true}
            onChange={(on) => void command.run(() => change({ permissions: { [operation]: on } }))}
          />
        ))}
      </fieldset>
      <Problem words={command.problem} />
    </details>
  );
}

const bucketColumns: readonly Column<BucketShown>[] = [
  ['Of', (bucket) => (bucket.of === 'firm' ? `firm ${bucket.firm_id}` : 'credential')],
  ['Credentials', (bucket) => bucket.client_ids.join(', '), 'wrap'],
  ['Level', ({ level, full }) => `${Math.floor(level)} of ${full}`],
  [
    'Full',
    ({ name, level, full }) => (
      <meter class="meter" aria-label={`Level of ${name}`} min={0} max={full} value={level} />
    ),
  ],
  ['A second', (bucket) => bucket.rate_per_second],
];

function Allowances() {
  const live = useLive();
  // They refill with time, which the stream does not report.
  const everyMs = live.clock?.mode === 'real' ? 1000 : undefined;
  const { value } = useRead<{ buckets: BucketShown[] }>('buckets', everyMs);
  return (
    <TablePanel
      title="Allowances"
      note="They refill by the sandbox's clock; a frozen clock refills none."
      columns={bucketColumns}
      rows={value?.buckets ?? []}
      keyOf={({ name }) => name}
    />
  );
}

const keyColumns: readonly Column<KeyShown>[] = [
  ['Key', ({ key }) => <code>{key ?? 'kept as a digest'}</code>, 'wrap'],
  ['Operation', ({ operation }) => operation],
  ['Credential', ({ client_id }) => client_id],
  ['Subject', ({ subject }) => subject, 'wrap'],
  [
    'State',
    ({ state, status }) =>
      state === 'in_flight' ? (
        <Badge tone="warn">in flight</Badge>
      ) : (
        <Badge tone="good">recorded {status}</Badge>
      ),
  ],
  ['First attempt', ({ first_attempt: id }) => <Link to={placeOf.request(id)}>request {id}</Link>],
  ['Age', ({ age_ms }) => duration(age_ms)],
  [
    'Left',
    ({ expires_at_ms, recorded_at_ms, age_ms }) =>
      expires_at_ms === null ? '' : duration(Math.max(0, expires_at_ms - recorded_at_ms - age_ms)),
  ],
];

function Keys() {
  const { value } = useRead<{ keys: KeyShown[] }>('keys?limit=200');
  return (
    <TablePanel
      title="Idempotency keys"
      note="Those that a retry would find now, newest first."
      columns={keyColumns}
      rows={value?.keys ?? []}
      keyOf={(key) => `${key.client_id} ${key.operation} ${key.key} ${key.subject}`}
      empty="None yet."
    />
  );
}
