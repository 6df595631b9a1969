// Webhooks to this machine: the forwards of the command line, and the subscription of
// `--forward-to`.
import type { Command } from 'commander';
import type { Forward } from '../../../fixtures/config.ts';
import type { WorldFixture } from '../../../fixtures/worlds.ts';
import type { Subscription } from '../../../simulator/core/records.ts';
import type { Sandbox } from '../../../simulator/host/world/sandbox.ts';
import type { WorldHost } from '../../../simulator/host/world/world-host.ts';
import { refuseUsage } from '../command-io.ts';
import type { ReadyEvent } from './ready.ts';

/** Nobody has this name (RFC 2606); what is delivered to it goes to the receiver that was named. */
const origin = 'https://receiver.example';
const url = `${origin}/`;

/** One more `--forward ORIGIN=URL`, or the end of the program with exit code 2. */
export function parseForward(command: Command, text: string): Forward {
  const at = text.indexOf('=');
  const from = text.slice(0, Math.max(0, at));
  const to = text.slice(at + 1);
  const example = 'https://hooks.example.com=http://localhost:3000/hooks';
  if (at < 0) refuseUsage(command, `--forward: give ORIGIN=URL, such as ${example}`);
  if (!/^https:\/\/[^/?#@\s]+\/?$/i.test(from) || !URL.canParse(from)) {
    refuseUsage(command, `--forward: "${from}" is no https origin; give one as in ${example}`);
  }
  return { from: new URL(from).origin, to: parseReceiver(command, '--forward', to) };
}

/** The URL of a receiver, or the end of the program with exit code 2. */
export function parseReceiver(command: Command, option: string, text: string): string {
  if (/^https?:\/\/[^/\s]/i.test(text) && URL.canParse(text)) {
    const { username, password } = new URL(text);
    if (username === '' && password === '') return text;
    refuseUsage(command, `${option}: give a URL without a user name and password`);
  }
  const example = 'http://localhost:3000/hooks';
  return refuseUsage(command, `${option}: "${text}" is no URL; give one such as ${example}`);
}

const categories = ['account', 'order', 'position', 'transaction'] as const;

/** The starting world with a subscription to everything that happens at its first firm. */
export function withReceiver(fixture: WorldFixture): WorldFixture {
  const firm = fixture.firms[0]?.id ?? '1';
  const subscription = { firm_id: firm, url, event_categories: categories, ago: '0s' };
  return { ...fixture, subscriptions: [...(fixture.subscriptions ?? []), subscription] };
}

export const forwardToReceiver = (to: string): Forward => ({ from: origin, to });

/**
 * Sees to it that a world, even one that was loaded, does with webhooks what the configuration and
 * the command line say. Answers the subscription of `--forward-to`, for the ready event.
 */
export function connectReceiver(
  { first, options }: Sandbox,
  forwardTo: string | undefined,
): ReadyEvent['subscription'] {
  const allowLocalWebhooks = options.allowLocalWebhooks ?? false;
  first.world.options = { ...first.world.options, allowLocalWebhooks };
  // No act: what is due in a loaded world would be sent before the act is come to.
  for (const { from, to } of options.forwards ?? []) first.world.forwards.set(from, to);
  if (forwardTo === undefined) return null;
  const { id, secret } = findReceiver(first) ?? makeReceiver(first);
  return { id, url, secret, forwards_to: forwardTo };
}

function findReceiver({ world }: WorldHost): Subscription | undefined {
  return [...world.subscriptions.values()].find((one) => one.url === url && !one.disabled);
}

function makeReceiver(host: WorldHost): Subscription {
  const [firm] = host.world.firms.keys();
  host.act('makeSubscription', { firm_id: firm ?? '1', url, event_categories: categories });
  const made = findReceiver(host);
  if (made === undefined) throw new Error('the receiver of --forward-to could not be made');
  return made;
}
