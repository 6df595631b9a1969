// The timeline: everything that happened, live, with what is chosen beside it.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button, Field, Select } from '../components/components.tsx';
import { plural } from '../format.ts';
import type { TimelineRow } from '../live/timeline-rows.ts';
import { useHref, useInfo, useLive, useVersion } from '../live/use-world.ts';
import type { ViewProps } from '../views.ts';
import { DeliveryDetail } from './delivery-detail.tsx';
import { EventDetail } from './event-detail.tsx';
import { everything, type Filter, filterRows, kindWords } from './filter.ts';
import { RequestDetail } from './request-detail.tsx';
import { RowsWindow } from './rows-window.tsx';

export function TimelineView({ path }: ViewProps) {
  const live = useLive();
  const version = useVersion(live);
  const [what = '', which = ''] = path[0] === 'account' ? [] : path;
  const [, asked = ''] = path[0] === 'account' ? path : [];
  // `#/timeline/account/1001` comes with its filter; a row chosen after it leaves the filter on.
  const [filter, setFilter] = useState<Filter>({ ...everything, account: asked });
  useEffect(() => {
    if (asked !== '') setFilter({ ...everything, account: asked });
  }, [asked]);
  const [paused, setPaused] = useState<readonly TimelineRow[] | null>(null);
  const rows = paused ?? live.rows();
  const wanted = useMemo(() => filterRows(rows, filter), [rows, filter, version]);
  const missed = paused === null ? 0 : live.rows().length - paused.length;
  return (
    <div class={`timeline ${what === '' ? '' : 'with-chosen'}`}>
      <div class="timeline-list">
        <Filters
          filter={filter}
          onFilter={setFilter}
          paused={paused !== null}
          onPause={() => setPaused(paused === null ? live.rows() : null)}
        />
        <p class="timeline-count" role="status">
          {plural(wanted.length, 'row')}
          {missed > 0 ? `, paused: ${missed.toLocaleString('en')} more since` : ''}
        </p>
        {wanted.length === 0 ? (
          <Nothing some={rows.length > 0} />
        ) : (
          <RowsWindow rows={wanted} chosen={['timeline', what, which].join('/')} />
        )}
      </div>
      {what === '' ? null : <Chosen what={what} which={which} />}
    </div>
  );
}

function Nothing({ some }: { some: boolean }) {
  const info = useInfo();
  const href = useHref();
  if (some) return <p class="empty">No row fits the filter.</p>;
  if (info === null) return <p class="empty">Reading…</p>;
  const base = info.base_url;
  return (
    <div class="empty">
      <p class="empty-title">Nothing has happened yet</p>
      <p>
        Send a request to <code>{base}/api/v1</code> and it appears here, with what it was answered
        and why. Tokens are under <a href={href('credentials')}>Credentials</a>, and each has a
        first call to copy.
      </p>
    </div>
  );
}

interface FiltersProps {
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
  readonly paused: boolean;
  readonly onPause: () => void;
}

const statuses = [
  ['', 'Any status'],
  ['2', '2xx'],
  ['4', '4xx'],
  ['429', '429'],
  ['5', '5xx'],
  ['none', 'No answer'],
] as const;

function Filters({ filter, onFilter, paused, onPause }: FiltersProps) {
  const info = useInfo();
  const names = (info?.credentials ?? []).map(({ name }) => name);
  const toggle = (kind: Filter['kinds'][number]) => {
    const on = filter.kinds.includes(kind);
    const kinds = on ? filter.kinds.filter((each) => each !== kind) : [...filter.kinds, kind];
    onFilter({ ...filter, kinds });
  };
  return (
    <search class="filters">
      <Field
        label="Search"
        type="search"
        value={filter.text}
        placeholder="Search path, key, id, code…"
        quiet
        onInput={(text) => onFilter({ ...filter, text })}
      />
      <Select
        label="Status"
        value={filter.status}
        options={statuses}
        onChange={(status) => onFilter({ ...filter, status })}
        quiet
      />
      <Select
        label="Credential"
        value={filter.credential}
        options={[['', 'Any credential'], ...names.map((name) => [name, name] as const)]}
        onChange={(credential) => onFilter({ ...filter, credential })}
        quiet
      />
      <Field
        label="Account"
        value={filter.account}
        placeholder="Account"
        quiet
        onInput={(account) => onFilter({ ...filter, account: account.trim() })}
      />
      <fieldset class="kinds">
        <legend class="heard">Kinds of rows</legend>
        {kindWords.map(([kind, words]) => (
          <Button key={kind} onClick={() => toggle(kind)} pressed={filter.kinds.includes(kind)}>
            {words}
          </Button>
        ))}
      </fieldset>
      <Button onClick={onPause} pressed={paused}>
        {paused ? 'Go on' : 'Pause'}
      </Button>
    </search>
  );
}

function Chosen({ what, which }: { what: string; which: string }) {
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
