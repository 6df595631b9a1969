// What hostnames resolve to, and where deliveries for an origin go instead.
import { evolve } from '../evolve.ts';
import { parseAddress } from '../values/address.ts';
import { type CommandContext, type CommandOutcome, done, refused } from './command.ts';

export interface SetName {
  readonly hostname: string;
  /** null: the system's resolver again. */
  readonly addresses: readonly string[] | null;
}

export function setName({ world }: CommandContext, args: SetName): CommandOutcome {
  const hostname = parseHostname(args.hostname);
  if (hostname === null) return refused('hostname', `${args.hostname} is not a hostname`);
  const wrong = args.addresses?.find((address) => parseAddress(address) === null);
  if (wrong !== undefined) return refused('addresses', `${wrong} is not an IP address`);
  if (args.addresses === null && !world.names.has(hostname)) {
    return refused('hostname', `nothing was set for ${hostname}`, 404);
  }
  evolve(world, [{ type: 'name-set', hostname, addresses: args.addresses }]);
  return done({ hostname, addresses: args.addresses });
}

/** As a webhook url spells it: lower case, international names in their ASCII form, no last dot. */
function parseHostname(text: string): string | null {
  const url = `https://${text}`;
  if (!/^[^\s/?#@:[\]\\]+$/.test(text) || !URL.canParse(url)) return null;
  const hostname = new URL(url).hostname.replace(/\.$/, '');
  // An address is no name: nothing resolves it.
  return hostname === '' || parseAddress(hostname) !== null ? null : hostname;
}

export interface SetForward {
  readonly from: string;
  readonly to: string | null;
}

export function setForward({ world }: CommandContext, args: SetForward): CommandOutcome {
  if (!/^https:\/\/[^/?#@\s]+\/?$/i.test(args.from) || !URL.canParse(args.from)) {
    return refused('from', 'must be an https origin such as https://hooks.example.com');
  }
  const from = new URL(args.from).origin;
  if (args.to !== null && (!/^https?:\/\//i.test(args.to) || !URL.canParse(args.to))) {
    return refused('to', 'must be a URL such as http://127.0.0.1:9000/hooks');
  }
  if (args.to === null && !world.forwards.has(from)) {
    return refused('from', `nothing is forwarded from ${from}`, 404);
  }
  evolve(world, [{ type: 'forward-set', from, to: args.to }]);
  return done({ from, to: args.to });
}
