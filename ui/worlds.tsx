// Worlds: isolated worlds to switch between, snapshots to restore, and a world as a file.
import { useEffect, useState } from 'preact/hooks';
import type { SnapshotShown, WorldShown } from '../simulator/control/records.ts';
import { fullTime } from './format.ts';
import { Action, Panel, Problem } from './kit.tsx';
import { wholePlane } from './plane.ts';
import { firstWorld, hrefOf } from './route.ts';
import { RowForm } from './row-form.tsx';
import { actionColumn, type Column, TablePanel } from './table.tsx';
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
      <Panel title="Create a world" note="Isolated, in the same process.">
        <RowForm
          row="POST /worlds"
          without={['from']}
          submit="Create the world"
          send={openNewWorld}
        />
      </Panel>
      <Snapshots />
      <Worlds />
    </div>
  );
}

async function openNewWorld(body: object): Promise<void> {
  const { name } = await wholePlane.send<{ name: string }>('POST', 'worlds', body);
  location.hash = hrefOf(name, 'timeline');
}

function State() {
  const live = useLive();
  const { plane } = live;
  const command = useCommand();
  const [done, setDone] = useState('');
  const save = async () => {
    const name = `${plane.world}-${fullTime(live.nowMs()).replace(/[ :]/g, '-')}.json`;
    const state = new Blob([await plane.text('state')], { type: 'application/json' });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(state);
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
    setDone(`Saved as ${name}.`);
  };
  const load = ({ currentTarget: input }: { readonly currentTarget: HTMLInputElement }) =>
    void command.run(async () => {
      const [file] = input.files ?? [];
      await plane.send('PUT', 'state', (await file?.text()) ?? '');
      // The same file can be chosen again.
      input.value = '';
      setDone(`${file?.name} is loaded.`);
    });
  const reset = async () => {
    await plane.send('POST', 'reset');
    setDone('The world is as it was at the start.');
  };
  return (
    <Panel
      title={`State of the world “${plane.world}”`}
      note="The whole world with its clock, timers, keys and allowances, as one file."
    >
      <div class="bar">
        <Action run={save} look="main">
          Save as a file
        </Action>
        <label class="button file">
          Load a file
          <input type="file" class="heard" accept=".json" onChange={load} />
        </label>
        <Action run={reset} look="bad" confirm="Yes, reset this world">
          Reset
        </Action>
      </div>
      <p role="status" class="note">
        {done}
      </p>
      <Problem words={command.problem} />
    </Panel>
  );
}

function Snapshots() {
  const { plane } = useLive();
  const { value } = useRead<{ snapshots: SnapshotShown[] }>('snapshots');
  const [done, setDone] = useState('');
  const order = async (method: string, name: string, verb: string, words: string) => {
    await plane.send(method, `snapshots/${encodeURIComponent(name)}${verb}`);
    setDone(words);
  };
  const columns: readonly Column<SnapshotShown>[] = [
    'name',
    ['Its time', ({ now_ms }) => fullTime(now_ms)],
    'accounts',
    actionColumn('Restore', ({ name }) => ({
      run: () => order('POST', name, '/restore', `The world is as it was in ${name}.`),
      confirm: `Yes, go back to ${name}`,
      'aria-label': `Restore ${name}`,
    })),
    actionColumn('Delete', ({ name }) => ({
      run: () => order('DELETE', name, '', `${name} is deleted.`),
      look: 'bad',
      confirm: `Yes, delete ${name}`,
      'aria-label': `Delete snapshot ${name}`,
    })),
  ];
  return (
    <TablePanel
      title={`Snapshots of the world “${plane.world}”`}
      note="A snapshot keeps the world with its clock and journal in memory until the program ends. Restoring it discards what happened since, and cuts off requests that are held back. The snapshot stays; a reset leaves it alone."
      columns={columns}
      rows={value?.snapshots ?? []}
      keyOf={({ name }) => name}
      empty="None yet."
    >
      <RowForm row="POST /snapshots" submit="Take a snapshot" done="The snapshot is kept." />
      <p role="status" class="note">
        {done}
      </p>
    </TablePanel>
  );
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
        name === current ? `${name}, this one` : <a href={hrefOf(name, 'timeline')}>{name}</a>,
    ],
    ['Clock', ({ clock }) => `${fullTime(clock.now_ms)}, ${clock.mode}`],
    ['Credentials', ({ credentials }) => credentials.length],
    actionColumn('Copy', ({ name }) => ({
      run: () => openNewWorld({ from: name }),
      'aria-label': `Copy ${name}`,
    })),
    actionColumn('Delete', ({ name }) =>
      name === firstWorld
        ? null
        : {
            run: () => drop(name),
            look: 'bad',
            confirm: `Yes, delete ${name}`,
            'aria-label': `Delete ${name}`,
          },
    ),
  ];
  return (
    <TablePanel
      title="Worlds"
      note="The tokens of a world reach only that world. A copy begins as the world is now, with its own tokens and secrets."
      columns={columns}
      rows={useWorlds()}
      keyOf={({ name }) => name}
    />
  );
}
