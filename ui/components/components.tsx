// Small pieces that every view is made of: buttons, badges, fields, panels.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Tone } from '../live/timeline-rows.ts';

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export interface ButtonProps {
  readonly onClick: () => void;
  readonly children: ComponentChildren;
  readonly disabled?: boolean | undefined;
  readonly look?: 'main' | 'plain' | 'bad' | undefined;
  readonly label?: string | undefined;
  readonly pressed?: boolean | undefined;
}

export function Button({ onClick, children, disabled, look, label, pressed }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${look ?? 'plain'}`}
      onClick={onClick}
      disabled={disabled ?? false}
      aria-label={label}
      aria-pressed={pressed}
    >
      {children}
    </button>
  );
}

/** Chooses a file of JSON, the same one as often as one likes. */
export function FileButton(props: {
  readonly onChoose: (file: File) => void;
  readonly children: ComponentChildren;
  readonly look: 'main' | 'plain';
}) {
  const id = useId();
  return (
    <span class="file">
      <label for={id} class={`button ${props.look}`}>
        {props.children}
      </label>
      <input
        id={id}
        class="heard"
        type="file"
        accept="application/json,.json"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file !== undefined) props.onChoose(file);
          event.currentTarget.value = '';
        }}
      />
    </span>
  );
}

export function Problem({ words }: { words: string | null }) {
  return (
    <p class="problem" role="alert" hidden={words === null}>
      {words}
    </p>
  );
}

export interface PanelProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly side?: ComponentChildren;
  readonly note?: string | undefined;
}

export function Panel({ title, children, side, note }: PanelProps) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <header class="panel-head">
        <h2 id={id}>{title}</h2>
        {side === undefined ? null : <div class="panel-side">{side}</div>}
      </header>
      {note === undefined ? null : <p class="note">{note}</p>}
      {children}
    </section>
  );
}

export interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly placeholder?: string | undefined;
  readonly type?: 'text' | 'search' | 'password' | 'number' | undefined;
  /** The label is there for those who hear the page only. */
  readonly quiet?: boolean | undefined;
}

export function Field({ label, value, onInput, placeholder, type, quiet }: FieldProps) {
  const id = useId();
  // The types of attributes want a literal each; what we take is one of them.
  const kind = { type: type ?? 'text' } as { type: 'text' };
  return (
    <div class="field">
      <label for={id} class={quiet ? 'heard' : ''}>
        {label}
      </label>
      <input
        id={id}
        {...kind}
        value={value}
        placeholder={placeholder ?? ''}
        autocomplete="off"
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}

export interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly onChange: (value: string) => void;
  /** The label is there for those who hear the page only. */
  readonly quiet?: boolean | undefined;
}

export function Select({ label, value, options, onChange, quiet }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={quiet ? 'heard' : ''}>
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([option, words]) => (
          <option key={option} value={option} selected={option === value}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

export interface CheckboxProps {
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

/** Copies a text, and says that it did. */
export function CopyButton({ text, words, of }: { text: string; words: string; of?: string }) {
  const [done, setDone] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
    },
    [],
  );
  const copy = async () => {
    await writeClipboard(text);
    setDone(true);
    timer.current = setTimeout(() => setDone(false), 1500);
  };
  const name = of === undefined ? {} : { label: `${words} ${of}` };
  return (
    <Button onClick={() => void copy()} {...name}>
      <span aria-live="polite">{done ? 'Copied' : words}</span>
    </Button>
  );
}

/** The clipboard is lent to pages of this machine only; elsewhere the old way has to do. */
async function writeClipboard(text: string): Promise<void> {
  if (isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
    <section class="code" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}

/** Words in which code stands between backticks. */
export function Prose({ words }: { words: string }) {
  const parts = words.split('`');
  return <>{parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}

/** Names with their values, the way a record is read. */
export function DescriptionList({ of }: { of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === null || value === '' ? <span class="none">none</span> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface TableProps {
  readonly caption: string;
  readonly head: readonly string[];
  readonly children: ComponentChildren;
  readonly empty?: string | undefined;
}

/** A table that scrolls by itself where the screen is too narrow for it. */
export function Table({ caption, head, children, empty }: TableProps) {
  const none = Array.isArray(children) && children.length === 0;
  if (none) return <p class="empty">{empty ?? 'None.'}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
    <section class="table" tabIndex={0} aria-label={`${caption}: rows`}>
      <table>
        <caption class="heard">{caption}</caption>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col" class={name === 'Amount' ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
