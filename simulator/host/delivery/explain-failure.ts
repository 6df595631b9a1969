// Explains to users why a delivery had no answer.

/** Codes whose own message does not say what happened. */
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
  EPROTO: 'TLS failed: does the port speak https?',
  UND_ERR_SOCKET: 'the connection was closed before an answer',
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
