// The frame of the dashboard: views, world, clock, and notices.
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { AccessView } from './access.tsx';
import { AccountsView } from './accounts.tsx';
import { ApiView } from './api.tsx';
import { ClientsView } from './clients.tsx';
import { ClockBar } from './clock.tsx';
import { FaultsView, useFaultsOn } from './faults.tsx';
import { plural } from './format.ts';
import { Action, Badge, Field, Form, Link } from './kit.tsx';
import { Live } from './live.ts';
import { keepToken, planeOf } from './plane.ts';
import { firstWorld, hrefOf, useRoute } from './route.ts';
import { RulesView } from './rules.tsx';
import { TimelineView } from './timeline.tsx';
import { WebhooksView } from './webhooks.tsx';
import { LiveContext, useHref, useLive, useVersion } from './world.ts';
import { useWorlds, WorldsView } from './worlds.tsx';

export interface ViewProps {
  /** The content of the view, such as `['requests', '12']`. */
  readonly path: readonly string[];
}

type ViewEntry = readonly [name: string, title: string, View: FunctionComponent<ViewProps>];

/** The views in groups: history, checks, controls. */
const groups: readonly (readonly ViewEntry[])[] = [
  [
    ['timeline', 'Timeline', TimelineView],
    ['accounts', 'Accounts', AccountsView],
    ['webhooks', 'Webhooks', WebhooksView],
  ],
  [
    ['clients', 'Clients', ClientsView],
    ['rules', 'Rules', RulesView],
    ['api', 'API', ApiView],
  ],
  [
    ['faults', 'Faults', FaultsView],
    ['access', 'Access', AccessView],
    ['worlds', 'Worlds', WorldsView],
  ],
];

export function App() {
  const { world, path } = useRoute();
  const [live, setLive] = useState<Live | null>(null);
  useEffect(() => {
    const opened = new Live(planeOf(world));
    opened.start();
    setLive(opened);
    return () => opened.end();
  }, [world]);
  if (live === null || live.plane.world !== world) return null;
  return (
    <LiveContext.Provider value={live} key={world}>
      <Frame path={path} />
    </LiveContext.Provider>
  );
}

function Frame({ path: [name = 'timeline', ...path] }: ViewProps) {
  const href = useHref();
  const [, title, View] = groups.flat().find(([each]) => each === name) ?? [];
  useEffect(() => {
    document.title = `${title ?? 'Not found'} · Sandbox`;
  }, [title]);
  return (
    <div class="frame">
      <header class="top bar">
        <a class="brand bar" href={href('timeline')}>
          Sandbox
        </a>
        <ClockBar />
        <div class="top-side bar">
          <WorldChoice />
          <ConnectionState />
        </div>
      </header>
      <Navigation current={name} />
      <main class={`view view-${name === 'timeline' ? name : 'other'}`}>
        <Notices />
        <h1 class="heard">{title ?? 'Not found'}</h1>
        {View === undefined ? (
          <p class="empty" role="alert">
            There is no view "{name}". <a href={href('timeline')}>Go to the timeline</a>
          </p>
        ) : (
          <View path={path} />
        )}
      </main>
    </div>
  );
}

function Navigation({ current }: { current: string }) {
  const href = useHref();
  const faultsOn = useFaultsOn();
  return (
    <nav class="nav" aria-label="Views">
      {groups.map((entries) => (
        <ul key={entries[0]?.[0]}>
          {entries.map(([name, title]) => (
            <li key={name}>
              <a href={href(name)} aria-current={name === current ? 'page' : undefined}>
                {title}
                {name === 'faults' && faultsOn > 0 ? <Badge tone="warn">{faultsOn}</Badge> : null}
              </a>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

function WorldChoice() {
  const { world } = useLive().plane;
  const names = useWorlds().map(({ name }) => name);
  if (names.length < 2 && world === firstWorld) return null;
  return (
    <Field
      label="World"
      value={world}
      options={names.includes(world) ? names : [...names, world]}
      onInput={(name) => {
        location.hash = hrefOf(name, 'timeline');
      }}
      quiet
    />
  );
}

function ConnectionState() {
  const { connection } = useLive();
  useVersion();
  return (
    <span class={`sign bar ${connection.state}`} role="status">
      {connection.state === 'lost' ? 'no response' : connection.state}
    </span>
  );
}

/** Important notices: no connection, a token needed, faults on, deviations on. */
function Notices() {
  const live = useLive();
  useVersion();
  const faultsOn = useFaultsOn();
  const deviations = live.info?.deviations ?? [];
  const { connection } = live;
  return (
    <div class="notices">
      {connection.state === 'lost' ? (
        <p class="notice bad" role="alert">
          The sandbox does not respond. This page shows what it knew last, and continues by itself
          when the sandbox is back.
        </p>
      ) : null}
      {connection.state === 'refused' ? <Refused {...connection} /> : null}
      {faultsOn > 0 ? (
        <div class="notice bar warn">
          <p>
            {plural(faultsOn, 'fault is', 'faults are')} on. <Link to={['faults']}>Show</Link>
          </p>
          <Action run={() => live.plane.send('DELETE', 'faults')}>All off</Action>
        </div>
      ) : null}
      {deviations.length > 0 ? (
        <p class="notice warn">
          Deviates on purpose: {deviations.join(', ')}.{' '}
          <Link to={['rules', 'questions']}>What is in force</Link>
        </p>
      ) : null}
    </div>
  );
}

function Refused({ status, why }: { status: number; why: string }) {
  const live = useLive();
  if (status !== 401) {
    return (
      <p class="notice bad" role="alert">
        {why} {status === 404 ? <a href="#/worlds">Show the worlds</a> : null}
      </p>
    );
  }
  const label = 'This sandbox requires the token of --control-token';
  return (
    <div class="notice bad">
      <Form
        fields={[{ name: 'token', label, type: 'password' }]}
        submit="Continue"
        run={async ({ token = '' }) => {
          keepToken(token);
          live.start();
        }}
      />
    </div>
  );
}
