// The clock, always visible: the world's time, the due events, and the controls to advance time.
import { useEffect, useState } from 'preact/hooks';
import type { AdvanceResult } from '../simulator/compose/world-handle.ts';
import type { ClockShown } from '../simulator/control/records.ts';
import { clockTime, dayOf, duration, plural, until } from './format.ts';
import { Button } from './kit.tsx';
import { useCommand, useLive, useRead, useVersion } from './world.ts';

/** How often a running clock is drawn. */
const drawMs = 250;

function useNowMs(): number {
  const live = useLive();
  useVersion();
  const [, draw] = useState(0);
  const isRunning = live.clock?.mode === 'real';
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => draw((turn) => turn + 1), drawMs);
    return () => clearInterval(timer);
  }, [isRunning]);
  return live.nowMs();
}

const steps = [
  ['to next', 'Advance to what is due', { to_next: true }],
  ['+1 s', 'Advance by a second', { by_ms: 1000 }],
  ['+30 s', 'Advance by 30 seconds', { by_ms: 30_000 }],
  ['+1 h', 'Advance by an hour', { by_ms: 3_600_000 }],
  ['+1 d', 'Advance by a day', { by_ms: 86_400_000 }],
] as const;

export function ClockBar() {
  const live = useLive();
  const nowMs = useNowMs();
  const { value: due } = useRead<ClockShown>('clock');
  const command = useCommand();
  const [done, setDone] = useState('');
  const advance = (body: object) =>
    void command.run(async () => {
      setDone(resultWords(await live.plane.send<AdvanceResult>('POST', 'clock/advance', body)));
    });
  const set = (body: object) => void command.run(() => live.plane.send('PUT', 'clock', body));
  const { mode = 'real', speed = 1 } = live.clock ?? {};
  const nextMs = due?.next_due_ms ?? null;
  const isFrozen = mode === 'frozen';
  return (
    <section class="clock bar" aria-label="Clock">
      <p class="bar">
        <time dateTime={new Date(nowMs).toISOString()}>
          {dayOf(nowMs)} {clockTime(nowMs).slice(0, 8)} UTC
        </time>
        <span class={`badge ${mode}`}>
          {isFrozen ? 'frozen' : speed === 1 ? 'running' : `running × ${speed}`}
        </span>
      </p>
      <p class="clock-due">
        {nextMs === null ? 'nothing is due' : `next due ${until(nextMs, nowMs)}`}
      </p>
      <fieldset class="bar">
        <legend class="heard">Let time pass</legend>
        {steps.map(([words, label, body]) => (
          <Button
            key={words}
            onClick={() => advance(body)}
            disabled={command.busy || (words === 'to next' && nextMs === null)}
            aria-label={`${words}: ${label}`}
            look={words === 'to next' && isFrozen ? 'main' : 'plain'}
          >
            {words}
          </Button>
        ))}
        <Button
          onClick={() => set({ mode: isFrozen ? 'real' : 'frozen' })}
          disabled={command.busy}
          aria-label={isFrozen ? 'Let the clock run' : 'Freeze the clock'}
        >
          {isFrozen ? 'run' : 'freeze'}
        </Button>
      </fieldset>
      <p class="note" role="status">
        {command.problem ?? done}
      </p>
    </section>
  );
}

function resultWords({ from_ms, to_ms, fired }: AdvanceResult): string {
  const moved = to_ms === from_ms ? 'Nothing was due' : `Moved by ${duration(to_ms - from_ms)}`;
  if (fired.length === 0) return `${moved}; nothing happened.`;
  const first = fired.slice(0, 3).map(({ kind, ref, outcome }) => `${kind} ${ref}: ${outcome}`);
  const more = fired.length > 3 ? `, and ${plural(fired.length - 3, 'more thing')}` : '';
  return `${moved}; ${first.join(', ')}${more}.`;
}
