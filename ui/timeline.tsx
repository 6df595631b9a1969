// The timeline: all events of the world, live, with the details of a selected row next to it.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ViewProps } from './app.tsx';
import { DeliveryDetail, EventDetail } from './delivery.tsx';
import { clockTime, dayOf, plural, shortTime } from './format.ts';
import { Badge, Button, Field, Link } from './kit.tsx';
import { RequestDetail } from './request.tsx';
import {
  everything,
  type Filter,
  filterRows,
  kindWords,
  type RowKind,
  type TimelineRow,
} from './timeline-rows.ts';
import { useHref, useInfo, useLive, useVersion } from './world.ts';

export function TimelineView({ path }: ViewProps) {
  const live = useLive();
  const version = useVersion();
  // `#/timeline/account/1001` sets the filter, which is kept while rows are selected.
  const account = path[0] === 'account' ? (path[1] ?? '') : '';
  const [what = '', which = ''] = account === '' ? path : [];
  const [filter, setFilter] = useState<Filter>({ ...everything, account });
  useEffect(() => {
    if (account !== '') setFilter({ ...everything, account });
  }, [account]);
  const rows = live.rows();
  const wanted = useMemo(() => filterRows(rows, filter), [rows, filter, version]);
  return (
    <div class={`timeline ${what === '' ? '' : 'with-chosen'}`}>
      <div class="timeline-list">
        <Filters filter={filter} onFilter={setFilter} />
        <p class="timeline-count note" role="status">
          {plural(wanted.length, 'row')}
        </p>
        {wanted.length === 0 ? (
          <Empty isFiltered={rows.length > 0} />
        ) : (
          <Rows rows={wanted} chosen={['timeline', what, which].join('/')} />
        )}
      </div>
      {what === '' ? null : <Details what={what} which={which} />}
    </div>
  );
}

function Details({ what, which }: { what: string; which: string }) {
  const href = useHref();
  return (
    <section class="chosen" aria-label="Details">
      <a class="close" href={href('timeline')}>
        Close
      </a>
      {what === 'requests' ? <RequestDetail id={which} /> : null}
      {what === 'events' ? <EventDetail seq={which} /> : null}
      {what === 'deliveries' ? <DeliveryDetail id={which} /> : null}
    </section>
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  const info = useInfo();
  if (isFiltered) return <p class="empty">No row matches the filter.</p>;
  return (
    <p class="empty">
      Nothing has happened yet. Send a request to <code>{info?.base_url}/api/v1</code>, and it
      appears here with its response and the reasons. Tokens are under{' '}
      <Link to={['access']}>Access</Link>.
    </p>
  );
}

interface FiltersProps {
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
}

function Filters({ filter, onFilter }: FiltersProps) {
  const set = (changes: Partial<Filter>) => onFilter({ ...filter, ...changes });
  const toggle = (kind: RowKind) => {
    const others = filter.kinds.filter((each) => each !== kind);
    set({ kinds: filter.kinds.includes(kind) ? others : [...others, kind] });
  };
  return (
    <search class="filters bar">
      <Field
        label="Search"
        type="search"
        value={filter.text}
        placeholder="Search path, key, id, code, credential, 4xx…"
        quiet
        onInput={(text) => set({ text })}
      />
      <Field
        label="Account"
        value={filter.account}
        placeholder="Account"
        quiet
        onInput={(account) => set({ account: account.trim() })}
      />
      <fieldset class="bar">
        <legend class="heard">Kinds of rows</legend>
        {kindWords.map(([kind, words]) => (
          <Button
            key={kind}
            onClick={() => toggle(kind)}
            aria-pressed={filter.kinds.includes(kind)}
          >
            {words}
          </Button>
        ))}
      </fieldset>
    </search>
  );
}

/** Rows drawn at first, and with each further click; a search covers all rows. */
const drawnRows = 200;

/** The rows, newest first. */
function Rows({ rows: newest, chosen }: { rows: readonly TimelineRow[]; chosen: string }) {
  const { rows, hold } = useHeld(newest);
  const [count, setCount] = useState(drawnRows);
  return (
    <section
      class="rows"
      onPointerDown={hold}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keys.
      tabIndex={0}
      aria-label="Rows"
    >
      <ul>
        {rows.slice(0, count).map((row) => (
          <li key={row.key} class={`line of-${row.kind} ${row.isTied ? 'tied' : ''}`}>
            <Line row={row} isChosen={row.path.join('/') === chosen} />
          </li>
        ))}
      </ul>
      {rows.length > count ? (
        <Button onClick={() => setCount(count + drawnRows)}>
          Show {drawnRows} more of {rows.length.toLocaleString('en')}
        </Button>
      ) : null}
    </section>
  );
}

/** Rows stay in place while one is pressed: a row that moves away would not get the click. */
function useHeld(newest: readonly TimelineRow[]) {
  const [held, setHeld] = useState<readonly TimelineRow[] | null>(null);
  useEffect(() => {
    if (held === null) return;
    // The click comes after the pointer is up.
    const release = () => setTimeout(() => setHeld(null));
    const ends = ['pointerup', 'pointercancel', 'dragend', 'blur'] as const;
    for (const end of ends) addEventListener(end, release);
    return () => {
      for (const end of ends) removeEventListener(end, release);
    };
  }, [held]);
  return { rows: held ?? newest, hold: () => setHeld(newest) };
}

function Line({ row, isChosen }: { row: TimelineRow; isChosen: boolean }) {
  const live = useLive();
  const href = useHref();
  return (
    <a class="line-in" href={href(...row.path)} aria-current={isChosen ? 'true' : undefined}>
      <time class="line-at" title={`${dayOf(row.atMs)} ${clockTime(row.atMs)} UTC`}>
        {shortTime(row.atMs, live.nowMs())}
      </time>
      <Badge tone={row.tone}>{row.badge}</Badge>
      <span class="line-title">
        {row.hints === 0 ? null : (
          <span class="badge warn">
            ! <span class="heard">{plural(row.hints, 'hint')}: </span>
          </span>
        )}
        {` ${row.title}`}
      </span>
      <span class="line-note">{row.note}</span>
      <span class="line-who">{row.credential}</span>
    </a>
  );
}
