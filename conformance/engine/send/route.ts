// How requests leave this machine: trusted certificate authorities, and proxies.
import { rootCertificates } from 'node:tls';

/** The most concurrent requests. */
export const CONNECTIONS = 256;

export interface Proxies {
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts that are reached directly, in the format of NO_PROXY. */
  readonly direct: string | undefined;
}

export interface Route {
  /** Certificates in PEM form that are trusted in addition to the usual ones. */
  readonly ca?: readonly string[];
  readonly proxies?: Proxies;
}

/** Requests to this machine never go through a proxy. */
const LOOPBACK = 'localhost,127.0.0.1,[::1]';

/** `isProxied` if a proxy's agent takes the header lines, which only accepts them grouped by name. */
export async function openRoute({ ca = [], proxies }: Route) {
  // The default export, because it is the only one that remains in a bundle.
  const { Agent, EnvHttpProxyAgent } = (await import('undici')).default;
  const options = { connections: CONNECTIONS, keepAliveTimeout: 4_000, pipelining: 1 };
  const tls = ca.length === 0 ? {} : { ca: [...rootCertificates, ...ca] };
  const { http, https, direct } = proxies ?? {};
  if (http === undefined && https === undefined) {
    return { dispatcher: new Agent({ ...options, connect: tls }), isProxied: false };
  }
  const dispatcher = new EnvHttpProxyAgent({
    ...options,
    // Passed even if it is empty: undici reads a missing option from the environment.
    httpProxy: http ?? '',
    httpsProxy: https ?? '',
    noProxy: direct === '*' ? direct : `${direct ?? ''},${LOOPBACK}`,
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
    // Like other clients: many proxies only tunnel TLS.
    proxyTunnel: false,
  });
  return { dispatcher, isProxied: true };
}

/** Whether a host is this machine, which is never behind a proxy. */
export function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
