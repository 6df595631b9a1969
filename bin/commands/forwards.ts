// Webhooks to this machine: the forwards of the command line, and the subscription of
// `--forward-to`.
import type { Command } from 'commander';
import type { Forward } from '../../fixtures/config.ts';
import type { WorldFixture } from '../../fixtures/worlds.ts';
import type { WorldHost } from '../../simulator/host/world-host.ts';
import type { ReadyEvent } from './ready.ts';
import { refuseUsage } from './webhooks-io.ts';

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

/** The starting world with a subscription to everything that happens at its first firm. */
export function withReceiver(fixture: WorldFixture): WorldFixture {
  const subscription = {
    firm_id: fixture.firms[0]?.id ?? '1',
    url,
    event_categories: ['account', 'order', 'position', 'transaction'],
    ago: '0s',
  } as const;
  return { ...fixture, subscriptions: [...(fixture.subscriptions ?? []), subscription] };
}

export const receiverForward = (to: string): Forward => ({ from: origin, to });

/** The subscription of `--forward-to` in a world, for the ready event; null when there is none. */
export function findReceiver({ world }: WorldHost, to: string): ReadyEvent['subscription'] {
  const found = [...world.subscriptions.values()].find((one) => one.url === url && !one.disabled);
  if (found === undefined) return null;
  return { id: found.id, url, secret: found.secret, forwards_to: to };
}
