// Explains to users why a delivery had no answer.

const byCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while the delivery was being sent',
  ETIMEDOUT: 'no connection: the host does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'no connection: the host does not answer',
  EHOSTUNREACH: 'the host cannot be reached from this machine',
  ENETUNREACH: 'the network of the host cannot be reached from this machine',
  EADDRNOTAVAIL: 'no connection: this machine has no free address or port',
  EMFILE: 'no connection: this program has too many files and sockets open',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate comes from an authority that is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'the certificate comes from an authority that is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'the certificate comes from an authority that is not known here, or its chain is incomplete',
  EPROTO: 'TLS failed: does the port speak https?',
  UND_ERR_SOCKET: 'the connection was closed before an answer',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the body of the answer is not as long as its header says',
};

/** `answering`: the headers of an answer had already arrived. */
export function explainFailure(error: Error, answering: boolean): string {
  const code = codeOf(error);
  if (answering && (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')) {
    return 'the connection was closed before the answer was complete';
  }
  const known = byCode[code];
  if (known !== undefined) return known;
  if (error.name === 'HTTPParserError') {
    const [, why = ''] = /^[^(]*(\(.*\))/.exec(error.message) ?? [];
    return `the answer is not valid HTTP ${why}`.trimEnd();
  }
  if (code.startsWith('ERR_SSL_')) return byCode.EPROTO as string;
  return error.message === '' ? 'the delivery failed' : error.message;
}

/** If several addresses were tried, the first failure is reported. */
function codeOf(error: NodeJS.ErrnoException): string {
  if (error.code !== undefined) return String(error.code);
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return first instanceof Error ? codeOf(first) : '';
}
