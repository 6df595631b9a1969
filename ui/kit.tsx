// The small components of every view: links, buttons, badges, forms, tables, panels.
import type { ComponentChildren, ComponentProps } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useCommand, useHref } from './world.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

export type Place = readonly (string | number)[];

/** A link to a place in the current world, such as `['timeline', 'requests', '12']`. */
export function Link({ to, children }: { to: Place; children: ComponentChildren }) {
  const href = useHref();
  return <a href={href(...to)}>{children}</a>;
}

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

export type ButtonLook = 'main' | 'plain' | 'bad';

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: ButtonLook | undefined;
}

export function Button({ look = 'plain', ...button }: ButtonProps) {
  return <button type="button" class={`button ${look}`} {...button} />;
}

export interface ActionProps extends Omit<ButtonProps, 'onClick'> {
  readonly run: () => Promise<unknown>;
  /** Asks for confirmation first: the label of the button that confirms. */
  readonly confirm?: string;
}

/** A button that changes the world and shows errors. */
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
          disabled={command.busy || disabled === true}
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

export interface PanelProps {
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

type Option = string | readonly [value: string, words: string];

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly placeholder?: string;
  /** An explanation below the field. */
  readonly note?: string | undefined;
  readonly type?: 'text' | 'search' | 'password';
  /** Turns the field into a choice. */
  readonly options?: readonly Option[] | undefined;
  /** Only screen readers get the label. */
  readonly quiet?: boolean;
}

export function Field({ label, value, onInput, type, options, quiet, note, ...input }: FieldProps) {
  const id = useId();
  const noteId = note === undefined ? undefined : `${id}-note`;
  const change = (event: { readonly currentTarget: { readonly value: string } }) =>
    onInput(event.currentTarget.value);
  return (
    <div class="field">
      <label for={id} class={quiet ? 'heard' : ''}>
        {label}
      </label>
      {options === undefined ? (
        <input
          id={id}
          // The attribute's type requires one literal.
          {...({ type: type ?? 'text' } as { type: 'text' })}
          {...input}
          value={value}
          autocomplete="off"
          aria-describedby={noteId}
          onInput={change}
        />
      ) : (
        <select id={id} aria-describedby={noteId} value={value} onChange={change}>
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
      {note === undefined ? null : (
        <p id={noteId} class="note">
          {note}
        </p>
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

export interface FormField extends Omit<FieldProps, 'value' | 'onInput' | 'quiet'> {
  readonly name: string;
  readonly value?: string;
  /** A checkbox, whose value is `true` or empty. */
  readonly check?: boolean;
  /** Checkboxes, whose value is a list with commas. */
  readonly several?: readonly string[];
}

export type FormValues = Readonly<Record<string, string>>;

/** The values that are not empty. */
export const givenOf = (values: FormValues): FormValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

interface FormProps {
  readonly fields: readonly FormField[];
  readonly submit: string;
  /** The accessible name of the submit button, if its words are not enough. */
  readonly label?: string;
  readonly look?: ButtonLook;
  /** Runs on Enter or a click; if it resolves to a text, the text is shown. */
  readonly run: (values: FormValues) => Promise<unknown>;
}

export function Form({ fields, submit, label, look = 'main', run }: FormProps) {
  const command = useCommand();
  const [entered, setEntered] = useState<FormValues>({});
  const [done, setDone] = useState('');
  const values = Object.fromEntries(
    fields.map(({ name, value, options: [first] = [] }) => {
      const initial = value || (typeof first === 'object' ? first[0] : first);
      return [name, entered[name] ?? initial ?? ''];
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
      {fields.map((field) => (
        <FormInput
          key={field.name}
          of={field}
          value={values[field.name] ?? ''}
          onInput={set(field.name)}
        />
      ))}
      <Button type="submit" look={look} disabled={command.busy} aria-label={label}>
        {submit}
      </Button>
      <p role="status" class="note">
        {done}
      </p>
      <Problem words={command.problem} />
    </form>
  );
}

interface FormInputProps {
  readonly of: FormField;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function FormInput({ of, value, onInput }: FormInputProps) {
  const { name: _, check, several, ...field } = of;
  if (check) {
    const onChange = (on: boolean) => onInput(on ? 'true' : '');
    return <Checkbox label={field.label} checked={value === 'true'} onChange={onChange} />;
  }
  if (several === undefined) return <Field {...field} value={value} onInput={onInput} />;
  const chosen = value.split(',').filter(Boolean);
  return (
    <fieldset class="bar several">
      <legend>{field.label}</legend>
      {several.map((each) => (
        <Checkbox
          key={each}
          label={each}
          checked={chosen.includes(each)}
          onChange={(on) => {
            const others = chosen.filter((other) => other !== each);
            onInput((on ? [...others, each] : others).join());
          }}
        />
      ))}
    </fieldset>
  );
}

/** Copies a text and says that it did. */
export function CopyButton({ text, words, of }: { text: string; words: string; of?: string }) {
  const [done, setDone] = useState(false);
  const copy = () => {
    // Browsers offer `navigator.clipboard` only on secure pages; this works on all pages.
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <Button onClick={copy} aria-label={of === undefined ? undefined : `${words} ${of}`}>
      <span aria-live="polite">{done ? 'Copied' : words}</span>
    </Button>
  );
}

export function CodeBlock({ text, label }: { text: ComponentChildren; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keys.
    <section class="code" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}

/** Secrets are hidden at first: whether they are shown, and the button that shows or hides them. */
export function useShown(what: string) {
  const [isShown, setShown] = useState(false);
  const toggle = (
    <Button onClick={() => setShown(!isShown)}>
      {isShown ? 'Hide' : 'Show'} {what}
    </Button>
  );
  return { isShown, toggle };
}

export function Secret({ text }: { text: string }) {
  const { isShown, toggle } = useShown('the secret');
  return (
    <span class="bar">
      <code>{isShown ? text : '(hidden)'}</code>
      {toggle}
      <CopyButton text={text} words="Copy" of="the secret" />
    </span>
  );
}

/** A command, with a button that copies it in full. An option does not break at its hyphens. */
export function Command({ text, of, secret = '' }: { text: string; of: string; secret?: string }) {
  const { isShown, toggle } = useShown('the token');
  const shown = isShown || secret === '' ? text : text.replaceAll(secret, '(hidden)');
  const words = shown.split(' ').map((word) => [<span key={word}>{word}</span>, ' ']);
  return (
    <>
      <CodeBlock text={words} label={`Command ${of}`} />
      <div class="bar">
        {secret === '' ? null : toggle}
        <CopyButton text={text} words="Copy the command" of={of} />
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
