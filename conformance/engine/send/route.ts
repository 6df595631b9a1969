// How requests leave this machine: which authorities are trusted, and through which proxies.
import { rootCertificates } from 'node:tls';
import type { Dispatcher } from 'undici';

/** So many requests are under way at once at most. */
export const CONNECTIONS = 256;

export interface Proxies {
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts that are reached directly, as NO_PROXY has them. */
  readonly direct: string | undefined;
}

export interface Route {
  /** Certificates in PEM form that are trusted in addition to the usual ones. */
  readonly ca?: readonly string[];
  readonly proxies?: Proxies;
}

export interface OpenRoute {
  readonly dispatcher: Dispatcher;
  /** Whether header lines go through a proxy's agent, which takes them by name only. */
  readonly isProxied: boolean;
}

/** This machine itself is never on the far side of a proxy. */
const LOOPBACK = 'localhost,127.0.0.1,[::1]';

export async function openRoute({ ca = [], proxies }: Route): Promise<OpenRoute> {
  // Its default export: a bundle knows the package by no other.
  const { Agent, EnvHttpProxyAgent } = (await import('undici')).default;
  const options = { connections: CONNECTIONS, keepAliveTimeout: 4_000, pipelining: 1 };
  const tls = ca.length === 0 ? {} : { ca: [...rootCertificates, ...ca] };
  const { http, https, direct } = proxies ?? {};
  if (http === undefined && https === undefined) {
    return { dispatcher: new Agent({ ...options, connect: tls }), isProxied: false };
  }
  const dispatcher = new EnvHttpProxyAgent({
    ...options,
    // Given even where it is empty: what is left out is read from this process.
    httpProxy: http ?? '',
    httpsProxy: https ?? '',
    noProxy: direct === '*' ? direct : `${direct ?? ''},${LOOPBACK}`,
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
    // As other clients do: many proxies make a tunnel to TLS alone.
    proxyTunnel: false,
  });
  return { dispatcher, isProxied: true };
}

/** Whether a host is this machine, which no proxy stands before. */
export function isLoopback(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
