// The frame of the dashboard: views, world, clock, theme, and what is wrong at a glance.
import type { FunctionComponent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { AccessView } from './access.tsx';
import { AccountsView } from './accounts.tsx';
import { ApiView } from './api.tsx';
import { ClientsView } from './clients.tsx';
import { ClockBar } from './clock.tsx';
import { FaultsView } from './faults.tsx';
import { plural } from './format.ts';
import { Action, Badge, Button, Field, Link } from './kit.tsx';
import { Live } from './live.ts';
import { keepToken, planeOf } from './plane.ts';
import { firstWorld, hrefOf, useRoute } from './route.ts';
import { RulesView } from './rules.tsx';
import { TimelineView } from './timeline.tsx';
import { WebhooksView } from './webhooks.tsx';
import { LiveContext, useHref, useLive, useVersion } from './world.ts';
import { useWorlds, WorldsView } from './worlds.tsx';

export interface ViewProps {
  /** What the view shows, such as `['requests', '12']`. */
  readonly path: readonly string[];
}

interface ViewEntry {
  readonly name: string;
  readonly title: string;
  readonly View: FunctionComponent<ViewProps>;
}

/** The views in groups: what happened, what to check, what to control. */
const groups: readonly (readonly ViewEntry[])[] = [
  [
    { name: 'timeline', title: 'Timeline', View: TimelineView },
    { name: 'accounts', title: 'Accounts', View: AccountsView },
    { name: 'webhooks', title: 'Webhooks', View: WebhooksView },
  ],
  [
    { name: 'clients', title: 'Clients', View: ClientsView },
    { name: 'rules', title: 'Rules', View: RulesView },
    { name: 'api', title: 'API', View: ApiView },
  ],
  [
    { name: 'faults', title: 'Faults', View: FaultsView },
    { name: 'access', title: 'Access', View: AccessView },
    { name: 'worlds', title: 'Worlds', View: WorldsView },
  ],
];

const views = groups.flat();

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
  const view = views.find((each) => each.name === name);
  const title = view?.title ?? 'Not found';
  useEffect(() => {
    document.title = `${title} · Sandbox`;
  }, [title]);
  return (
    <div class="frame">
      {/* A link would change the hash, which is the address of the view. */}
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the view
      </button>
      <header class="top bar">
        <a class="brand bar" href={href('timeline')}>
          Sandbox
        </a>
        <ClockBar />
        <div class="top-side bar">
          <WorldChoice />
          <ConnectionState />
          <ThemeButton />
        </div>
      </header>
      <Navigation current={name} />
      <main id="main" tabIndex={-1} class={`view view-${view?.name ?? 'none'}`}>
        <Notices />
        <h1 class="heard">{title}</h1>
        {view === undefined ? (
          <p class="empty" role="alert">
            There is no view "{name}". <a href={href('timeline')}>Go to the timeline</a>
          </p>
        ) : (
          <view.View path={path} />
        )}
      </main>
    </div>
  );
}

function Navigation({ current }: { current: string }) {
  const live = useLive();
  const href = useHref();
  useVersion();
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // On a phone the views are in a row that is wider than the screen.
    const show = () => {
      const link = nav.current?.querySelector('[aria-current]');
      if (nav.current === null || link == null) return;
      const [row, own] = [nav.current.getBoundingClientRect(), link.getBoundingClientRect()];
      nav.current.scrollLeft += own.left + own.width / 2 - (row.left + row.width / 2);
    };
    show();
    addEventListener('resize', show);
    return () => removeEventListener('resize', show);
  }, [current, live.faultsOn]);
  return (
    <nav class="nav" aria-label="Views" ref={nav}>
      {groups.map((entries) => (
        <ul key={entries[0]?.name}>
          {entries.map(({ name, title }) => (
            <li key={name}>
              <a href={href(name)} aria-current={name === current ? 'page' : undefined}>
                {title}
                {name === 'faults' && live.faultsOn > 0 ? (
                  <Badge tone="warn">{live.faultsOn}</Badge>
                ) : null}
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

const connectionWords = {
  connecting: 'connecting',
  live: 'live',
  lost: 'no answer',
  refused: 'refused',
} as const;

function ConnectionState() {
  const live = useLive();
  useVersion();
  const { state } = live.connection;
  return (
    <span class={`sign bar ${state}`} role="status">
      {connectionWords[state]}
    </span>
  );
}

/** What must be seen first: no connection, a token needed, faults on, deviations on. */
function Notices() {
  const live = useLive();
  useVersion();
  const { connection, info, faultsOn } = live;
  const deviations = info?.deviations ?? [];
  return (
    <div class="notices">
      {connection.state === 'lost' ? (
        <p class="notice bad" role="alert">
          The sandbox does not answer. This page shows what it knew last, and continues by itself
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
  const [token, setToken] = useState('');
  if (status !== 401) {
    return (
      <p class="notice bad" role="alert">
        {why} {status === 404 ? <a href="#/worlds">Show the worlds</a> : null}
      </p>
    );
  }
  const submit = (event: Event) => {
    event.preventDefault();
    keepToken(token);
    live.start();
  };
  return (
    <form class="notice bar bad" onSubmit={submit}>
      <Field
        label="This sandbox requires the token of --control-token"
        type="password"
        value={token}
        onInput={setToken}
      />
      <Button submits look="main">
        Continue
      </Button>
    </form>
  );
}

const themes = ['auto', 'light', 'dark'] as const;
const themeKey = 'sandbox-theme';

function chosenTheme(): (typeof themes)[number] {
  const kept = localStorage.getItem(themeKey);
  return themes.find((theme) => theme === kept) ?? 'auto';
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = chosenTheme();
}

function ThemeButton() {
  const [theme, setTheme] = useState(chosenTheme);
  const change = () => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'auto';
    localStorage.setItem(themeKey, next);
    applyTheme();
    setTheme(next);
  };
  return (
    <Button onClick={change} label={`Colours: ${theme}. Change`}>
      Colours: {theme}
    </Button>
  );
}
