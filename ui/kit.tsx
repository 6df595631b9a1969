// The small pieces of every view: links, buttons, badges, forms, tables, panels.
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useCommand, useHref } from './world.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

/** A link to a place in the current world, such as `['timeline', 'requests', '12']`. */
export function Link({ to, children }: { to: Place; children: ComponentChildren }) {
  const href = useHref();
  return <a href={href(...to)}>{children}</a>;
}

export type Place = readonly (string | number)[];

export const placeOf = {
  request: (id: string | number): Place => ['timeline', 'requests', id],
  event: (seq: string | number): Place => ['timeline', 'events', seq],
  delivery: (id: string): Place => ['timeline', 'deliveries', id],
  transaction: (id: string): Place => ['accounts', 'transactions', id],
  rule: (id: string): Place => ['rules', id.startsWith('NS-') ? 'questions' : 'rules', id],
};

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

type Look = 'main' | 'plain' | 'bad';

interface ButtonProps {
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
  readonly disabled?: boolean | undefined;
  readonly look?: Look | undefined;
  /** The accessible name, if the words alone do not say what it acts on. */
  readonly label?: string | undefined;
  readonly pressed?: boolean | undefined;
  readonly submits?: boolean;
}

export function Button({
  onClick,
  children,
  disabled,
  look,
  label,
  pressed,
  submits,
}: ButtonProps) {
  return (
    <button
      type={submits ? 'submit' : 'button'}
      class={`button ${look ?? 'plain'}`}
      {...(onClick === undefined ? {} : { onClick })}
      disabled={disabled ?? false}
      aria-label={label}
      aria-pressed={pressed}
    >
      {children}
    </button>
  );
}

interface ActionProps extends Omit<ButtonProps, 'onClick' | 'pressed'> {
  readonly run: () => Promise<unknown>;
  /** Asks before it runs: the words of the button that confirms. */
  readonly confirm?: string | undefined;
}

/** A button that does something to the world and shows what went wrong. */
export function Action({ run, confirm, disabled, ...button }: ActionProps) {
  const command = useCommand();
  const [asking, setAsking] = useState(false);
  const act = () => {
    setAsking(false);
    void command.run(run);
  };
  return (
    <>
      {asking ? (
        <span class="bar">
          <Button look="bad" onClick={act}>
            {confirm}
          </Button>
          <Button onClick={() => setAsking(false)}>No</Button>
        </span>
      ) : (
        <Button
          {...button}
          disabled={command.busy || disabled}
          onClick={confirm === undefined ? act : () => setAsking(true)}
        />
      )}
      <Problem words={command.problem} />
    </>
  );
}

export function Problem({ words }: { words: string | null }) {
  return (
    <p class="problem bad" role="alert" hidden={words === null}>
      {words}
    </p>
  );
}

interface PanelProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly side?: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly wide?: boolean;
}

export function Panel({ title, children, side, note, wide }: PanelProps) {
  const id = useId();
  return (
    <section class={wide ? 'panel wide' : 'panel'} aria-labelledby={id}>
      <header class="head bar">
        <h2 id={id}>{title}</h2>
        {side}
      </header>
      {note === undefined ? null : <p class="note">{note}</p>}
      {children}
    </section>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly placeholder?: string | undefined;
  readonly type?: 'text' | 'search' | 'password' | 'number' | undefined;
  /** Turns the field into a choice. */
  readonly options?: readonly Option[] | undefined;
  /** Only screen readers get the label. */
  readonly quiet?: boolean | undefined;
}

type Option = string | readonly [value: string, words: string];

export function Field({ label, value, onInput, placeholder, type, options, quiet }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={quiet ? 'heard' : ''}>
        {label}
      </label>
      {options === undefined ? (
        <input
          id={id}
          // The attribute's type wants one literal.
          {...({ type: type ?? 'text' } as { type: 'text' })}
          value={value}
          placeholder={placeholder ?? ''}
          autocomplete="off"
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      ) : (
        <select id={id} value={value} onChange={(event) => onInput(event.currentTarget.value)}>
          {options.map((option) => {
            const [key, words] = typeof option === 'string' ? [option, option] : option;
            return (
              <option key={key} value={key} selected={key === value}>
                {words}
              </option>
            );
          })}
        </select>
      )}
    </div>
  );
}

interface CheckboxProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Checkbox({ label, checked, onChange }: CheckboxProps) {
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

/** A field of a form by name; `check` makes it a checkbox, whose value is `yes` or empty. */
export interface FormField extends Omit<FieldProps, 'value' | 'onInput' | 'quiet'> {
  readonly name: string;
  readonly value?: string;
  readonly check?: boolean;
}

export type FormValues = Readonly<Record<string, string>>;

/** The values that are not empty. */
export const givenOf = (values: FormValues): FormValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

interface FormProps {
  /** Fields may depend on what is entered so far. */
  readonly fields: readonly FormField[] | ((values: FormValues) => readonly FormField[]);
  readonly submit: ComponentChildren;
  /** The accessible name of the submit button, if its words are not enough. */
  readonly label?: string;
  readonly look?: Look;
  readonly disabled?: boolean;
  /** Runs on Enter or a click; what it resolves to is shown, if it is a text. */
  readonly run: (values: FormValues) => Promise<unknown>;
}

export function Form({ fields, submit, label, look = 'main', disabled, run }: FormProps) {
  const command = useCommand();
  const [entered, setEntered] = useState<FormValues>({});
  const [done, setDone] = useState('');
  const list = typeof fields === 'function' ? fields(entered) : fields;
  const values = Object.fromEntries(
    list.map(({ name, value, options }) => {
      const [first] = options ?? [];
      const initial = value ?? (typeof first === 'object' ? first[0] : first) ?? '';
      return [name, entered[name] ?? initial];
    }),
  );
  const set = (name: string) => (value: string) => setEntered({ ...entered, [name]: value });
  const onSubmit = (event: Event) => {
    event.preventDefault();
    void command.run(async () => {
      const words = await run(values);
      setDone(typeof words === 'string' ? words : '');
      setEntered({});
    });
  };
  return (
    <form class="form" onSubmit={onSubmit}>
      {list.map(({ name, check, ...field }) =>
        check ? (
          <Checkbox
            key={name}
            label={field.label}
            checked={values[name] === 'yes'}
            onChange={(on) => set(name)(on ? 'yes' : '')}
          />
        ) : (
          <Field key={name} {...field} value={values[name] ?? ''} onInput={set(name)} />
        ),
      )}
      <Button submits look={look} disabled={command.busy || disabled} label={label}>
        {submit}
      </Button>
      <Done words={done} />
      <Problem words={command.problem} />
    </form>
  );
}

/** Says what was done. */
export function Done({ words }: { words: string }) {
  return (
    <p role="status" class="note">
      {words}
    </p>
  );
}

interface FileButtonProps {
  readonly onChoose: (file: File) => void;
  readonly children: ComponentChildren;
  readonly look: Look;
}

/** Chooses a JSON file; the same file can be chosen again. */
export function FileButton({ onChoose, children, look }: FileButtonProps) {
  const id = useId();
  return (
    <span class="file">
      <label for={id} class={`button ${look}`}>
        {children}
      </label>
      <input
        id={id}
        class="heard"
        type="file"
        accept="application/json,.json"
        onChange={({ currentTarget: input }) => {
          const [file] = input.files ?? [];
          if (file !== undefined) onChoose(file);
          input.value = '';
        }}
      />
    </span>
  );
}

/** Copies a text and says that it did. */
export function CopyButton({ text, words, of }: { text: string; words: string; of?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await writeClipboard(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <Button onClick={() => void copy()} label={of === undefined ? undefined : `${words} ${of}`}>
      <span aria-live="polite">{done ? 'Copied' : words}</span>
    </Button>
  );
}

/** Browsers give the clipboard to secure pages only; elsewhere the old command works. */
async function writeClipboard(text: string): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keys.
    <section class="code" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}

/** A command in full, with a button that copies it. */
export function Command({ text, label, of }: { text: string; label: string; of?: string }) {
  return (
    <>
      <CodeBlock text={text} label={label} />
      <div class="bar">
        <CopyButton text={text} words="Copy the command" {...(of === undefined ? {} : { of })} />
      </div>
    </>
  );
}

/** Words in which backticks mark code and rule ids are links. */
export function Prose({ words }: { words: string }) {
  return (
    <>
      {words.split('`').map((part, at) => (at % 2 === 0 ? linkRules(part) : <code>{part}</code>))}
    </>
  );
}

const linkRules = (words: string) =>
  words
    .split(/\b([A-Z]{2,4}-\d+[a-z]?)\b/)
    .map((part, at) => (at % 2 === 0 ? part : <Link to={placeOf.rule(part)}>{part}</Link>));

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

/** A column: its title, its cells, and how they are set. */
export type Column<Row> = readonly [
  title: string,
  cell: (row: Row) => ComponentChildren,
  style?: 'wrap' | 'words' | 'number',
];

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly empty?: string;
  /** Rows shown at first, with a button for the others. */
  readonly first?: number;
}

/** More rows than this are never drawn: a search finds the others. */
const mostRows = 200;

/** A table that scrolls by itself on a narrow screen. */
export function Table<Row>({ caption, columns, rows, keyOf, empty, first }: TableProps<Row>) {
  const [whole, setWhole] = useState(false);
  if (rows.length === 0) return <p class="empty">{empty ?? 'None.'}</p>;
  const shown = rows.slice(0, whole ? mostRows : (first ?? mostRows));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keys. */}
      <section class="table" tabIndex={0} aria-label={`${caption}: rows`}>
        <table>
          <caption class="heard">{caption}</caption>
          <thead>
            <tr>
              {columns.map(([title, , style]) => (
                <th key={title} scope="col" class={style === 'number' ? style : ''}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(([title, cell, style]) => (
                  <td key={title} class={style ?? ''}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {first !== undefined && rows.length > first ? (
        <div class="bar">
          <Button onClick={() => setWhole(!whole)} pressed={whole}>
            {whole ? 'Fewer' : `All ${rows.length.toLocaleString('en')}`}
          </Button>
        </div>
      ) : null}
      {rows.length > mostRows ? (
        <p class="note">The first {mostRows} are shown; search for the others.</p>
      ) : null}
    </>
  );
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
