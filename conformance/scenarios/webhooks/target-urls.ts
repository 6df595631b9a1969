// HOOK: where a subscription may point: to https, and to public addresses alone.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
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
  disableSubscription,
  isRefused,
  UNTRIGGERED_CATEGORIES,
} from '../support/subscription-assertions.ts';
import { observeRefused } from './open-refusals.ts';

const hookScheme: Scenario = {
  id: 'hook-scheme',
  title: 'A url that does not begin with https:// is refused',
  rules: ['HOOK-7'],
  observes: ['NS-23'],
  needs: ['public_url'],
  lane: 'own_world',
  async run(t) {
    const url = t.has('dns') ? await urlOfName(t) : await t.given.subscribable();
    await disableSubscription(t, await t.control('the url with https://', () => subscribe(t, url)));
    const rest = url.replace(/^https:/, '');
    const bare = rest.slice(2);
    for (const wrong of [
      `http:${rest}`,
      `HTTP:${rest}`,
      `ftp:${rest}`,
      `wss:${rest}`,
      rest,
      bare,
      '',
    ]) {
      const refused = await subscribe(t, wrong);
      t.expect('HOOK-7', refused).is(`refused: "${wrong}"`, isRefused(refused));
      await observeRefused(t, refused);
    }
  },
};

/** A name that is public under every scheme: a forward is one of an https origin alone. */
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
    await disableSubscription(t, await t.control('a public url', () => subscribe(t, url)));
    for (const { words, hosts } of ALTERNATIVE_SPELLINGS) {
      const tried = await tryAll(t, hosts, (host) => subscribe(t, `https://${host}/hooks`));
      expectAllRefused(t, words, tried);
    }
    // What a target would send to it must reach no other host: only in a world of the run's own.
    if (!t.has('dns')) return;
    const nowhere = `https://${t.fresh.reference()}.invalid/hooks`;
    const answer = await subscribe(t, nowhere);
    const taken = answer.status < 300;
    t.observe('NS-23', `a name that does not resolve: ${taken ? 'accepted' : answer.summary}`, {
      unresolvable_webhook_host: taken ? 'accepted' : 'refused',
    });
    await disableSubscription(t, answer);
  },
};

const hookAddresses: Scenario = {
  id: 'hook-addresses',
  title: 'A name is refused when one address it resolves to is not public',
  rules: ['HOOK-8'],
  needs: ['dns'],
  lane: 'own_world',
  async run(t) {
    const name = t.fresh.reference();
    const host = `${name}.example.com`;
    const at = async (addresses: readonly string[], spelling = host) => {
      await t.operator.resolve(host, addresses);
      return subscribe(t, `https://${spelling}/hooks`);
    };
    await disableSubscription(
      t,
      await t.control('a name with a public address', () => at([PUBLIC])),
    );
    for (const { words, addresses } of NOT_PUBLIC) {
      expectAllRefused(t, words, await tryAll(t, addresses, (each) => at([each])));
    }
    const spellings = [host.toUpperCase(), `${host}.`, `${host}:8443`];
    const spelt = await tryAll(t, spellings, (each) => at(['10.0.0.1'], each));
    expectAllRefused(t, 'private, the name in another spelling', spelt);

    const named = await tryAll(t, METADATA_NAMES, async (each) => {
      await t.operator.resolve(each, ['169.254.169.254']);
      return subscribe(t, `https://${each}/hooks`);
    });
    expectAllRefused(t, 'cloud metadata by its name', named);

    const mixed = await tryAll(t, MIXED, (each) => at(each));
    expectAllRefused(t, 'one of several addresses', mixed);

    const open = await at(PUBLIC_NEIGHBOURS);
    const words = `taken: a name with public addresses alone (${PUBLIC_NEIGHBOURS.join(', ')})`;
    t.expect('HOOK-8', open).is(words, open.status < 300);
    await disableSubscription(t, open);

    for (const { words: kind, addresses } of HARDLY_PUBLIC) {
      for (const address of addresses) {
        const answer = await at([address]);
        t.advise('HOOK-8', answer).is(`refused as ${kind}: ${address}`, isRefused(answer));
        await disableSubscription(t, answer);
      }
    }
  },
};

interface Tried {
  readonly what: string;
  readonly answer: Answer;
}

async function tryAll<T extends string | readonly string[]>(
  t: ScenarioContext,
  all: readonly T[],
  send: (each: T) => Promise<Answer>,
): Promise<Tried[]> {
  const tried: Tried[] = [];
  for (const each of all) {
    const answer = await send(each);
    tried.push({ what: typeof each === 'string' ? each : `[${each.join(', ')}]`, answer });
    await disableSubscription(t, answer);
  }
  return tried;
}

/** One finding for a kind of address, however many of it are let through. */
function expectAllRefused(t: ScenarioContext, kind: string, tried: readonly Tried[]): void {
  const through = tried.filter(({ answer }) => !isRefused(answer));
  const words = `refused as ${kind}: ${tried.map(({ what }) => what).join(', ')}`;
  const actual = through.map(({ what, answer }) => `${what}: ${answer.summary}`).join(', ');
  const shown = through.length === 0 ? tried : through;
  t.claim('HOOK-8', words, through.length === 0, actual, ...shown.map(({ answer }) => answer));
}

/** To the category that causes the fewest events, should it be taken. */
function subscribe(t: ScenarioContext, url: string): Promise<Answer> {
  return t.api.createWebhook({ url, event_categories: [...UNTRIGGERED_CATEGORIES] });
}

export const webhookTargetScenarios: readonly Scenario[] = [
  hookScheme,
  hookSpellings,
  hookAddresses,
];
