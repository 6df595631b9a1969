// A fault of one's own: what it strikes, when, with what effect, how often.
import { useState } from 'preact/hooks';
import { Button, Field, Panel, Problem, Select } from '../components/components.tsx';
import { useCommand, useLive } from '../live/use-world.ts';

const effects = [
  ...[429, 500, 503].map((status) => [`status ${status}`, `answer ${status}`] as const),
  ['status 502', 'answer 502 as a gateway'],
  ['status 504', 'answer 504 as a gateway'],
  ['refuse', 'refuse with a code'],
  ['delay', 'delay'],
  ['hang', 'hang'],
  ['reset', 'cut the connection'],
  ['truncate', 'cut the answer short'],
  ['slow_body', 'send the body slowly'],
] as const;

/** What an effect has to be told besides its kind. */
const measures: Readonly<Record<string, string>> = {
  delay: 'Seconds',
  slow_body: 'Seconds',
  truncate: 'Bytes that arrive',
};

const codes = [
  'forbidden',
  'read_only_credential',
  'not_found',
  'invalid_state',
  'revision_conflict',
  'validation_failed',
  'not_implemented',
  'unauthorized',
  'unreadable',
];

interface FormValues {
  readonly method: string;
  readonly path: string;
  readonly phase: string;
  readonly effect: string;
  readonly code: string;
  readonly measure: string;
  readonly times: string;
  readonly nth: string;
  readonly probability: string;
}

const begin: FormValues = {
  method: '',
  path: '',
  phase: 'before',
  effect: 'status 500',
  code: 'invalid_state',
  measure: '10',
  times: '1',
  nth: '',
  probability: '',
};

interface Form {
  readonly values: FormValues;
  readonly set: (name: keyof FormValues) => (value: string) => void;
}

export function CustomFault() {
  const live = useLive();
  const command = useCommand();
  const [values, setValues] = useState(begin);
  const form: Form = {
    values,
    set: (name) => (value) => setValues({ ...values, [name]: value }),
  };
  const { times, nth, probability } = values;
  const order = () => command.run(() => live.plane.send('POST', 'faults', orderOf(values)));
  return (
    <Panel title="One of your own, for calls">
      <div class="form">
        <Matching {...form} />
        <EffectFields {...form} />
        <Field
          label="Times (empty: until off)"
          type="number"
          value={times}
          onInput={form.set('times')}
        />
        <Field
          label="From matching call number"
          type="number"
          value={nth}
          onInput={form.set('nth')}
        />
        <Field
          label="Probability (0 to 1)"
          type="number"
          value={probability}
          onInput={form.set('probability')}
        />
        <Button onClick={() => void order()} disabled={command.busy} look="main">
          Switch on
        </Button>
      </div>
      <Problem words={command.problem} />
    </Panel>
  );
}

function Matching({ values, set }: Form) {
  const methods = ['GET', 'POST', 'PATCH'].map((each) => [each, each] as const);
  return (
    <>
      <Select
        label="Method"
        value={values.method}
        options={[['', 'any'], ...methods]}
        onChange={set('method')}
      />
      <Field
        label="Path (a * at the end: any rest)"
        value={values.path}
        placeholder="/api/v1/accounts*"
        onInput={set('path')}
      />
    </>
  );
}

function EffectFields({ values, set }: Form) {
  const kind = kindOf(values);
  const measure = measures[kind];
  return (
    <>
      <Select label="Effect" value={values.effect} options={effects} onChange={set('effect')} />
      {kind === 'refuse' ? (
        <Select
          label="Code"
          value={values.code}
          options={codes.map((each) => [each, each])}
          onChange={set('code')}
        />
      ) : null}
      {hasPhase(kind) ? (
        <Select
          label="When"
          value={values.phase}
          options={[
            ['before', 'before it runs'],
            ['after', 'after it ran'],
          ]}
          onChange={set('phase')}
        />
      ) : null}
      {measure === undefined ? null : (
        <Field label={measure} type="number" value={values.measure} onInput={set('measure')} />
      )}
    </>
  );
}

function kindOf({ effect }: FormValues): string {
  return effect.split(' ')[0] ?? '';
}

/** What is refused never ran; what is cut short or slow has run. */
function hasPhase(kind: string): boolean {
  return !['refuse', 'truncate', 'slow_body'].includes(kind);
}

function orderOf(values: FormValues) {
  const { method, path, phase, times, nth, probability } = values;
  return {
    match: { ...(method === '' ? {} : { method }), ...(path === '' ? {} : { path }) },
    ...(hasPhase(kindOf(values)) ? { phase } : {}),
    effect: effectOf(values),
    ...numbered({ times, nth, probability }),
  };
}

function numbered(fields: Readonly<Record<string, string>>): Record<string, number> {
  const given = Object.entries(fields).filter(([, value]) => value !== '');
  return Object.fromEntries(given.map(([name, value]) => [name, Number(value)]));
}

function effectOf(values: FormValues) {
  const [kind = '', status] = values.effect.split(' ');
  const measure = Number(values.measure);
  if (status !== undefined) return { kind, status: Number(status) };
  if (kind === 'refuse') return { kind, code: values.code };
  if (kind === 'truncate') return { kind, bytes: measure };
  return measures[kind] === undefined ? { kind } : { kind, ms: Math.round(measure * 1000) };
}
