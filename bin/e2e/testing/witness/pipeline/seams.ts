// What traits and defects make of a decision.
import type { Reply } from '../records.ts';
import type { Context } from '../types.ts';

export function afterSeams(context: Context, reply: Reply): Reply {
  return context.world.seams.reduce((each, { after }) => after?.(context, each) ?? each, reply);
}
