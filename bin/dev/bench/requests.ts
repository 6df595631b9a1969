// The requests that all subjects get: the same bytes but for a key and a reference.

const bodyBytes = 250;
let made = 0;

export interface RequestShape {
  readonly port: number;
  readonly token: string;
  /** Makes the body one that is refused with 422. */
  readonly badEmail?: boolean;
  /** Every request carries this key and reference, so that all but the first are repeats. */
  readonly sameKey?: boolean;
}

/** A maker of `POST /api/v1/accounts` requests of one length, each with a key not used before. */
export function createAccountRequests(shape: RequestShape): () => string {
  const { port, token, badEmail = false, sameKey = false } = shape;
  const head =
    `POST /api/v1/accounts HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
    `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${bodyBytes}\r\nIdempotency-Key: `;
  const make = () => {
    made += 1;
    const serial = String(made).padStart(12, '0');
    return `${head}key-${serial}\r\n\r\n${accountBody(serial, badEmail)}`;
  };
  if (!sameKey) return make;
  const repeated = make();
  return () => repeated;
}

function accountBody(serial: string, badEmail: boolean): string {
  const at = badEmail ? '.' : '@';
  const start =
    `{"client_reference_id":"client-${serial}","email":"person-${serial}${at}example.com",` +
    `"first_name":"Margaret","last_name":"Hamilton","country":"US","language":"en",` +
    `"brand_id":"10","comment":"`;
  return `${start}${'x'.repeat(bodyBytes - start.length - 2)}"}`;
}

/** Of ten requests, what a client at work sends: reads, creates, a repeat, a mistake. */
export function clientMix(shape: RequestShape): () => string {
  const create = createAccountRequests(shape);
  const refused = createAccountRequests({ ...shape, badEmail: true });
  const read =
    `GET /api/v1/accounts?limit=20 HTTP/1.1\r\nHost: 127.0.0.1:${shape.port}\r\n` +
    `Authorization: Bearer ${shape.token}\r\n\r\n`;
  let turn = 0;
  let latest = create();
  return () => {
    turn = (turn + 1) % 10;
    if (turn % 2 === 0) return read;
    if (turn === 1) return latest;
    if (turn === 3) return refused();
    latest = create();
    return latest;
  };
}
