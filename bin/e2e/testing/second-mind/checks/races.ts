// Calls that are under way at once, for defects that show only then: each write then waits a little
// between its checks of the key and its run.
import { defects } from '../defects.ts';
import type { SecondMind } from '../mind.ts';
import type { RequestContext } from '../request-context.ts';

/** Long enough for calls that are sent together to meet. */
export const PAUSE_MS = 12;

export function isRacing(mind: SecondMind): boolean {
  return mind.defects.some((id) => defects.find((each) => each.id === id)?.kind === 'race');
}

export function enter(ctx: RequestContext): void {
  for (const each of ctx.mind.underway) {
    each.overlaps.push(ctx);
    ctx.overlaps.push(each);
  }
  ctx.mind.underway.push(ctx);
}

export function leave(ctx: RequestContext): void {
  const { underway } = ctx.mind;
  const at = underway.indexOf(ctx);
  if (at >= 0) underway.splice(at, 1);
}

/** Whether another call of one of these operations was under way at the same time. */
export function meets(ctx: RequestContext, ...operations: string[]): boolean {
  return ctx.overlaps.some((each) => operations.includes(each.operation.name));
}
