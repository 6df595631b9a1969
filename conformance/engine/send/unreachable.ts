// Why no answer came, with a hint at what to do about it.
import { connect } from 'node:tls';
import { Unreachable } from '../scenario-errors.ts';
import { TooLong } from './read-body.ts';

/** The port is closed. */
export const REFUSED = 'the connection was refused';

const TRUST = 'name its authority with --ca FILE or in the variable NODE_EXTRA_CA_CERTS';

/** Node's and OpenSSL's codes for certificate errors. */
const CERTIFICATES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `the certificate is signed by itself: ${TRUST}`,
  SELF_SIGNED_CERT_IN_CHAIN: `the certificate rests on an authority of its own: ${TRUST}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `the certificate's authority is not known here: ${TRUST}`,
  UNABLE_TO_GET_ISSUER_CERT: `the certificate's authority is not known here: ${TRUST}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `the certificate's authority is not known here: ${TRUST}`,
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet; is the clock of this machine right?',
};

/** Converts an error of undici or of a fetch-like function to the one error that callers expect. */
export function unreachable(error: unknown, timedOut: boolean, timeoutMs: number): Unreachable {
  if (timedOut) return new Unreachable('timeout', `no whole answer within ${timeoutMs / 1000} s`);
  if (error instanceof TooLong) return new Unreachable('protocol', error.message);
  const { name, message, code, cause } = error as Error & { code?: string };
  const deeper = cause as { code?: string; message?: string } | undefined;
  const sign = code ?? deeper?.code ?? name;
  const words = deeper?.message ?? message;
  const refusal = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (refusal !== undefined) {
    const advice = refusal === '407' ? ': it wants a name and a password in its url' : '';
    const refused = `the proxy (HTTPS_PROXY, HTTP_PROXY) refused with ${refusal}${advice}`;
    return new Unreachable('refused', refused);
  }
  if (name === 'AbortError' || name === 'TimeoutError') {
    return new Unreachable('aborted', 'given up before an answer came');
  }
  if (sign === 'ECONNREFUSED') return new Unreachable('refused', REFUSED);
  if (sign === 'ENOTFOUND' || sign === 'EAI_AGAIN') {
    const unknown = /\b(?:ENOTFOUND|EAI_AGAIN) (\S+)/.exec(words)?.[1] ?? 'of the url';
    return new Unreachable('name', `the name ${unknown} does not resolve (${sign})`);
  }
  if (CERTIFICATES[sign] !== undefined) {
    return new Unreachable('tls', `${CERTIFICATES[sign]} (${sign})`);
  }
  if (sign === 'ERR_TLS_CERT_ALTNAME_INVALID' || name === 'SecureProxyConnectionError') {
    return new Unreachable('tls', `the certificate is of another name: ${words}`);
  }
  if (sign === 'ERR_SSL_WRONG_VERSION_NUMBER' || sign === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    const advice = 'give the url with http:// if that is meant';
    return new Unreachable('tls', `this port does not speak TLS: ${advice}`);
  }
  if (sign?.startsWith('HPE_') || name === 'HTTPParserError')
    return new Unreachable('protocol', `not HTTP: ${words}`);
  return new Unreachable('reset', `the connection ended: ${words}`);
}

/** For a request that never left: what to check first. */
export function nothingAnswers(url: string, { message }: Unreachable): string {
  const what = `nothing answers at ${new URL(url).origin}`;
  if (!message.startsWith(REFUSED)) return `${what}: ${message}`;
  return `${what} (${message}): is it running? \`npx sandbox start\` starts a sandbox`;
}

const TLS_WITHIN_MS = 2_000;

/** Whether a port that was used without TLS speaks TLS. */
export function speaksTls({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const options = { host, port: Number(port === '' ? 80 : port), rejectUnauthorized: false };
    const socket = connect(options);
    const settle = (truth: boolean) => {
      socket.destroy();
      resolve(truth);
    };
    socket.setTimeout(TLS_WITHIN_MS, () => settle(false));
    socket.once('secureConnect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
