// Faults of the network between a judge and its target, none caused by the target; drawn at random,
// with the same draws for the same seed.
import { Random } from '../../../fixtures/random.ts';

const NETWORK_FAULTS = [
  'limited',
  'limited-without-headers',
  'limited-for-long',
  'bad-gateway',
  'gateway-timeout',
  'unavailable',
  'error-page',
  'reset-before',
  'reset-after',
  'truncated',
  'slow',
] as const;

export type NetworkFault = (typeof NETWORK_FAULTS)[number];

/** With these faults the target has not received the request. */
export const UNSEEN: ReadonlySet<NetworkFault> = new Set([
  'limited',
  'limited-without-headers',
  'limited-for-long',
  'bad-gateway',
  'unavailable',
  'reset-before',
]);

export interface ErrorPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const HTML = { 'content-type': 'text/html; charset=utf-8' };

function limited(headers: Readonly<Record<string, string>>): ErrorPage {
  const problem = {
    type: 'https://gateway.example.net/errors/rate_limited',
    title: 'Too many requests',
    status: 429,
    code: 'rate_limited',
    detail: 'slow down',
    request_id: 'gw-1',
    errors: [],
  };
  const own = { 'content-type': 'application/problem+json', ...headers };
  return { status: 429, headers: own, body: JSON.stringify(problem) };
}

/** The response of a gateway instead of the target's. */
export const ERROR_PAGES: Readonly<Partial<Record<NetworkFault, ErrorPage>>> = {
  limited: limited({
    'retry-after': '1',
    'x-ratelimit-limit': '5',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '1',
  }),
  'limited-without-headers': { status: 429, headers: {}, body: '' },
  'limited-for-long': {
    status: 429,
    headers: { 'content-type': 'text/plain', 'retry-after': '2' },
    body: 'Too many requests',
  },
  'bad-gateway': { status: 502, headers: HTML, body: '<html><h1>502 Bad Gateway</h1></html>' },
  'gateway-timeout': { status: 504, headers: HTML, body: '<html><h1>504 Time-out</h1></html>' },
  unavailable: {
    status: 503,
    headers: { ...HTML, 'retry-after': '1' },
    body: '<html><h1>Back soon</h1></html>',
  },
  'error-page': { status: 403, headers: HTML, body: '<html>Blocked by the firewall</html>' },
};

/** Draws the fault of each request; undefined: the request passes. */
export function faultDrawer(
  seed: number,
  rate: number,
  faults: readonly NetworkFault[] = NETWORK_FAULTS,
): () => NetworkFault | undefined {
  const random = new Random(seed);
  return () => {
    const [hit, which] = [random.next(), random.next()];
    return hit < rate ? faults[Math.floor(which * faults.length)] : undefined;
  };
}
