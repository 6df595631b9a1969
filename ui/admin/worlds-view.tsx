// Worlds and states: isolated worlds to switch between, and a world saved, loaded or begun anew.
import { useState } from 'preact/hooks';
import { controlPlaneOf } from '../api-client/control-plane.ts';
import { Button, Field, Panel, Problem, Select, Table } from '../components/components.tsx';
import { fullTime } from '../format.ts';
import { useCommand, useLive } from '../live/use-world.ts';
import { firstWorld, hrefOf } from '../route.ts';
import { useWorlds } from '../shell/world-choice.tsx';
import { SnapshotsPanel } from './snapshots-panel.tsx';
import { StatePanel } from './state-panel.tsx';

const outer = controlPlaneOf(firstWorld);

const words =
  'The tokens of a world reach only it. A copy begins as the world stands, its clock included, ' +
  'with tokens and secrets of its own; from then on each goes its own way. Dropping a world ends ' +
  'it for good, and cuts off the calls that it holds back.';

export function WorldsView() {
  return (
    <div class="columns">
      <StatePanel />
      <MakeWorld />
      <div class="wide">
        <SnapshotsPanel />
      </div>
      <div class="wide">
        <Worlds />
      </div>
    </div>
  );
}

function Worlds() {
  const { plane } = useLive();
  const command = useCommand();
  const worlds = useWorlds();
  const drop = (name: string) =>
    command.run(async () => {
      await outer.send('DELETE', `worlds/${encodeURIComponent(name)}`);
      if (plane.world === name) location.hash = hrefOf(firstWorld, 'worlds');
    });
  const copy = (name: string) =>
    command.run(async () => {
      const made = await outer.send<{ name: string }>('POST', 'worlds', { from: name });
      location.hash = hrefOf(made.name, 'timeline');
    });
  return (
    <Panel title="Worlds" note={words}>
      <Table caption="Worlds" head={['Name', 'Clock', 'Credentials', 'Copy', 'Drop']}>
        {worlds.map(({ name, clock, credentials }) => (
          <tr key={name}>
            <td>
              {name === plane.world ? (
                <strong>{name}, here</strong>
              ) : (
                <a href={hrefOf(name, 'timeline')}>{name}</a>
              )}
            </td>
            <td>
              {fullTime(clock.now_ms)}, {clock.mode}
            </td>
            <td>{credentials.length}</td>
            <td>
              <Button
                onClick={() => void copy(name)}
                disabled={command.busy}
                label={`Copy ${name}`}
              >
                Copy
              </Button>
            </td>
            <td>
              {name === firstWorld ? null : (
                <Button onClick={() => void drop(name)} look="bad" label={`Drop ${name}`}>
                  Drop
                </Button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      <Problem words={command.problem} />
    </Panel>
  );
}

function MakeWorld() {
  const command = useCommand();
  const [name, setName] = useState('');
  const [world, setWorld] = useState('default');
  const [clock, setClock] = useState('frozen');
  const make = () =>
    command.run(async () => {
      const made = await outer.send<{ name: string }>('POST', 'worlds', {
        ...(name === '' ? {} : { name }),
        world,
        clock,
      });
      location.hash = hrefOf(made.name, 'timeline');
    });
  return (
    <Panel title="Make a world" note="Isolated, in the same process.">
      <div class="form">
        <Field label="Name (optional)" value={name} onInput={setName} />
        <Select
          label="Begins as"
          value={world}
          options={['default', 'empty', 'busy'].map((each) => [each, each])}
          onChange={setWorld}
        />
        <Select
          label="Clock"
          value={clock}
          options={[
            ['frozen', 'frozen'],
            ['real', 'running'],
          ]}
          onChange={setClock}
        />
        <Button onClick={() => void make()} disabled={command.busy} look="main">
          Make it
        </Button>
      </div>
      <Problem words={command.problem} />
    </Panel>
  );
}
