// The clock, always in sight: what time it is in the world, what is due, and how to let time pass.
import { useEffect, useState } from 'preact/hooks';
import type { Advanced, ClockShown } from '../api-client/answers.ts';
import { Button, Select } from '../components/components.tsx';
import { clockTime, dayOf, duration, plural, until } from '../format.ts';
import { type CommandState, useCommand, useLive, useVersion } from '../live/use-world.ts';

const hourMs = 3_600_000;
/** How often a running clock is drawn. */
const drawMs = 250;

function useNow(): number {
  const live = useLive();
  useVersion(live);
  const [, setTurn] = useState(0);
  const running = live.clock?.mode === 'real';
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setTurn((turn) => turn + 1), drawMs);
    return () => clearInterval(timer);
  }, [running]);
  return live.nowMs();
}

/** What is due changes with what happens, and the stream tells of the clock only when it moves. */
function useDue(): ClockShown | null {
  const live = useLive();
  const version = useVersion(live);
  const [clock, setClock] = useState<ClockShown | null>(live.clock);
  useEffect(() => {
    const timer = setTimeout(() => {
      live.plane.get<ClockShown>('clock').then(setClock, () => undefined);
    }, 150);
    return () => clearTimeout(timer);
  }, [live, version]);
  return clock;
}

export function ClockBar() {
  const live = useLive();
  const nowMs = useNow();
  const due = useDue();
  const command = useCommand();
  const [told, setTold] = useState('');
  const advance = (body: object) =>
    command.run(async () => {
      const advanced = await live.plane.send<Advanced>('POST', 'clock/advance', body);
      setTold(tell(advanced));
    });
  const mode = live.clock?.mode ?? 'real';
  const nextMs = due?.next_due_ms ?? null;
  return (
    <section class="clock" aria-label="Clock">
      <p class="clock-now">
        <time dateTime={new Date(nowMs).toISOString()}>
          <span class="clock-day">{dayOf(nowMs)}</span> {clockTime(nowMs).slice(0, 8)}
        </time>
        <span class={`mode ${mode}`}>{modeWords(mode, live.clock?.speed ?? 1)}</span>
      </p>
      <p class="clock-due">
        {nextMs === null ? 'nothing is due' : `next due ${until(nextMs, nowMs)}`}
      </p>
      <ClockButtons command={command} advance={advance} nextMs={nextMs} mode={mode} />
      <p class="clock-told" role="status">
        {command.problem ?? told}
      </p>
    </section>
  );
}

const speeds = [1, 10, 60, 3600];

/** Every time and every timetable with it: retries, settlement, tokens, limits. */
function SpeedChoice({
  command,
  speed,
}: {
  readonly command: CommandState;
  readonly speed: number;
}) {
  const live = useLive();
  const set = (value: string) =>
    command.run(() => live.plane.send('PUT', 'clock', { mode: 'real', speed: Number(value) }));
  const offered = speeds.includes(speed) ? speeds : [...speeds, speed];
  return (
    <Select
      label="Speed"
      quiet
      value={String(speed)}
      options={offered.map((each) => [String(each), `× ${each}`])}
      onChange={(value) => void set(value)}
    />
  );
}

interface ClockButtonsProps {
  readonly command: CommandState;
  readonly advance: (body: object) => void;
  readonly nextMs: number | null;
  readonly mode: 'real' | 'frozen';
}

function ClockButtons({ command, advance, nextMs, mode }: ClockButtonsProps) {
  const live = useLive();
  const other = mode === 'frozen' ? 'real' : 'frozen';
  const set = () => command.run(() => live.plane.send('PUT', 'clock', { mode: other }));
  const steps = [
    ['+1 s', 'Advance by a second', 1000],
    ['+30 s', 'Advance by 30 seconds', 30_000],
    ['+1 h', 'Advance by an hour', hourMs],
    ['+1 d', 'Advance by a day', 24 * hourMs],
  ] as const;
  return (
    <fieldset class="clock-buttons">
      <legend class="heard">Let time pass</legend>
      <Button
        onClick={() => advance({ to_next: true })}
        disabled={command.busy || nextMs === null}
        label="to next: Advance to what is due"
        look="main"
      >
        to next
      </Button>
      {steps.map(([words, label, byMs]) => (
        <Button
          key={words}
          onClick={() => advance({ by_ms: byMs })}
          disabled={command.busy}
          label={`${words}: ${label}`}
        >
          {words}
        </Button>
      ))}
      <Button onClick={() => void set()} disabled={command.busy} label={freezeLabel(mode)}>
        {mode === 'frozen' ? 'run' : 'freeze'}
      </Button>
      {mode === 'real' ? <SpeedChoice command={command} speed={live.clock?.speed ?? 1} /> : null}
    </fieldset>
  );
}

function modeWords(mode: 'real' | 'frozen', speed: number): string {
  if (mode === 'frozen') return 'frozen';
  return speed === 1 ? 'running' : `running × ${speed}`;
}

function freezeLabel(mode: 'real' | 'frozen'): string {
  return mode === 'frozen' ? 'Let the clock run' : 'Freeze the clock';
}

function tell({ from_ms, to_ms, fired }: Advanced): string {
  const moved = to_ms === from_ms ? 'Nothing was due' : `Moved by ${duration(to_ms - from_ms)}`;
  if (fired.length === 0) return `${moved}; nothing happened.`;
  const said = fired.slice(0, 3).map(({ kind, ref, outcome }) => `${kind} ${ref}: ${outcome}`);
  const more = fired.length > 3 ? `, and ${plural(fired.length - 3, 'more thing')}` : '';
  return `${moved}; ${said.join(', ')}${more}.`;
}
