// Decides which requests over a socket are served, by their `Host` and `Origin`: with DNS
// rebinding, a web page of another site can reach this machine under its own name.
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { type ControlReply, problem } from '../control/reply.ts';
import { bareHost, isLoopbackHost } from '../host/delivery/loopback.ts';

export interface GuardOptions {
  /** The bound address. */
  readonly host?: string;
  /** Host names that are accepted in addition to the loopback names and the bound address. */
  readonly allowHosts?: readonly string[];
  /** Origins whose pages may open the events channel. */
  readonly allowOrigins?: readonly string[];
}

/** Bound to every address, the sandbox has no single host name; addresses cannot be rebound. */
const everyAddress = ['0.0.0.0', '::'];

export class Guard {
  readonly #names: ReadonlySet<string>;
  readonly #anyAddress: boolean;
  readonly #origins: readonly string[];

  constructor({ host = '127.0.0.1', allowHosts = [], allowOrigins = [] }: GuardOptions = {}) {
    this.#names = new Set([host, ...allowHosts].map(bareHost));
    this.#anyAddress = everyAddress.includes(bareHost(host));
    this.#origins = allowOrigins;
  }

  /** The refusal of a request because of its `Host`; null when it is accepted. */
  refuseHost(
    { host }: IncomingHttpHeaders,
    rawHeaders: readonly string[] = [],
  ): ControlReply | null {
    if (hasTwoHosts(rawHeaders)) return problem(400, 'A request has one Host header.');
    const place = parsePlace(host ?? '');
    return place !== null && this.#isOurs(place.host) ? null : refuseName(place?.host);
  }

  #isOurs(host: string): boolean {
    const name = bareHost(host);
    if (isLoopbackHost(host) || this.#names.has(name)) return true;
    return this.#anyAddress && isIP(name) !== 0;
  }

  /** The refusal of a page on the control plane; null for our own pages and other programs. */
  refusePage(headers: IncomingHttpHeaders): ControlReply | null {
    if (!isFromElsewhere(headers) && isOwnOrigin(headers)) return null;
    return problem(403, 'A page from another origin may not use the control plane.');
  }

  /** The refusal of a page on the events channel; null for our own pages and other programs. */
  refuseFollower(headers: IncomingHttpHeaders): ControlReply | null {
    const { origin } = headers;
    if (isOwnOrigin(headers) || this.#origins.includes(String(origin).toLowerCase())) return null;
    const remedy = 'start the sandbox with --allow-origin and its origin to let it';
    return problem(403, `A page from another origin may not follow the events; ${remedy}.`);
  }
}

/** With two hosts, each proxy on the way may use another one. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') found += 1;
  }
  return found > 1;
}

/**
 * A browser sends no Origin with most reads, but it does send Sec-Fetch headers. A user who follows
 * a link from another port of this machine gets the answer; a script on that page does not.
 */
function isFromElsewhere(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'same-site') return headers['sec-fetch-mode'] !== 'navigate';
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function refuseName(name: string | undefined): ControlReply {
  const sentence = 'This sandbox accepts only the hosts 127.0.0.1, localhost and that of --host';
  // Text that is not a host name is not quoted.
  const remedy = `start it with --allow-host ${name ?? 'NAME'} to be called by that name`;
  return problem(403, `${sentence}; ${remedy}.`);
}

/** A host with its port; null for anything else. */
function parsePlace(text: string) {
  const found = /^(\[[0-9a-f]*:[0-9a-f:.]*\]|[\w.-]{1,253})(?::(\d{1,5}))?$/i.exec(text);
  return found === null ? null : { host: found[1] ?? '', port: found[2] ?? '80' };
}

/** No origin, or a page of this server, under its name or another loopback name. */
function isOwnOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return true;
  const page = parsePlace(/^http:\/\/(.+)$/i.exec(origin)?.[1] ?? '');
  const ours = parsePlace(host ?? '');
  if (page === null || ours === null || page.port !== ours.port) return false;
  if (bareHost(page.host) === bareHost(ours.host)) return true;
  return isLoopbackHost(page.host) && isLoopbackHost(ours.host);
}
