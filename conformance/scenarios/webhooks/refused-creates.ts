// HOOK-7, HOOK-8, HOOK-9: subscriptions that are refused for their URL or their categories.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import { CATEGORIES_QUIET_FIRST } from '../../spec/event-categories.ts';
import {
  ALTERNATIVE_SPELLINGS,
  HARDLY_PUBLIC,
  METADATA_NAMES,
  MIXED,
  NOT_PUBLIC,
  PUBLIC,
  PUBLIC_NEIGHBOURS,
} from '../support/addresses.ts';
import {
  categories,
  disableSubscription,
  isRefused,
  UNTRIGGERED_CATEGORIES,
} from '../support/subscription-assertions.ts';

/** Creates a subscription, which is disabled again at once. */
async function tryToSubscribe(
  t: ScenarioContext,
  url: string,
  names: readonly string[] = UNTRIGGERED_CATEGORIES,
): Promise<Answer> {
  const answer = await t.api.createWebhook({ url, event_categories: [...names] });
  await disableSubscription(t, answer);
  return answer;
}

function expectRefused(t: ScenarioContext, rule: RuleId, value: Json, answer: Answer): void {
  const refused = isRefused(answer);
  t.expect(rule, answer).is(`refused: ${JSON.stringify(value)}`, refused);
  if (!refused) return;
  t.observe('NS-23', answer.summary, { webhook_refusal_status: answer.status });
}

const hookScheme: Scenario = {
  id: 'hook-scheme',
  title: 'A url that does not begin with https:// is refused',
  rules: ['HOOK-7'],
  observes: ['NS-23'],
  needs: ['public_url'],
  lane: 'own_world',
  async run(t) {
    const url = t.has('dns') ? await urlOfName(t) : await t.given.subscribable();
    await t.control('the url with https://', () => tryToSubscribe(t, url));
    const rest = url.replace(/^https:/, '');
    const otherSchemes = ['http:', 'HTTP:', 'ftp:', 'wss:'].map((scheme) => scheme + rest);
    for (const wrong of [...otherSchemes, rest, rest.slice(2), '']) {
      expectRefused(t, 'HOOK-7', wrong, await tryToSubscribe(t, wrong));
    }
  },
};

/** A name that is public under every scheme; a forward covers an https origin only. */
async function urlOfName(t: ScenarioContext): Promise<string> {
  const host = `${t.fresh.reference()}.example.com`;
  await t.operator.resolve(host, [PUBLIC]);
  return `https://${host}/hooks`;
}

const hookSpellings: Scenario = {
  id: 'hook-spellings',
  title: 'An address that is not public is refused in every spelling',
  rules: ['HOOK-8'],
  observes: ['NS-23'],
  needs: ['public_url'],
  lane: 'own_world',
  async run(t) {
    const url = await t.given.subscribable();
    await t.control('a public url', () => tryToSubscribe(t, url));
    for (const { words, hosts } of ALTERNATIVE_SPELLINGS) {
      await expectAllRefused(t, words, hosts, (host) => tryToSubscribe(t, `https://${host}/hooks`));
    }
    // In a shared world the target would send real events to that host.
    if (!t.has('dns')) return;
    const nowhere = `https://${t.fresh.reference()}.invalid/hooks`;
    const answer = await tryToSubscribe(t, nowhere);
    const taken = answer.status < 300;
    t.observe('NS-23', `a name that does not resolve: ${taken ? 'accepted' : answer.summary}`, {
      unresolvable_webhook_host: taken ? 'accepted' : 'refused',
    });
  },
};

const hookAddresses: Scenario = {
  id: 'hook-addresses',
  title: 'A name is refused when one address it resolves to is not public',
  rules: ['HOOK-8'],
  needs: ['dns'],
  lane: 'own_world',
  async run(t) {
    const host = `${t.fresh.reference()}.example.com`;
    const at = async (addresses: readonly string[], name = host) => {
      await t.operator.resolve(name, addresses);
      return tryToSubscribe(t, `https://${name}/hooks`);
    };
    await t.control('a name with a public address', () => at([PUBLIC]));
    for (const { words, addresses } of NOT_PUBLIC) {
      await expectAllRefused(t, words, addresses, (each) => at([each]));
    }
    const spellings = [host.toUpperCase(), `${host}.`, `${host}:8443`];
    await t.operator.resolve(host, ['10.0.0.1']);
    await expectAllRefused(t, 'private, the name in another spelling', spellings, (each) =>
      tryToSubscribe(t, `https://${each}/hooks`),
    );
    await expectAllRefused(t, 'cloud metadata by its name', METADATA_NAMES, (each) =>
      at(['169.254.169.254'], each),
    );
    await expectAllRefused(t, 'one of several addresses', MIXED, (each) => at(each));

    const open = await at(PUBLIC_NEIGHBOURS);
    const words = `accepted: a name with only public addresses (${PUBLIC_NEIGHBOURS.join(', ')})`;
    t.expect('HOOK-8', open).is(words, open.status < 300);
    for (const { words: kind, addresses } of HARDLY_PUBLIC) {
      for (const address of addresses) {
        const answer = await at([address]);
        t.advise('HOOK-8', answer).is(`refused as ${kind}: ${address}`, isRefused(answer));
      }
    }
  },
};

/** One finding for each kind of address, however many of them are accepted. */
async function expectAllRefused<T extends string | readonly string[]>(
  t: ScenarioContext,
  kind: string,
  all: readonly T[],
  send: (each: T) => Promise<Answer>,
): Promise<void> {
  const tried: { readonly what: string; readonly answer: Answer }[] = [];
  for (const each of all) {
    const what = typeof each === 'string' ? each : `[${each.join(', ')}]`;
    tried.push({ what, answer: await send(each) });
  }
  const accepted = tried.filter(({ answer }) => !isRefused(answer));
  const words = `refused as ${kind}: ${tried.map(({ what }) => what).join(', ')}`;
  const actual = accepted.map(({ what, answer }) => `${what}: ${answer.summary}`).join(', ');
  const shown = accepted.length === 0 ? tried : accepted;
  t.claim('HOOK-8', words, accepted.length === 0, actual, ...shown.map(({ answer }) => answer));
}

const NO_CATEGORY = [[], ['deal'], ['deal', 'quote'], ['orders'], ['']];

const hookCategories: Scenario = {
  id: 'hook-categories',
  title: 'event_categories lists one or more of four names; none of them is refused',
  rules: ['HOOK-9'],
  observes: ['NS-23', 'NS-45', 'NS-53'],
  needs: ['public_url'],
  lane: 'own_world',
  async run(t) {
    const url = await t.given.subscribable();
    const all = CATEGORIES_QUIET_FIRST;
    const lists = [...all.map((each) => [each]), [...all]];
    const answers: Answer[] = [];
    for (const names of lists) answers.push(await tryToSubscribe(t, url, names));
    // If every list is refused, the reason is not its categories.
    const named = lists[answers.findIndex((each) => !isRefused(each))] ?? [...all];
    await t.control(`a subscription to ${named}`, () => tryToSubscribe(t, url, named));
    for (const [nth, names] of lists.entries()) {
      const made = answers[nth]!;
      const shown = made.at('event_categories');
      // HOOK-2 judges that it is an array.
      const asAsked = !Array.isArray(shown) || categories(names).test(shown);
      t.expect('HOOK-9', made)
        .status(201, 200)
        .is(`with ${names.join(', ')}`, asAsked);
    }
    for (const names of NO_CATEGORY) {
      expectRefused(t, 'HOOK-9', names, await tryToSubscribe(t, url, names));
    }
    const mixed = await tryToSubscribe(t, url, ['order', 'deal']);
    t.observe('NS-53', `["order", "deal"]: ${mixed.summary}`, {
      unknown_categories: isRefused(mixed) ? 'refused' : 'left_out',
    });
    const odd = await t.api.getWebhook('abc');
    t.observe('NS-45', `a webhook id "abc" in the path: ${odd.summary}`, {
      path_id_status: odd.status,
    });
  },
};

export const refusedWebhookScenarios: readonly Scenario[] = [
  hookScheme,
  hookSpellings,
  hookAddresses,
  hookCategories,
];
