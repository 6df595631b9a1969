// Access: credentials and firms, their permissions, their remaining allowance, and the stored keys.
import type {
  BucketShown,
  CredentialShown,
  FirmShown,
  KeyShown,
} from '../simulator/control/records.ts';
import { plural } from './format.ts';
import { Checkbox, CopyButton, Field, Panel, Problem } from './kit.tsx';
import { RowForm } from './row-form.tsx';
import { type Column, TablePanel } from './table.tsx';
import { useCommand, useLive, useRead } from './world.ts';

const plans = ['sandbox', 'standard', 'pro'] as const;
const scopes =
  'accounts:write,trades:write,trader:trade,transactions:write,trader:funds,transactions:amend,webhooks:manage';

export function AccessView() {
  const { value } = useRead<{ firms: FirmShown[] }>('firms');
  return (
    <div class="columns">
      <p class="wide note">
        The credentials that your client can use, what they and their firms may do, how many
        requests they have left, and the idempotency keys that are stored.
      </p>
      <Credentials />
      <Panel
        title="Firms"
        note="An operation that is switched off is refused with 403 for every credential of the firm."
        wide
      >
        {value?.firms.map((firm) => (
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
    ['Client ID', ({ client_id }) => <code>{client_id}</code>],
    ['Copy', (each) => <CopyButtons of={each} />],
    ['Reaches', reachOf],
    ['Scopes', scopesOf, 'wrap'],
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
    ['Rate/s', ({ rate_per_second }) => rate_per_second],
  ];
  return (
    <TablePanel
      title="Credentials"
      columns={columns}
      rows={value?.credentials ?? []}
      keyOf={(each) => each.client_id}
    >
      <Problem words={command.problem} />
      <details>
        <summary>Create a credential</summary>
        <RowForm row="POST /credentials" submit="Create the credential" values={{ scopes }} />
      </details>
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

function scopesOf({ scopes: own }: CredentialShown): string {
  const others = scopes.split(',').filter((scope) => !own.includes(scope));
  return others.length < 2 ? ['all', ...others].join(' except ') : own.join(', ') || 'none';
}

function reachOf({ account_id, brand_id, firm_id, read_only }: CredentialShown): string {
  const brand = brand_id === null ? `firm ${firm_id}` : `brand ${brand_id}`;
  const reach = account_id === null ? brand : `account ${account_id}`;
  return read_only ? `${reach}, reads only` : reach;
}

function Firm({ of: { id, name, plan, rate_per_second, permissions } }: { of: FirmShown }) {
  const { plane } = useLive();
  const command = useCommand();
  const path = `firms/${encodeURIComponent(id)}`;
  const allow = (operation: string, on: boolean) =>
    command.run(() => plane.send('PATCH', path, { permissions: { [operation]: on } }));
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
      <RowForm
        row="PATCH /firms/{id}"
        path={path}
        without={Object.keys(permissions).map((name) => `permissions.${name}`)}
        values={{ plan }}
        submit="Set"
        label={`Set the plan and rate of firm ${id}`}
        look="plain"
      />
      <fieldset class="bar">
        <legend class="heard">Operations that firm {id} may use</legend>
        {Object.entries(permissions).map(([operation, allowed]) => (
          <Checkbox
            key={operation}
            label={operation}
            checked={allowed === true}
            onChange={(on) => void allow(operation, on)}
          />
        ))}
      </fieldset>
      <Problem words={command.problem} />
    </details>
  );
}

function Allowances() {
  const { value } = useRead<{ buckets: BucketShown[] }>('buckets');
  return (
    <TablePanel
      title="Allowances"
      note="As they were after the last request. They refill by the sandbox's clock; a frozen clock refills none."
      columns={[
        ['Of', (bucket) => (bucket.of === 'firm' ? `firm ${bucket.firm_id}` : 'credential')],
        'client_ids',
        ['Level', ({ level, full }) => `${Math.floor(level)} of ${full}`],
        'rate_per_second',
      ]}
      rows={value?.buckets ?? []}
      keyOf={({ name }) => name}
    />
  );
}

function Keys() {
  const { value } = useRead<{ keys: KeyShown[] }>('keys?limit=200');
  return (
    <TablePanel
      title="Idempotency keys"
      note="Those that a retry would find now, newest first."
      columns={[
        ['Key', ({ key }) => key ?? 'kept as a digest', 'wrap'],
        'operation',
        'client_id',
        'subject',
        'state',
        'status',
        'first_attempt',
        'expires_at_ms',
      ]}
      rows={value?.keys ?? []}
      keyOf={(key) => `${key.client_id} ${key.operation} ${key.key} ${key.subject}`}
      empty="None yet."
    />
  );
}
