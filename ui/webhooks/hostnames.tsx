// What hostnames resolve to, and where deliveries for an origin go instead.
import { useState } from 'preact/hooks';
import { Button, Field, Panel, Problem } from '../components/components.tsx';
import { useCommand, useLive, useRead } from '../live/use-world.ts';

export function Hostnames() {
  return (
    <>
      <Resolving />
      <Forwards />
    </>
  );
}

const overResolver =
  'Over the resolver of this machine. A subscription whose name turns private is disabled at its ' +
  'next delivery.';

function Resolving() {
  const live = useLive();
  const command = useCommand();
  const [hostname, setHostname] = useState('');
  const [addresses, setAddresses] = useState('');
  const { value, again } = useRead<{ dns: { hostname: string; addresses: string[] }[] }>('dns');
  const set = () =>
    command
      .run(() =>
        live.plane.send('PUT', `dns/${encodeURIComponent(hostname)}`, {
          addresses: addresses.split(/[\s,]+/).filter(Boolean),
        }),
      )
      .then(again);
  const forget = (name: string) =>
    command.run(() => live.plane.send('DELETE', `dns/${encodeURIComponent(name)}`)).then(again);
  return (
    <Panel title="What names resolve to" note={overResolver}>
      <ul class="following">
        {(value?.dns ?? []).map((each) => (
          <li key={each.hostname}>
            <code>{each.hostname}</code>
            <span>{each.addresses.join(', ') || 'does not resolve'}</span>
            <Button onClick={() => void forget(each.hostname)} label={`Forget ${each.hostname}`}>
              Forget
            </Button>
          </li>
        ))}
      </ul>
      <div class="form">
        <Field label="Hostname" value={hostname} onInput={setHostname} />
        <Field
          label="Addresses"
          value={addresses}
          placeholder="93.184.216.34; none: it fails"
          onInput={setAddresses}
        />
        <Button onClick={() => void set()} disabled={command.busy || hostname === ''}>
          Set
        </Button>
      </div>
      <Problem words={command.problem} />
    </Panel>
  );
}

function Forwards() {
  const live = useLive();
  const command = useCommand();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const { value, again } = useRead<{ forwards: { from: string; to: string }[] }>('forwards');
  const set = () => command.run(() => live.plane.send('PUT', 'forwards', { from, to })).then(again);
  const remove = (origin: string) =>
    command
      .run(() => live.plane.send('DELETE', `forwards?from=${encodeURIComponent(origin)}`))
      .then(again);
  return (
    <Panel title="Forwards" note="Deliveries to an https origin go to a local address instead.">
      <ul class="following">
        {(value?.forwards ?? []).map((each) => (
          <li key={each.from}>
            <code>{each.from}</code>
            <span>
              to <code>{each.to}</code>
            </span>
            <Button onClick={() => void remove(each.from)} label={`Remove ${each.from}`}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <div class="form">
        <Field
          label="From origin"
          value={from}
          placeholder="https://hooks.partner.example"
          onInput={setFrom}
        />
        <Field label="To" value={to} placeholder="http://127.0.0.1:9000" onInput={setTo} />
        <Button onClick={() => void set()} disabled={command.busy || from === '' || to === ''}>
          Set
        </Button>
      </div>
      <Problem words={command.problem} />
    </Panel>
  );
}
