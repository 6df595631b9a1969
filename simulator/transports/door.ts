// Who may come in over a socket: by the name that is called, and by the page that calls. A page
// from elsewhere may reach this machine under whatever name it has rebound.
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { type ControlReply, problem } from '../control/reply.ts';
import { isLoopbackHost } from '../host/delivery/loopback.ts';

export interface DoorOptions {
  /** The address that was bound. */
  readonly host?: string;
  /** Names to be called by besides those of the loopback and the address that was bound. */
  readonly allowHosts?: readonly string[];
  /** Origins whose pages may follow the events. */
  readonly allowOrigins?: readonly string[];
}

/** Bound to every address, it has no one name; and an address is no name that could be rebound. */
const everyAddress = ['0.0.0.0', '::'];
const mostKnown = 100;

export class Door {
  readonly #names: ReadonlySet<string>;
  readonly #anyAddress: boolean;
  readonly #origins: readonly string[];
  /** Values of `Host` that were let in before. */
  readonly #known = new Set<string>();

  constructor({ host = '127.0.0.1', allowHosts = [], allowOrigins = [] }: DoorOptions = {}) {
    const bare = [host, ...allowHosts].map(bareName);
    this.#names = new Set(bare);
    this.#anyAddress = everyAddress.includes(bare[0] ?? '');
    this.#origins = allowOrigins;
  }

  /** Why a request is not let in by the name that it calls; null when it is. */
  refuseHost(
    { host }: IncomingHttpHeaders,
    rawHeaders: readonly string[] = [],
  ): ControlReply | null {
    if (hasTwoHosts(rawHeaders)) return problem(400, 'A request has one Host header.');
    if (host !== undefined && this.#known.has(host)) return null;
    const place = parsePlace(host ?? '');
    if (place === null || !this.#isOurs(place.name)) return refuseName(place?.name);
    if (this.#known.size < mostKnown) this.#known.add(host as string);
    return null;
  }

  #isOurs(name: string): boolean {
    if (isLoopbackHost(name) || this.#names.has(name)) return true;
    return this.#anyAddress && isIP(name) !== 0;
  }

  /** Why a page may not use the control plane; null when it may, or when no page calls. */
  refusePage(headers: IncomingHttpHeaders): ControlReply | null {
    if (!isFromElsewhere(headers) && isOwnOrigin(headers)) return null;
    return problem(403, 'A page from another origin may not use the control plane.');
  }

  /** Why a page may not follow the events; null when it may, or when no page calls. */
  refuseFollower(headers: IncomingHttpHeaders): ControlReply | null {
    const { origin } = headers;
    if (isOwnOrigin(headers) || this.#origins.includes(String(origin).toLowerCase())) return null;
    const remedy = 'start the sandbox with --allow-origin and its origin to let it';
    return problem(403, `A page from another origin may not follow the events; ${remedy}.`);
  }
}

/** Of two hosts each program on the way may take another one for the name that is called. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let found = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') found += 1;
  }
  return found > 1;
}

/**
 * A browser sends no Origin with most reads, but does say from where they come. Whoever follows a
 * link from another port of this machine sees the answer; a page there does not get it.
 */
function isFromElsewhere(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'same-site') return headers['sec-fetch-mode'] !== 'navigate';
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function refuseName(name: string | undefined): ControlReply {
  const sentence = 'This sandbox answers to 127.0.0.1, localhost and the address of --host';
  // A name that is none is a stranger's text, and repeating it helps nobody.
  const remedy = `start it with --allow-host ${name ?? 'NAME'} to be called by that name`;
  return problem(403, `${sentence}; ${remedy}.`);
}

interface Place {
  readonly name: string;
  readonly port: string;
}

/** A host with its port; null when it is none. */
function parsePlace(text: string): Place | null {
  const found = /^(\[[0-9a-f:.]+\]|[\w.-]{1,253})(?::(\d{1,5}))?$/i.exec(text);
  return found === null ? null : { name: bareName(found[1] ?? ''), port: found[2] ?? '80' };
}

function bareName(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$|\.$/g, '');
}

/**
 * No origin, or one of our own: a page that this server itself served, under the name it is called
 * by, or under another name of the loopback.
 */
function isOwnOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return true;
  const page = parsePlace(/^http:\/\/(.+)$/i.exec(origin)?.[1] ?? '');
  const ours = parsePlace(host ?? '');
  if (page === null || ours === null || page.port !== ours.port) return false;
  return page.name === ours.name || (isLoopbackHost(page.name) && isLoopbackHost(ours.name));
}
