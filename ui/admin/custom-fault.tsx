// A fault of one's own: what it strikes, when, with what effect, how often.
import { useState } from 'preact/hooks';
import { Button, Field, Panel, Problem, Select } from '../components/components.tsx';
import { useCommand, useLive } from '../live/use-world.ts';

const effects = [
  ['status 429', 'answer 429'],
  ['status 500', 'answer 500'],
  ['status 503', 'answer 503'],
  ['delay', 'delay'],
  ['hang', 'hang'],
  ['reset', 'cut the connection'],
] as const;

export function CustomFault() {
  const live = useLive();
  const act = useCommand();
  const [method, setMethod] = useState('');
  const [path, setPath] = useState('');
  const [phase, setPhase] = useState('before');
  const [effect, setEffect] = useState('status 500');
  const [seconds, setSeconds] = useState('10');
  const [times, setTimes] = useState('1');
  const order = () =>
    act.run(() =>
      live.plane.send('POST', 'faults', {
        match: { ...(method === '' ? {} : { method }), ...(path === '' ? {} : { path }) },
        phase,
        effect: effectOf(effect, Number(seconds)),
        ...(times === '' ? {} : { times: Number(times) }),
      }),
    );
  return (
    <Panel title="One of your own, for calls">
      <div class="form">
        <Select
          label="Method"
          value={method}
          options={[['', 'any'], ...['GET', 'POST', 'PATCH'].map((each) => [each, each] as const)]}
          onChange={setMethod}
        />
        <Field
          label="Path (a * at the end: any rest)"
          value={path}
          placeholder="/api/v1/accounts*"
          onInput={setPath}
        />
        <Select
          label="When"
          value={phase}
          options={[
            ['before', 'before it runs'],
            ['after', 'after it ran'],
          ]}
          onChange={setPhase}
        />
        <Select label="Effect" value={effect} options={effects} onChange={setEffect} />
        {effect === 'delay' ? (
          <Field label="Seconds" type="number" value={seconds} onInput={setSeconds} />
        ) : null}
        <Field label="Times (empty: until off)" type="number" value={times} onInput={setTimes} />
        <Button onClick={() => void order()} disabled={act.busy} look="main">
          Switch on
        </Button>
      </div>
      <Problem words={act.problem} />
    </Panel>
  );
}

function effectOf(words: string, seconds: number) {
  const [kind = '', status] = words.split(' ');
  if (status !== undefined) return { kind, status: Number(status) };
  return kind === 'delay' ? { kind, ms: Math.round(seconds * 1000) } : { kind };
}
