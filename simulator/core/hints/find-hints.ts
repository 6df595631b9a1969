// The hints on one call, found when it is journalled, at the cost of a look at its members.
import type { Reply } from '../call.ts';
import type { JournalEntry } from '../journal.ts';
import type { RequestContext } from '../pipeline/request-context.ts';
import { methodsAt } from '../pipeline/route.ts';
import { hintEarly, hintTokens, rememberLimit } from './callers.ts';
import { hintBodyAndKey, hintMembers, hintParameters } from './ignored.ts';
import { hintOutcome } from './outcomes.ts';
import { type Hint, noHints } from './register.ts';
import { quoteText } from './show-value.ts';
import { hintUnlikeFirst } from './unlike-first.ts';

/**
 * `reply` is null where it was lost or is late; `before` is the entry of a call that was suspended,
 * and runs only now.
 */
export function findHints(
  context: RequestContext,
  reply: Reply | null,
  before: JournalEntry | undefined,
): readonly Hint[] {
  const hints: Hint[] = [];
  if (context.operation === null) hintPath(context, hints);
  else if (context.firstCall !== null) {
    const unlike = hintUnlikeFirst(context);
    if (unlike !== null) hints.push(unlike);
    hintEarly(context, hints);
  } else {
    hintMembers(context, hints);
    hintParameters(context, hints);
    hintBodyAndKey(context, hints);
    hintOutcome(context, reply, hints);
    hintTokens(context, reply, hints);
    hintEarly(context, hints);
  }
  if (reply?.status === 429) rememberLimit(context, reply);
  if (before === undefined || before.hints.length === 0) return hints.length > 0 ? hints : noHints;
  const found = new Set(hints.map(({ code }) => code));
  return [...before.hints.filter(({ code }) => !found.has(code)), ...hints];
}

/** NS-31: `/accounts`, `/v1/accounts` and `/api/v1/accounts/` all mean the same. */
function hintPath(context: RequestContext, hints: Hint[]): void {
  const { path, behaviour, call } = context;
  const segments = path.split('/').filter((segment) => segment !== '');
  if (segments.length > 8) return;
  if (segments[0]?.toLowerCase() === 'api') segments.shift();
  if (/^v\d+$/i.test(segments[0] ?? '')) segments.shift();
  const [first = '', ...rest] = segments;
  const plain = first.toLowerCase();
  for (const name of [first, plain, `${plain}s`]) {
    const meant = `/api/v1/${[name, ...rest].join('/')}`;
    const methods = meant === path ? [] : methodsAt(behaviour.table, meant);
    if (methods.length === 0) continue;
    const takes = methods.includes(call.method) ? '' : `, which takes ${methods.join(' and ')}`;
    hints.push({
      code: 'path_beside_api',
      words: `Did you mean ${quoteText(meant).slice(1, -1)}${takes}? The API lives under /api/v1.`,
    });
    return;
  }
}
