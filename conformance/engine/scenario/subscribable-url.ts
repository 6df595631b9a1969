// A url to subscribe with where no receiver of our own can be reached: one that the target takes,
// and that is nobody else's.
import type { Target } from '../../providers/target.ts';
import type { Answer } from '../send/answer.ts';
import type { ScenarioSession } from './scenario-session.ts';

const found = new WeakMap<Target, Promise<string | undefined>>();

/**
 * The tester's own url first, then the target's own host, then the one that is set apart for
 * examples. What the target resolves, and to which addresses, cannot be known from here: only one
 * that is taken can serve as a control.
 */
export function findSubscribable(
  session: ScenarioSession,
  target: Target,
): Promise<string | undefined> {
  const known = found.get(target);
  if (known !== undefined) return known;
  const finding = firstTaken(session, target);
  found.set(target, finding);
  // A search that was cut short says nothing to the next scenario.
  finding.catch(() => found.delete(target));
  return finding;
}

async function firstTaken(session: ScenarioSession, target: Target): Promise<string | undefined> {
  const own = new URL(target.baseUrl);
  const candidates = ['https://example.com/conformance'];
  if (own.protocol === 'https:') candidates.unshift(`${own.origin}/conformance-deliveries`);
  if (target.ownUrl !== undefined) candidates.unshift(target.ownUrl);
  for (const url of candidates) {
    const body = { url, event_categories: ['order'] };
    const made = await session.sendUntilAnswered('a url to subscribe with', () =>
      session.api.createWebhook(body),
    );
    const id = made.at('id');
    if (made.status < 300 && (typeof id === 'number' || typeof id === 'string')) {
      await session.api.disableWebhook(id);
    }
    if (!refusesUrl(made)) return url;
  }
  return undefined;
}

/**
 * NS-23: with which status is open. A missing scope, or a key that is asked for, is not about it.
 */
function refusesUrl({ status, code }: Answer): boolean {
  const other = status === 401 || status === 403 || status === 404 || status === 405;
  return status >= 400 && !other && code !== 'idempotency_key_required';
}
