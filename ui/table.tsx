// How records are shown: tables, names with values, and each member by its name and type.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fullTime } from './format.ts';
import { Action, type ActionProps, Button, Link, Panel, type PanelProps, placeOf } from './kit.tsx';

/** The members that are links; the others are shown by their type. */
const links: Readonly<Record<string, (id: string) => ComponentChildren>> = {
  account_id: (id) => <Link to={['accounts', id]}>{id}</Link>,
  transaction_id: (id) => <Link to={placeOf.transaction(id)}>{id}</Link>,
  first_deposit_id: (id) => <Link to={placeOf.transaction(id)}>{id}</Link>,
  subscription_id: (id) => <Link to={['webhooks', id]}>{id}</Link>,
  first_attempt: (id) => <Link to={placeOf.request(id)}>request {id}</Link>,
};

function showMember(name: string, value: unknown): ComponentChildren {
  if (value === null || value === undefined) return '';
  if (Object.hasOwn(links, name)) return links[name]?.(String(value));
  if (typeof value === 'number' && /_(at|ms)$/.test(name)) return fullTime(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.join(', ');
  return String(value);
}

/** `client_reference_id` as "Client reference ID", `effect.ms` as "Effect ms". */
export function titleOf(name: string): string {
  const words = name.replace(/_ms$|_at_ms$/, '').replaceAll(/[._]/g, ' ');
  return words
    .replace(/\b(?:id|url|ftd)\b/g, (abbreviation) => abbreviation.toUpperCase())
    .replace(/^./, (letter) => letter.toUpperCase());
}

/** The members of a record with their titles, for `Facts`; `others` replaces the values of some. */
export function factsOf(
  record: object,
  others: Readonly<Record<string, ComponentChildren>> = {},
): readonly (readonly [string, ComponentChildren])[] {
  return Object.entries({ ...record, ...others }).map(([name, value]) => [
    titleOf(name),
    Object.hasOwn(others, name) ? others[name] : showMember(name, value),
  ]);
}

/** Names with their values. */
export function Facts({ of }: { of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts pairs">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === null || value === '' ? <span class="note">none</span> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The name of a member, or a title with the content of its cells. */
export type Column<Row> =
  | (keyof Row & string)
  | readonly [title: string, cell: (row: Row) => ComponentChildren, style?: 'wrap'];

/** A column with a button for each row; empty if there is no action. */
export function actionColumn<Row>(
  title: string,
  actionOf: (row: Row) => Omit<ActionProps, 'children'> | null,
): Column<Row> {
  return [
    title,
    (row) => {
      const action = actionOf(row);
      return action && <Action {...action}>{title}</Action>;
    },
  ];
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly empty?: string;
  /** The number of rows shown at first, with a button for the others. */
  readonly first?: number;
}

/** More rows than this are never drawn: a search finds the others. */
const maxRows = 200;
/** Longer texts may be broken into lines. */
const longText = 24;

/** A table that scrolls by itself on a narrow screen. */
export function Table<Row>({ caption, columns, rows, keyOf, empty, first }: TableProps<Row>) {
  const [whole, setWhole] = useState(false);
  if (rows.length === 0) return <p class="empty">{empty ?? 'None.'}</p>;
  const titles = columns.map((column) =>
    typeof column === 'string' ? titleOf(column) : column[0],
  );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keys. */}
      <section class="table" tabIndex={0} aria-label={`${caption}: rows`}>
        <table>
          <caption class="heard">{caption}</caption>
          <thead>
            <tr>
              {titles.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, whole ? maxRows : (first ?? maxRows)).map((row) => (
              <tr key={keyOf(row)}>
                {columns.map((column, at) => (
                  <Cell key={titles[at]} of={column} row={row} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {first !== undefined && rows.length > first ? (
        <div class="bar">
          <Button onClick={() => setWhole(!whole)} aria-pressed={whole}>
            {whole ? 'Fewer' : `All ${rows.length.toLocaleString('en')}`}
          </Button>
        </div>
      ) : null}
      {rows.length > maxRows ? (
        <p class="note">The first {maxRows} are shown; search for the others.</p>
      ) : null}
    </>
  );
}

function Cell<Row>({ of, row }: { of: Column<Row>; row: Row }) {
  if (typeof of !== 'string') return <td class={of[2] ?? ''}>{of[1](row)}</td>;
  const content = showMember(of, row[of]);
  const isLong = typeof content === 'string' && content.length > longText;
  return <td class={isLong ? 'wrap' : ''}>{content}</td>;
}

interface TablePanelProps<Row>
  extends Omit<TableProps<Row>, 'caption'>,
    Omit<PanelProps, 'children' | 'wide'> {
  readonly children?: ComponentChildren;
}

/** A panel with one table, whose caption is its title. */
export function TablePanel<Row>({ title, side, note, children, ...table }: TablePanelProps<Row>) {
  return (
    <Panel title={title} side={side} note={note} wide>
      {children}
      <Table caption={title} {...table} />
    </Panel>
  );
}
