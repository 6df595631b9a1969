// Snapshots: a world as it stands, kept under a name, to go back to.
import { useState } from 'preact/hooks';
import type { SnapshotShown } from '../../simulator/control/rows/sandbox/snapshots.ts';
import { Button, Field, Panel, Problem, Table } from '../components/components.tsx';
import { fullTime } from '../format.ts';
import { useCommand, useLive, useRead } from '../live/use-world.ts';

const words =
  'A snapshot keeps the world as it stands, its clock and journal included, in memory until the ' +
  'program ends. Restoring goes back to it in milliseconds: what happened since is gone, calls ' +
  'that are held back are cut off, and the snapshot stays. Resets leave snapshots alone.';

export function SnapshotsPanel() {
  const { plane } = useLive();
  const command = useCommand();
  const { value, again } = useRead<{ snapshots: SnapshotShown[] }>('snapshots');
  const [name, setName] = useState('');
  const [told, setTold] = useState('');
  const snapshots = value?.snapshots ?? [];
  const send = (method: 'POST' | 'DELETE', path: string, done: string, body?: unknown) =>
    command.run(async () => {
      await plane.send(method, path, body);
      setTold(done);
      again();
    });
  const take = async () => {
    const named = name === '' ? freeName(snapshots) : name;
    if (await send('POST', 'snapshots', `${named} is kept as it stands now.`, { name: named })) {
      setName('');
    }
  };
  return (
    <Panel title={`Snapshots of ${plane.world}`} note={words}>
      <div class="form">
        <Field label="Snapshot name (optional)" value={name} onInput={setName} />
        <Button onClick={() => void take()} disabled={command.busy} look="main">
          Take a snapshot
        </Button>
      </div>
      {snapshots.length === 0 ? null : (
        <Table caption="Snapshots" head={['Name', 'Its time', 'Accounts', 'Restore', 'Drop']}>
          {snapshots.map((each) => (
            <tr key={each.name}>
              <td>{each.name}</td>
              <td>{fullTime(each.now_ms)}</td>
              <td>{each.accounts}</td>
              <td>
                <Button
                  onClick={() => {
                    const path = `snapshots/${encodeURIComponent(each.name)}/restore`;
                    void send('POST', path, `The world is as it was in ${each.name}.`);
                  }}
                  disabled={command.busy}
                  label={`Restore ${each.name}`}
                >
                  Restore
                </Button>
              </td>
              <td>
                <Button
                  onClick={() => {
                    const path = `snapshots/${encodeURIComponent(each.name)}`;
                    void send('DELETE', path, `${each.name} is gone.`);
                  }}
                  disabled={command.busy}
                  look="bad"
                  label={`Drop snapshot ${each.name}`}
                >
                  Drop
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      <p role="status" class="note">
        {told}
      </p>
      <Problem words={command.problem} />
    </Panel>
  );
}

function freeName(snapshots: readonly SnapshotShown[]): string {
  const names = new Set(snapshots.map(({ name }) => name));
  let count = 1;
  while (names.has(`snapshot-${count}`)) count += 1;
  return `snapshot-${count}`;
}
