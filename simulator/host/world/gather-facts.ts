// Looks up data that core cannot wait for: the addresses of a webhook's hostname, and the tables of
// phone numbers.
import { parseJson } from '../../../fixtures/lenient.ts';
import { type Call, type Facts, noFacts } from '../../core/call.ts';
import { phoneTables } from '../../core/values/phone.ts';
import { parseTargetUrl } from '../../core/values/target-url.ts';
import type { WorldHost } from './world-host.ts';

const phoneMember = Buffer.from('"phone"');
const webhooksPath = /^\/api\/v1\/webhooks(\?|$)/;

/** The data for a call; a promise only if a look-up is needed. */
export function gatherFacts(host: WorldHost, call: Call): Facts | Promise<Facts> {
  if (call.method === 'POST' && webhooksPath.test(call.target)) {
    const hostname = hostnameOf(host, call);
    if (hostname === null || host.world.names.has(hostname)) return noFacts;
    return host.deliverer.resolve(hostname).then((addresses) => ({ addresses }));
  }
  if (phoneTables.ready()) return noFacts;
  const { buffer, byteOffset, byteLength } = call.body;
  // A view of the same bytes: copying every body would cost more than the search.
  const hasPhone = Buffer.from(buffer, byteOffset, byteLength).includes(phoneMember);
  return hasPhone ? phoneTables.load().then(() => noFacts) : noFacts;
}

/** The hostname to look up; null if the URL has none or the result is known. */
function hostnameOf({ world }: WorldHost, call: Call): string | null {
  const body = parseJson(Buffer.from(call.body).toString()) as { url?: unknown } | null | undefined;
  const url = body?.url;
  if (typeof url !== 'string') return null;
  const target = parseTargetUrl(url, world.options.allowLocalWebhooks);
  if (target.kind === 'refused' || target.address !== null) return null;
  return world.forwards.has(target.origin) ? null : target.hostname;
}
