// What a world still has to do, in words for a test that waits in vain.
import { nextTimer } from '../core/fire-timer.ts';
import type { TimerKind } from '../core/timers.ts';
import type { WorldHost } from '../host/world/world-host.ts';

const subjects: Readonly<Record<TimerKind, string>> = {
  settle: 'the settlement of transaction',
  deliver: 'the next attempt of delivery',
  wake: 'the delayed request',
  answer: 'the delayed response to request',
  piece: 'the next part of the response to request',
  abandon: 'the end of the attempt of request',
};

/** What is due next and by which clock, and which failed delivery holds later events back. */
export function describePending(host: WorldHost): readonly string[] {
  const lines: string[] = [];
  const due = nextTimer(host.world);
  if (due !== null) {
    const nowMs = Math.max(host.clock.nowMs(), host.world.nowMs);
    const when = `${subjects[due.kind]} ${due.ref} is due in ${Math.max(0, due.dueAtMs - nowMs)} ms`;
    const isFrozen = host.clock.mode === 'frozen';
    lines.push(isFrozen ? `${when} and the clock is frozen: advance it` : when);
  }
  for (const { id, url, stopped } of host.world.subscriptions.values()) {
    if (stopped)
      lines.push(`deliveries to ${url} (subscription ${id}) stopped after the last attempt`);
  }
  for (const { id, status, attempts, seq } of host.world.deliveries.values()) {
    const last = attempts.at(-1);
    if (status !== 'pending' || last === undefined || last.status === null) continue;
    lines.push(
      `delivery ${id} of event ${seq} was answered ${last.status}: later events wait until it succeeds`,
    );
  }
  return lines.slice(0, 5);
}
