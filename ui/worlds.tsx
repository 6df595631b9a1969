// Worlds: isolated ones to switch between, snapshots to go back to, and a world as a file.
import { useEffect, useState } from 'preact/hooks';
import type { SnapshotShown, WorldShown } from '../simulator/control/schemas/records.ts';
import { fullTime } from './format.ts';
import { Action, type Column, Done, FileButton, Form, Panel, Problem, Table } from './kit.tsx';
import { wholePlane } from './plane.ts';
import { firstWorld, hrefOf } from './route.ts';
import { useCommand, useLive, useRead, useVersion } from './world.ts';

/** All worlds of the process: only the whole plane knows them. */
export function useWorlds(): readonly WorldShown[] {
  const version = useVersion();
  const [worlds, setWorlds] = useState<readonly WorldShown[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => {
      wholePlane.get<{ worlds: WorldShown[] }>('worlds').then(
        (answer) => setWorlds(answer.worlds),
        () => undefined,
      );
    }, 300);
    return () => clearTimeout(timer);
  }, [version]);
  return worlds;
}

export function WorldsView() {
  return (
    <div class="columns">
      <State />
      <CreateWorld />
      <Snapshots />
      <Worlds />
    </div>
  );
}

function State() {
  const live = useLive();
  const { plane } = live;
  const command = useCommand();
  const [done, setDone] = useState('');
  const save = async () => {
    const name = `${plane.world}-${fullTime(live.nowMs()).replace(/[ :]/g, '-')}.json`;
    const url = URL.createObjectURL(
      new Blob([await plane.text('state')], { type: 'application/json' }),
    );
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
    setDone(`Saved as ${name}.`);
  };
  const load = (file: File) =>
    void command.run(async () => {
      await plane.send('PUT', 'state', await file.text());
      setDone(`${file.name} is loaded.`);
    });
  const reset = async () => {
    await plane.send('POST', 'reset');
    setDone('The world is as it was at the start.');
  };
  return (
    <Panel
      title={`State of ${plane.world}`}
      note="The whole world with its clock, timers, keys and allowances, as one file."
    >
      <div class="bar">
        <Action run={save} look="main">
          Save as a file
        </Action>
        <FileButton onChoose={load} look="plain">
          Load a file
        </FileButton>
        <Action run={reset} look="bad" confirm="Yes, reset this world">
          Reset
        </Action>
      </div>
      <Done words={done} />
      <Problem words={command.problem} />
    </Panel>
  );
}

async function openNewWorld(body: object): Promise<void> {
  const { name } = await wholePlane.send<{ name: string }>('POST', 'worlds', body);
  location.hash = hrefOf(name, 'timeline');
}

function CreateWorld() {
  return (
    <Panel title="Create a world" note="Isolated, in the same process.">
      <Form
        fields={[
          { name: 'name', label: 'Name (optional)' },
          { name: 'world', label: 'Begins as', options: ['default', 'empty', 'busy'] },
          { name: 'clock', label: 'Clock', options: ['frozen', ['real', 'running']] },
        ]}
        submit="Create the world"
        run={({ name, ...others }) => openNewWorld(name === '' ? others : { name, ...others })}
      />
    </Panel>
  );
}

function Snapshots() {
  const { plane } = useLive();
  const { value } = useRead<{ snapshots: SnapshotShown[] }>('snapshots');
  const snapshots = value?.snapshots ?? [];
  const [done, setDone] = useState('');
  const path = (name: string) => `snapshots/${encodeURIComponent(name)}`;
  const columns: readonly Column<SnapshotShown>[] = [
    ['Name', ({ name }) => name],
    ['Its time', ({ now_ms }) => fullTime(now_ms)],
    ['Accounts', ({ accounts }) => accounts],
    [
      'Restore',
      ({ name }) => (
        <Action
          run={async () => {
            await plane.send('POST', `${path(name)}/restore`);
            setDone(`The world is as it was in ${name}.`);
          }}
          confirm={`Yes, go back to ${name}`}
          label={`Restore ${name}`}
        >
          Restore
        </Action>
      ),
    ],
    [
      'Delete',
      ({ name }) => (
        <Action
          run={async () => {
            await plane.send('DELETE', path(name));
            setDone(`${name} is deleted.`);
          }}
          look="bad"
          confirm={`Yes, delete ${name}`}
          label={`Delete snapshot ${name}`}
        >
          Delete
        </Action>
      ),
    ],
  ];
  return (
    <Panel
      title={`Snapshots of ${plane.world}`}
      note="A snapshot keeps the world with its clock and journal in memory until the program ends. Restoring it discards what happened since, and cuts off requests that are held back. The snapshot stays; a reset leaves it alone."
      wide
    >
      <Form
        fields={[{ name: 'name', label: 'Snapshot name (optional)' }]}
        submit="Take a snapshot"
        run={async ({ name = '' }) => {
          const chosen = name === '' ? freeName(snapshots) : name;
          await plane.send('POST', 'snapshots', { name: chosen });
          setDone('');
          return `${chosen} is kept.`;
        }}
      />
      <Table
        caption="Snapshots"
        columns={columns}
        rows={snapshots}
        keyOf={({ name }) => name}
        empty="None yet."
      />
      <Done words={done} />
    </Panel>
  );
}

function freeName(snapshots: readonly SnapshotShown[]): string {
  const names = new Set(snapshots.map(({ name }) => name));
  let count = 1;
  while (names.has(`snapshot-${count}`)) count += 1;
  return `snapshot-${count}`;
}

function Worlds() {
  const { world: current } = useLive().plane;
  const drop = async (name: string) => {
    await wholePlane.send('DELETE', `worlds/${encodeURIComponent(name)}`);
    if (current === name) location.hash = hrefOf(firstWorld, 'worlds');
  };
  const columns: readonly Column<WorldShown>[] = [
    [
      'Name',
      ({ name }) =>
        name === current ? (
          <strong>{name}, this one</strong>
        ) : (
          <a href={hrefOf(name, 'timeline')}>{name}</a>
        ),
    ],
    ['Clock', ({ clock }) => `${fullTime(clock.now_ms)}, ${clock.mode}`],
    ['Credentials', ({ credentials }) => credentials.length],
    [
      'Copy',
      ({ name }) => (
        <Action run={() => openNewWorld({ from: name })} label={`Copy ${name}`}>
          Copy
        </Action>
      ),
    ],
    [
      'Delete',
      ({ name }) =>
        name === firstWorld ? null : (
          <Action
            run={() => drop(name)}
            look="bad"
            confirm={`Yes, delete ${name}`}
            label={`Delete ${name}`}
          >
            Delete
          </Action>
        ),
    ],
  ];
  return (
    <Panel
      title="Worlds"
      note="The tokens of a world reach only that world. A copy begins as the world is now, with its own tokens and secrets."
      wide
    >
      <Table caption="Worlds" columns={columns} rows={useWorlds()} keyOf={({ name }) => name} />
    </Panel>
  );
}
