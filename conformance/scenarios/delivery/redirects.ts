// EVT-9a: a redirect is an answer like any other that is no 2xx: a failure, and not followed,
// wherever it leads.
import type { RecordedDelivery } from '../../engine/record/delivery-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Scenario } from '../../engine/types.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { retrying, UNTOLD } from './is-retried.ts';

const STATUSES = [301, 302, 303, 307, 308];

interface Destination {
  readonly words: string;
  readonly location: string;
}

const evtRedirects: Scenario = {
  id: 'evt-redirects',
  title: 'A redirect is a failure and not followed, to another place or to the same, near or far',
  rules: ['EVT-9a'],
  needs: ['receiver', 'clock'],
  lane: 'own_world',
  async run(t) {
    const [hook, elsewhere] = [await t.receiver(), await t.receiver()];
    await t.given.webhook(hook, ['account']);
    const isRetried = retrying(t, hook);
    if (!(await isRetried(() => ({ status: 502 })))) return t.notTested('EVT-9a', UNTOLD);
    let count = 0;
    for (const status of STATUSES) {
      for (const { words, location } of destinations(hook, elsewhere)) {
        count += 1;
        const mark = `moved-${count}-${status}`;
        const moved = `${location}${location.includes('?') ? '&' : '?'}${mark}`;
        const retried = await isRetried(({ url }) =>
          // Whoever follows it is content with what is found there.
          url.includes(mark) ? { status: 200 } : { status, headers: { location: moved } },
        );
        const all = [
          ...(await t.deliveriesAt(hook, 0, 0)),
          ...(await t.deliveriesAt(elsewhere, 0, 0)),
        ];
        expectNotFollowed(
          t,
          `${status} ${words}`,
          all.filter(({ url }) => url.includes(mark)),
        );
        const expected = `a redirect ${status} ${words} is a failure: the event comes again`;
        t.claim('EVT-9a', expected, retried, 'it did not', ...all.slice(-1));
      }
    }
  },
};

/** As a server may write them; each leads to one of the two hooks, should anybody follow. */
function destinations(hook: WebhookEndpoint, elsewhere: WebhookEndpoint): Destination[] {
  const name = (url: string) => new URL(url).pathname.split('/').at(-1) ?? '';
  return [
    { words: 'to another path', location: name(elsewhere.url) },
    { words: 'to a whole URL', location: elsewhere.url },
    { words: 'to a whole URL near by', location: elsewhere.localUrl },
    { words: 'to its own URL', location: hook.localUrl },
    { words: 'to a path below its own', location: `/${name(hook.url)}/further` },
  ];
}

function expectNotFollowed(
  t: ScenarioContext,
  words: string,
  followed: readonly RecordedDelivery[],
): void {
  const actual = followed.map(({ method, url }) => `${method} ${url}`).join(', ');
  t.claim('EVT-9a', `a redirect ${words} not followed`, followed.length === 0, actual, ...followed);
}

export const redirectScenarios: readonly Scenario[] = [evtRedirects];
