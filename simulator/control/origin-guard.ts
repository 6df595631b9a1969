// Who may speak to the plane: a page from elsewhere may not, by whatever name it reaches this
// machine.
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { isLoopbackHost } from '../host/delivery/loopback.ts';
import { type ControlReply, type ControlRequest, problem } from './reply.ts';

export interface GuardOptions {
  /** Host names besides those of the loopback, such as the address that was bound. */
  readonly hosts: readonly string[];
  readonly token: string | null;
}

/**
 * Why a request is not let in; null when it is. What came without a socket has no page behind it.
 */
export function refuseForeignRequest(
  request: ControlRequest,
  options: GuardOptions,
): ControlReply | null {
  if (request.inProcess === undefined) {
    const refused = refuseHost(request, options.hosts) ?? refuseOrigin(request);
    if (refused !== null) return refused;
  }
  return options.token === null ? null : refuseToken(request, options.token);
}

interface Place {
  readonly name: string;
  readonly port: string;
}

/** A host with its port; null when it is none. */
function parsePlace(text: string): Place | null {
  const found = /^(\[[0-9a-f:.]+\]|[^:/?#@\s\\]+)(?::(\d{1,5}))?$/i.exec(text);
  if (found === null) return null;
  const name = (found[1] ?? '')
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[|\]$/g, '');
  return { name, port: found[2] ?? '80' };
}

export { isLoopbackHost as isLoopback };

/** Bound to every address, it has no one name; and an address is no name that could be rebound. */
const everyAddress = ['0.0.0.0', '::'];

function isOurs(name: string, hosts: readonly string[]): boolean {
  if (isLoopbackHost(name)) return true;
  const bound = hosts.map((host) => host.toLowerCase().replace(/^\[|\]$/g, ''));
  if (bound.includes(name)) return true;
  return isIP(name) !== 0 && bound.some((host) => everyAddress.includes(host));
}

function refuseHost({ headers }: ControlRequest, hosts: readonly string[]): ControlReply | null {
  const { host } = headers;
  const place = typeof host === 'string' ? parsePlace(host) : null;
  if (place !== null && isOurs(place.name, hosts)) return null;
  return problem(
    403,
    'The control plane answers to this machine only: call it by 127.0.0.1 or localhost.',
  );
}

/**
 * An origin of our own is a page that this server itself served: under the name it is called by, or
 * under another name of the loopback.
 */
function refuseOrigin({ headers }: ControlRequest): ControlReply | null {
  const { origin, host } = headers;
  if (origin === undefined) return null;
  const from = typeof origin === 'string' ? /^http:\/\/(.+)$/i.exec(origin)?.[1] : undefined;
  const page = from === undefined ? null : parsePlace(from);
  const ours = parsePlace(String(host));
  if (page !== null && ours !== null && page.port === ours.port) {
    if (page.name === ours.name || (isLoopbackHost(page.name) && isLoopbackHost(ours.name)))
      return null;
  }
  return problem(403, 'A page from another origin may not use the control plane.');
}

function refuseToken({ headers }: ControlRequest, token: string): ControlReply | null {
  const { authorization } = headers;
  const given =
    typeof authorization === 'string' ? /^bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
  if (given !== undefined && equalInSecret(given, token)) return null;
  const detail = 'Send Authorization: Bearer and the token given with --control-token.';
  return problem(401, detail, [], { 'www-authenticate': 'Bearer realm="control"' });
}

/** Takes as long whatever is wrong with it. */
function equalInSecret(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
