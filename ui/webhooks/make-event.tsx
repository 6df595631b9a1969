// Makes an event by hand, which is delivered like any other.
import { useState } from 'preact/hooks';
import { ControlPlaneError } from '../api-client/control-plane.ts';
import { Button, Field, Panel, Problem, Select } from '../components/components.tsx';
import { useCommand, useLive } from '../live/use-world.ts';
import { categories } from './make-subscription.tsx';

export function MakeEvent() {
  const live = useLive();
  const command = useCommand();
  const [category, setCategory] = useState('account');
  const [kind, setKind] = useState('');
  const [account, setAccount] = useState('');
  const [record, setRecord] = useState('');
  const make = () =>
    command.run(() =>
      live.plane.send('POST', 'events', {
        category,
        ...(kind === '' ? {} : { kind }),
        ...(account === '' ? {} : { account_id: account }),
        ...(record === '' ? {} : { data: parseRecord(record) }),
      }),
    );
  return (
    <Panel title="Make an event" note="It gets the next number and is delivered like any other.">
      <div class="form">
        <Select
          label="Category"
          value={category}
          options={categories.map((each) => [each, each])}
          onChange={setCategory}
        />
        <Field label="Kind (optional)" value={kind} onInput={setKind} />
        <Field label="Account (optional)" value={account} onInput={setAccount} />
        <Field label="Record, as JSON (optional)" value={record} onInput={setRecord} />
        <Button onClick={() => void make()} disabled={command.busy} look="main">
          Make it
        </Button>
      </div>
      <Problem words={command.problem} />
    </Panel>
  );
}

function parseRecord(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new ControlPlaneError(422, `data: ${error.message}`);
    throw error;
  }
}
