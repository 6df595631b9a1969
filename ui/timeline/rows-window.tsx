// A long list of which only the rows in sight are in the page.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { clockTime, dayOf, plural, shortTime } from '../format.ts';
import type { TimelineRow } from '../live/timeline-rows.ts';
import { useHref, useLive } from '../live/use-world.ts';

/** Rows drawn beyond the edges, so that keys and quick scrolling meet no gap. */
const beyond = 12;

/** The height of a row, which the style sheet decides by the width of the screen. */
function rowHeight(list: HTMLElement): number {
  return Number.parseFloat(getComputedStyle(list).getPropertyValue('--row')) || 34;
}

interface Sight {
  readonly from: number;
  readonly to: number;
  readonly height: number;
}

function useSight(count: number) {
  const list = useRef<HTMLElement>(null);
  const [sight, setSight] = useState<Sight>({ from: 0, to: 60, height: 34 });
  const look = useCallback(() => {
    const box = list.current;
    if (box === null) return;
    const height = rowHeight(box);
    const from = Math.max(0, Math.floor(box.scrollTop / height) - beyond);
    const to = Math.ceil((box.scrollTop + box.clientHeight) / height) + beyond;
    setSight((before) =>
      before.from === from && before.to === to && before.height === height
        ? before
        : { from, to, height },
    );
  }, []);
  useLayoutEffect(look, [look, count]);
  useEffect(() => {
    const box = list.current;
    if (box === null) return;
    const watch = new ResizeObserver(look);
    watch.observe(box);
    return () => watch.disconnect();
  }, [look]);
  return { list, sight, look };
}

export interface RowsWindowProps {
  /** The newest first. */
  readonly rows: readonly TimelineRow[];
  readonly chosen: string;
}

export function RowsWindow({ rows: newest, chosen }: RowsWindowProps) {
  const { rows, hold } = useHeld(newest);
  const { list, sight, look } = useSight(rows.length);
  useSteady(list, rows, sight.height);
  const { from, to, height } = sight;
  const shown = rows.slice(from, to);
  return (
    <section
      class="rows"
      ref={list}
      onScroll={look}
      onPointerDown={hold}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
      tabIndex={0}
      aria-label="Rows"
    >
      <ul class="rows-all" style={{ height: `${rows.length * height}px` }}>
        {shown.map((row, at) => (
          <Line
            key={row.key}
            row={row}
            top={(from + at) * height}
            place={[from + at + 1, rows.length]}
            chosen={chosen}
          />
        ))}
      </ul>
    </section>
  );
}

/** A row stays in its place while it is pressed: moved away, it would get no click. */
function useHeld(newest: readonly TimelineRow[]) {
  const [held, setHeld] = useState<readonly TimelineRow[] | null>(null);
  useEffect(() => {
    if (held === null) return;
    // The click comes after the pointer is up.
    const letGo = () => setTimeout(() => setHeld(null));
    const ends = ['pointerup', 'pointercancel', 'dragend', 'blur'] as const;
    for (const end of ends) addEventListener(end, letGo);
    return () => {
      for (const end of ends) removeEventListener(end, letGo);
    };
  }, [held]);
  return { rows: held ?? newest, hold: () => setHeld(newest) };
}

/** Whoever reads further down keeps the place when rows come in above. */
function useSteady(
  list: { readonly current: HTMLElement | null },
  rows: readonly TimelineRow[],
  height: number,
) {
  const before = useRef<{ first: string; length: number }>({ first: '', length: 0 });
  useLayoutEffect(() => {
    const box = list.current;
    const { first } = before.current;
    before.current = { first: rows[0]?.key ?? '', length: rows.length };
    if (box === null || box.scrollTop === 0 || first === '') return;
    const moved = rows.findIndex(({ key }) => key === first);
    if (moved > 0) box.scrollTop += moved * height;
  }, [list, rows, height]);
}

interface LineProps {
  readonly row: TimelineRow;
  readonly top: number;
  readonly place: readonly [number, number];
  readonly chosen: string;
}

function Line({ row, top, place, chosen }: LineProps) {
  const href = useHref();
  const [at, all] = place;
  const { path } = row;
  const here = path !== null && path.join('/') === chosen;
  return (
    <li
      class={`line of-${row.kind} ${row.tied ? 'tied' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
      aria-posinset={at}
      aria-setsize={all}
    >
      {path === null ? (
        <span class="line-in">
          <Words row={row} />
        </span>
      ) : (
        <a class="line-in" href={href(...path)} aria-current={here ? 'true' : undefined}>
          <Words row={row} />
        </a>
      )}
    </li>
  );
}

/** A call that was answered without complaint, and perhaps was not meant so. */
function HintMark({ count }: { count: number }) {
  const words = plural(count, 'hint');
  return (
    <span class="hint-mark" title={words}>
      <span aria-hidden="true">!</span>
      <span class="heard">{words}: </span>
    </span>
  );
}

function Words({ row }: { row: TimelineRow }) {
  const live = useLive();
  return (
    <>
      <time class="line-at" title={`${dayOf(row.atMs)} ${clockTime(row.atMs)}`}>
        {shortTime(row.atMs, live.nowMs())}
      </time>
      <span class={`badge ${row.tone}`}>{row.badge}</span>
      <span class="line-title">
        {row.hints.length === 0 ? null : <HintMark count={row.hints.length} />}
        {row.title}
      </span>
      <span class="line-note">{row.note}</span>
      <span class="line-who">{row.credential ?? ''}</span>
    </>
  );
}
