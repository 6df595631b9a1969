// Credentials: tokens to copy, plans to change, and a first call to paste.
import { useState } from 'preact/hooks';
import type { CredentialShown, FirmShown } from '../api-client/answers.ts';
import {
  Button,
  CodeBlock,
  CopyButton,
  Field,
  Panel,
  Problem,
  Select,
  Table,
} from '../components/components.tsx';
import { useCommand, useInfo, useLive, useRead } from '../live/use-world.ts';
import { Firms, plans } from './firms.tsx';
import { type Language, languages, snippet } from './snippets.ts';

const scopes = [
  'accounts:write',
  'trades:write',
  'trader:trade',
  'transactions:write',
  'trader:funds',
  'transactions:amend',
  'webhooks:manage',
];

export function CredentialsView() {
  const { value, again } = useRead<{ credentials: CredentialShown[] }>('credentials');
  const all = value?.credentials ?? [];
  return (
    <div class="columns">
      <div class="wide">
        <Credentials of={all} again={again} />
      </div>
      <div class="wide">
        <Firms />
      </div>
      <FirstCall of={all} />
      <MakeCredential again={again} />
    </div>
  );
}

interface CredentialsProps {
  readonly of: readonly CredentialShown[];
  readonly again: () => void;
}

function Credentials({ of, again }: CredentialsProps) {
  const live = useLive();
  const command = useCommand();
  const change = (id: string, plan: string) =>
    command
      .run(() => live.plane.send('PATCH', `credentials/${encodeURIComponent(id)}`, { plan }))
      .then(again);
  return (
    <Panel title="Credentials">
      <Problem words={command.problem} />
      <Table caption="Credentials" head={['Name', 'Copy', 'Reaches', 'Scopes', 'Plan', 'A second']}>
        {of.map((each) => (
          <tr key={each.client_id}>
            <td class="wrap">
              <strong>{each.name}</strong>
              <br />
              <code>{each.client_id}</code>
            </td>
            <td>
              <span class="bar">
                {each.token === null ? (
                  'none that lasts'
                ) : (
                  <CopyButton text={each.token} words="Copy token" of={`of ${each.name}`} />
                )}
                <CopyButton text={each.client_secret} words="Copy secret" of={`of ${each.name}`} />
              </span>
            </td>
            <td>{reachOf(each)}</td>
            <td class="words">{each.scopes.join(', ') || 'none'}</td>
            <td>
              <Select
                label={`Plan of ${each.name}`}
                value={each.plan}
                options={plans.map((plan) => [plan, plan])}
                onChange={(plan) => void change(each.client_id, plan)}
                quiet
              />
            </td>
            <td>{each.rate_per_second}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

function reachOf({ account_id, brand_id, firm_id, read_only }: CredentialShown): string {
  const reach =
    account_id !== null
      ? `account ${account_id}`
      : brand_id !== null
        ? `brand ${brand_id}`
        : `firm ${firm_id}`;
  return read_only ? `${reach}, reads only` : reach;
}

function FirstCall({ of }: { of: readonly CredentialShown[] }) {
  const info = useInfo();
  const { value } = useRead<{ firms: FirmShown[] }>('firms');
  const [language, setLanguage] = useState<Language>('curl');
  const [who, setWho] = useState('');
  const able = of.filter(({ token, kind }) => token !== null && kind === 'server');
  const credential = able.find(({ client_id }) => client_id === who) ?? able[0];
  if (!credential?.token) return null;
  const firm = value?.firms.find(({ id }) => id === credential.firm_id);
  const brandId = credential.brand_id ?? firm?.brands[0]?.id ?? '10';
  const text = snippet(language, {
    base: info?.base_url ?? location.origin,
    token: credential.token,
    brandId,
  });
  return (
    <Panel title="A first call" side={<CopyButton text={text} words="Copy" of="the call" />}>
      <div class="bar">
        {languages.map((each) => (
          <Button key={each} onClick={() => setLanguage(each)} pressed={each === language}>
            {each}
          </Button>
        ))}
        <Select
          label="As"
          value={credential.client_id}
          options={able.map(({ client_id, name }) => [client_id, name])}
          onChange={setWho}
          quiet
        />
      </div>
      <CodeBlock text={text} label={`A first call in ${language}`} />
    </Panel>
  );
}

function MakeCredential({ again }: { again: () => void }) {
  const live = useLive();
  const command = useCommand();
  const [name, setName] = useState('');
  const [brand, setBrand] = useState('');
  const { value } = useRead<{ firms: FirmShown[] }>('firms');
  const brands = (value?.firms ?? []).flatMap((firm) => firm.brands);
  const make = () =>
    command
      .run(() =>
        live.plane.send('POST', 'credentials', {
          ...(name === '' ? {} : { name }),
          ...(brand === '' ? {} : { brand_id: brand }),
          scopes,
        }),
      )
      .then(again);
  return (
    <Panel title="Make a credential" note="With every scope, and a token that does not expire.">
      <div class="form">
        <Field label="Name" value={name} onInput={setName} />
        <Select
          label="Reaches"
          value={brand}
          options={[
            ['', 'the first firm'],
            ...brands.map(({ id, name: words }) => [id, `brand ${id}, ${words}`] as const),
          ]}
          onChange={setBrand}
        />
        <Button onClick={() => void make()} disabled={command.busy} look="main">
          Make it
        </Button>
      </div>
      <Problem words={command.problem} />
    </Panel>
  );
}
