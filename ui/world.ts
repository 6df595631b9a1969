// The world that the views show, and the hooks that keep them current.
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';
import type { InfoShown } from '../simulator/control/rows/about.ts';
import type { Place } from './kit.tsx';
import type { Live } from './live.ts';
import { RefusedError } from './plane.ts';
import { hrefOf } from './route.ts';

export const LiveContext = createContext<Live | null>(null);

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('a view is outside of a world');
  return live;
}

/** Renders again whenever the world changes; returns its version. */
export const useVersion = () => useSelected(({ version }) => version);

/** The info of the process; null until it is loaded. */
export const useInfo = (): InfoShown | null => useSelected(({ info }) => info);

function useSelected<T>(select: (live: Live) => T): T {
  const live = useLive();
  const [value, setValue] = useState(select(live));
  useEffect(() => {
    const update = () => setValue(select(live));
    update();
    return live.listen(update);
  }, [live]);
  return value;
}

/** Addresses in the current world. */
export function useHref() {
  const { world } = useLive().plane;
  return (...path: Place) => hrefOf(world, ...path);
}

/** During many changes a view reloads its list at most this often. */
const restMs = 400;

/** Loads a list or a record, and reloads it when the stream reports a change. */
export function useRead<T>(path: string | null) {
  const live = useLive();
  const [state, setState] = useState<{ path: string; value: T } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (path === null) return;
    let ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let before = '';
    const read = async () => {
      try {
        const text = await live.plane.text(path);
        if (ended || text === before) return;
        before = text;
        setState({ path, value: JSON.parse(text) as T });
        setProblem(null);
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        // Without a response the loaded data stays; a notice explains it.
        if (!ended && error.status !== 0) setProblem(error.message);
      }
    };
    const readSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void read();
      }, restMs);
    };
    void read();
    const stop = live.listen(readSoon);
    return () => {
      ended = true;
      stop();
      clearTimeout(timer);
    };
  }, [live, path]);
  return { value: state !== null && state.path === path ? state.value : null, problem };
}

/** Runs a command that changes the world, and keeps its error message. */
export function useCommand() {
  const live = useLive();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const run = useCallback(
    async (work: () => Promise<unknown>) => {
      setBusy(true);
      setProblem(null);
      try {
        await work();
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        setProblem(error.message);
      } finally {
        setBusy(false);
        live.touch();
      }
    },
    [live],
  );
  return { busy, problem, run };
}
