// The frame of the dashboard: which world, which view, the clock, and what is wrong at a glance.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { controlPlaneOf } from './api-client/control-plane.ts';
import { Button } from './components/components.tsx';
import { Live } from './live/live.ts';
import { LiveContext, useLive, useVersion } from './live/use-world.ts';
import { hrefOf, useRoute } from './route.ts';
import { ClockBar } from './shell/clock-bar.tsx';
import { Notices } from './shell/notices.tsx';
import { WorldChoice } from './shell/world-choice.tsx';
import { chosenTheme, nextTheme } from './theme.ts';
import { groupedViews, viewOf } from './views.ts';

export function App() {
  const { world, path } = useRoute();
  const [live, setLive] = useState<Live | null>(null);
  useEffect(() => {
    const made = new Live(controlPlaneOf(world));
    made.start();
    setLive(made);
    return () => made.end();
  }, [world]);
  if (live === null || live.plane.world !== world) return null;
  return (
    <LiveContext.Provider value={live} key={world}>
      <Frame path={path} />
    </LiveContext.Provider>
  );
}

function Frame({ path }: { path: readonly string[] }) {
  const live = useLive();
  const view = viewOf(path[0]);
  const { View } = view;
  useEffect(() => {
    document.title = `${view.title} · Sandbox`;
  }, [view.title]);
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={skipToMain}>
        Skip to the view
      </button>
      <header class="top">
        <a class="brand" href={hrefOf(live.plane.world, 'timeline')}>
          <span class="mark" aria-hidden="true" />
          Sandbox
        </a>
        <ClockBar />
        <div class="top-side">
          <WorldChoice />
          <ConnectionSign />
          <ThemeButton />
        </div>
      </header>
      <Navigation here={view.name} />
      <main id="main" tabIndex={-1} class={`view view-${view.name}`}>
        <Notices />
        <h1 class="heard">{view.title}</h1>
        <View path={path.slice(1)} />
      </main>
    </div>
  );
}

/** The hash says where the person is, so the skip is no link. */
function skipToMain() {
  document.getElementById('main')?.focus();
}

function Navigation({ here }: { here: string }) {
  const live = useLive();
  useVersion(live);
  const counts: Readonly<Record<string, number>> = { faults: live.faultsOn };
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const show = () => showHere(nav.current);
    show();
    // A phone that is turned has another width.
    addEventListener('resize', show);
    return () => removeEventListener('resize', show);
    // A count that comes in makes the row longer.
  }, [here, live.faultsOn]);
  return (
    <nav class="nav" aria-label="Views" ref={nav}>
      {groupedViews().map(([title, some]) => (
        <div class="nav-group" key={title}>
          <p class="nav-title" id={`nav-${title}`}>
            {title}
          </p>
          <ul aria-labelledby={`nav-${title}`}>
            {some.map(({ name, title: words }) => (
              <li key={name}>
                <a
                  href={hrefOf(live.plane.world, name)}
                  aria-current={name === here ? 'page' : undefined}
                >
                  {words}
                  {counts[name] ? <span class="count">{counts[name]}</span> : null}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** On a phone the views stand in a row that is wider than the screen. */
function showHere(nav: HTMLElement | null): void {
  const link = nav?.querySelector('[aria-current]');
  if (nav == null || link == null) return;
  const [all, own] = [nav.getBoundingClientRect(), link.getBoundingClientRect()];
  nav.scrollLeft += own.left + own.width / 2 - (all.left + all.width / 2);
}

const signs = {
  connecting: 'connecting',
  live: 'live',
  lost: 'no answer',
  refused: 'refused',
} as const;

function ConnectionSign() {
  const live = useLive();
  useVersion(live);
  const { state } = live.connection;
  return (
    <span class={`sign ${state}`} role="status">
      {signs[state]}
    </span>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <Button onClick={() => setTheme(nextTheme())} label={`Colours: ${theme}. Change`}>
      Colours: {theme}
    </Button>
  );
}
