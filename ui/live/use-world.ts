// The world that the views look at, and the hooks that keep them up with it.
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { InfoShown } from '../api-client/answers.ts';
import { ControlPlaneError } from '../api-client/control-plane.ts';
import { hrefOf } from '../route.ts';
import type { Live } from './live.ts';

export const LiveContext = createContext<Live | null>(null);

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('a view stands outside of a world');
  return live;
}

/** Draws again whenever something happens in the world; answers its version. */
export function useVersion(live: Live): number {
  return useHeard(live, ({ version }) => version);
}

/** What the process tells of itself; null until it is read. Draws again when it changes. */
export function useInfo(): InfoShown | null {
  return useHeard(useLive(), ({ info }) => info);
}

/** What is read of the world, now and whenever something happens in it. */
function useHeard<T>(live: Live, read: (live: Live) => T): T {
  const [heard, setHeard] = useState(read(live));
  useEffect(() => {
    const hear = () => setHeard(read(live));
    hear();
    return live.listen(hear);
  }, [live]);
  return heard;
}

export function useHref(): (...path: readonly (string | number)[]) => string {
  const { world } = useLive().plane;
  return (...path) => hrefOf(world, ...path);
}

export interface ReadState<T> {
  readonly value: T | null;
  readonly problem: string | null;
  readonly again: () => void;
}

/** What has changed without a word on the stream is seen after this long. */
const lookAgainMs = 4000;
/** A flood of items makes a view read its list at most this often. */
const restMs = 400;

/** Reads a list or a record, and again whenever something happens in the world. */
export function useRead<T>(path: string | null): ReadState<T> {
  const live = useLive();
  const [state, setState] = useState<{ path: string; value: T } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [turn, setTurn] = useState(0);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  useEffect(() => {
    if (path === null) return;
    return keepReading<T>(live, path, {
      onValue: (value) => {
        setState({ path, value });
        setProblem(null);
      },
      onProblem: setProblem,
    });
  }, [live, path, turn]);
  return { value: state !== null && state.path === path ? state.value : null, problem, again };
}

interface Reading<T> {
  readonly onValue: (value: T) => void;
  readonly onProblem: (words: string) => void;
}

function keepReading<T>(live: Live, path: string, { onValue, onProblem }: Reading<T>) {
  let ended = false;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let before = '';
  const read = async () => {
    try {
      const text = await live.plane.text(path);
      if (ended || text === before) return;
      before = text;
      onValue(JSON.parse(text) as T);
    } catch (error) {
      if (!(error instanceof ControlPlaneError)) throw error;
      // Nobody answers: what was read stays, and the page says so elsewhere.
      if (!ended && error.status !== 0) onProblem(error.message);
    }
  };
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = null;
      void read();
    }, restMs);
  };
  void read();
  const stop = live.listen(soon);
  const interval = setInterval(() => {
    if (!document.hidden) void read();
  }, lookAgainMs);
  return () => {
    ended = true;
    stop();
    clearInterval(interval);
    if (timer !== null) clearTimeout(timer);
  };
}

export interface CommandState {
  readonly busy: boolean;
  readonly problem: string | null;
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** Does something, shows that it is under way, and what was wrong; then the world is looked at. */
export function useCommand(): CommandState {
  const live = useLive();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const alive = useRef(true);
  useEffect(
    () => () => {
      alive.current = false;
    },
    [],
  );
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof ControlPlaneError)) throw error;
      if (alive.current) setProblem(error.message);
      return false;
    } finally {
      if (alive.current) setBusy(false);
      live.touch();
    }
  };
  return { busy, problem, run };
}
