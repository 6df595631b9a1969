// Makes a webhook subscription through the API, as a client would.
import { useState } from 'preact/hooks';
import { callApi } from '../api-client/api.ts';
import { ControlPlaneError } from '../api-client/control-plane.ts';
import { Button, Checkbox, Field, Panel, Problem, Select } from '../components/components.tsx';
import { useCommand, useInfo, useLive } from '../live/use-world.ts';

export const categories = ['account', 'order', 'position', 'transaction'] as const;

export function MakeSubscription() {
  const live = useLive();
  const info = useInfo();
  const command = useCommand();
  const [url, setUrl] = useState('https://hooks.partner.example/in');
  const [to, setTo] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>(categories);
  const [who, setWho] = useState('');
  const able = (info?.credentials ?? []).filter(({ scopes }) => scopes.includes('webhooks:manage'));
  const make = () =>
    command.run(async () => {
      const token = able.find(({ client_id }) => client_id === (who || able[0]?.client_id))?.token;
      if (!token)
        throw new ControlPlaneError(403, 'No credential with webhooks:manage has a token.');
      if (to !== '') {
        await live.plane.send('PUT', 'forwards', { from: originOf(url), to });
      }
      await callApi({
        token,
        method: 'POST',
        path: 'webhooks',
        body: { url, event_categories: chosen },
      });
    });
  const toggle = (category: string, on: boolean) =>
    setChosen(on ? [...chosen, category] : chosen.filter((each) => each !== category));
  return (
    <Panel
      title="Make a subscription"
      note="A call of the API. Give a local address to have its deliveries forwarded there."
    >
      <div class="form">
        <Field label="URL" value={url} onInput={setUrl} />
        <Field
          label="Forward to (optional)"
          value={to}
          placeholder="http://127.0.0.1:9000/hooks"
          onInput={setTo}
        />
        <Select
          label="As"
          value={who || (able[0]?.client_id ?? '')}
          options={able.map(({ client_id, name }) => [client_id, name])}
          onChange={setWho}
        />
      </div>
      <div class="bar">
        {categories.map((category) => (
          <Checkbox
            key={category}
            label={category}
            checked={chosen.includes(category)}
            onChange={(on) => toggle(category, on)}
          />
        ))}
        <Button onClick={() => void make()} disabled={command.busy || info === null} look="main">
          Subscribe
        </Button>
      </div>
      <Problem words={command.problem} />
    </Panel>
  );
}

function originOf(url: string): string {
  if (!URL.canParse(url)) throw new ControlPlaneError(422, `url: "${url}" is no URL.`);
  return new URL(url).origin;
}
