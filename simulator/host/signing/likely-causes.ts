// Works out why a delivery did not verify, by undoing the usual mistakes until its signature
// matches.
import { hmacSha256Hex } from '../../core/values/digest.ts';
import { type Suspicion, suspectBodies, suspectKeys, suspectMessages } from './mistakes.ts';
import { type HeaderValue, parseSignatureHeader, splitParts } from './signature-header.ts';
import type { WebhookRefusal } from './verify.ts';

/** What probably went wrong. `proven` means that undoing it gives a signature that matches. */
export interface LikelyCause {
  readonly cause: string;
  readonly proven: boolean;
  readonly explanation: string;
}

/** A delivery that was refused, and all that it was judged by. */
export interface DiagnosisInput {
  readonly header: HeaderValue;
  readonly body: Uint8Array;
  readonly secret: string;
  readonly previousSecret?: string | undefined;
  readonly nowMs: number;
  readonly toleranceMs: number;
}

/** The mistakes that may have led to a refusal; the proven one alone where there is one. */
export function findCauses(reason: WebhookRefusal, given: DiagnosisInput): LikelyCause[] {
  if (reason === 'too_old' || reason === 'too_new') return explainTime(given);
  const claim = readLeniently(given.header);
  const proven = claim === null ? null : prove(claim, given);
  return proven ? [proven] : guess(reason, claim, given);
}

/** What a header seems to say, however badly it says it. */
interface Claim {
  readonly tMs: number;
  /** Lower-case hex. */
  readonly signatures: readonly string[];
  /** What had to be overlooked to read it. */
  readonly overlooked: readonly LikelyCause[];
}

function readLeniently(header: HeaderValue): Claim | null {
  const parsed = parseSignatureHeader(header);
  if (parsed.ok) return { ...parsed, overlooked: [] };
  const parts = splitParts(typeof header === 'string' ? header : (header ?? []).join(','));
  const valuesOf = (key: string) =>
    parts.filter((part) => part.startsWith(`${key}=`)).map((part) => part.slice(key.length + 1));
  const tMs = Number(valuesOf('t')[0]);
  const overlooked: LikelyCause[] = [];
  const signatures = valuesOf('v1').map((signature) => {
    if (/^[0-9a-f]{64}$/.test(signature)) return signature;
    const fix = 'print it as lower-case hex.';
    if (/^[0-9a-f]{64}$/i.test(signature)) {
      const explanation = `the v1 is in upper case: ${fix}`;
      overlooked.push({ cause: 'upper_case', proven: true, explanation });
      return signature.toLowerCase();
    }
    if (/^[A-Za-z0-9+/_-]{43}=?$/.test(signature)) {
      const explanation = `the v1 is in base64: ${fix}`;
      overlooked.push({ cause: 'base64_signature', proven: true, explanation });
      return Buffer.from(signature, 'base64').toString('hex');
    }
    return '';
  });
  const isReadable = Number.isSafeInteger(tMs) && tMs >= 0 && overlooked.length > 0;
  return isReadable ? { tMs, signatures, overlooked } : null;
}

/** Tries mistakes one at a time, then in pairs, until what they make of the delivery matches. */
function prove(claim: Claim, given: DiagnosisInput): LikelyCause | null {
  const asGiven = <T>(value: T): Suspicion<T> => ({ cause: '', explanation: '', value });
  const choices = {
    bodies: [asGiven(given.body), ...suspectBodies(given.body)],
    keys: [
      asGiven<string | Uint8Array>(given.secret),
      ...previousSecrets(given),
      ...suspectKeys(given.secret),
    ],
    messages: [
      asGiven((body: Uint8Array): readonly (string | Uint8Array)[] => [`${claim.tMs}.`, body]),
      ...suspectMessages(claim.tMs),
    ],
  };
  // Two at once take some hundred digests, so they are looked for in bodies of ordinary size only.
  const mostMistakes = given.body.length <= 262_144 ? 2 : 1;
  for (let mistakes = 0; mistakes <= mostMistakes; mistakes += 1) {
    for (const made of combine(choices, mistakes)) {
      const digest = hmacSha256Hex(made.key.value, ...made.message.value(made.body.value));
      if (claim.signatures.includes(digest)) return describe(made, claim);
    }
  }
  return null;
}

function previousSecrets({ previousSecret }: DiagnosisInput): Suspicion<string>[] {
  if (previousSecret === undefined || previousSecret === '') return [];
  const explanation =
    'it was signed under the previous secret: the secret was rotated, and this delivery is from ' +
    'before or the new secret has not reached the signer. Accept both during a rotation.';
  return [{ cause: 'previous_secret', explanation, value: previousSecret }];
}

interface Choices<Body, Key, Message> {
  readonly bodies: readonly Suspicion<Body>[];
  readonly keys: readonly Suspicion<Key>[];
  readonly messages: readonly Suspicion<Message>[];
}

function* combine<B, K, M>({ bodies, keys, messages }: Choices<B, K, M>, mistakes: number) {
  for (const [b, body] of bodies.entries()) {
    for (const [k, key] of keys.entries()) {
      if (Math.sign(b) + Math.sign(k) > mistakes) continue;
      for (const [m, message] of messages.entries()) {
        const count = Math.sign(b) + Math.sign(k) + Math.sign(m);
        if (count === mistakes) yield { body, key, message };
      }
    }
  }
}

function describe(made: Record<string, Suspicion<unknown>>, claim: Claim): LikelyCause {
  const causes = [...claim.overlooked, ...Object.values(made)].filter(({ cause }) => cause !== '');
  return {
    cause: [...new Set(causes.map(({ cause }) => cause))].join('+'),
    proven: true,
    explanation: [...new Set(causes.map(({ explanation }) => explanation))].join(' Besides: '),
  };
}

function guess(reason: WebhookRefusal, claim: Claim | null, given: DiagnosisInput): LikelyCause[] {
  const causes: LikelyCause[] = [...(claim?.overlooked ?? [])];
  const add = (cause: string, explanation: string) =>
    causes.push({ cause, proven: false, explanation });
  const text = typeof given.header === 'string' ? given.header.trim() : '';
  if (/^(sha256=)?[0-9a-f]{64}$/i.test(text)) {
    add('bare_signature', 'the header is a bare signature: it has to be t=…,v1=….');
  }
  if (text.includes(';')) add('semicolons', 'the parts are separated by semicolons: use commas.');
  if (text.includes('%3D')) add('url_encoded', 'the header is percent-encoded: send it as it is.');
  if (/(^|,)\s*v1=([0-9a-f]{40}|[0-9a-f]{128})(\s*,|$)/i.test(text)) {
    add('other_digest', 'the v1 has the length of SHA-1 or SHA-512: use HMAC-SHA256.');
  }
  if (/(^|,)\s*t=\d{4}-\d\d-\d\d/.test(text)) {
    add('iso_time', 't is a written date: use whole milliseconds since 1970.');
  }
  if (reason !== 'mismatch') return causes;
  if (given.body.length === 0) {
    add('empty_body', 'the body is empty: something read it before the verification did.');
  } else if (Buffer.from(given.body).toString('latin1') === '[object Object]') {
    add('parsed_body', 'the body is a parsed object turned to text: verify the raw bytes.');
  } else {
    add('other_secret', 'the secret is another one: of another subscription, or since rotated.');
    add('other_body', 'the body was changed after it was signed, in none of the usual ways.');
  }
  return causes;
}

function explainTime({ header, nowMs, toleranceMs }: DiagnosisInput): LikelyCause[] {
  const parsed = parseSignatureHeader(header);
  if (!parsed.ok) return [];
  const { tMs } = parsed;
  const found = (cause: string, explanation: string) => [{ cause, proven: true, explanation }];
  const fix = 'it has to be in milliseconds.';
  // As milliseconds these lie before 1974 and after 5100; read in the other unit they are of our
  // time.
  if (tMs >= 1e8 && tMs < 1e11) return found('seconds', `t is in seconds: ${fix}`);
  if (tMs >= 1e14) return found('microseconds', `t is in microseconds: ${fix}`);
  const ageMs = nowMs - tMs;
  const limit = `at most ${formatSpan(toleranceMs)} are tolerated`;
  const distance = formatSpan(Math.abs(ageMs));
  if (ageMs < 0) {
    const why = `the signer's clock or this one is wrong; ${limit}.`;
    return found('clock_ahead', `the signature is right, but ${distance} ahead: ${why}`);
  }
  const why =
    'it was kept or sent again (the platform signs each attempt anew), or a clock is wrong';
  return found('old_delivery', `the signature is right, but ${distance} old: ${why}; ${limit}.`);
}

function formatSpan(ms: number): string {
  const units: [number, string][] = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
  ];
  const [size, unit] = units.find(([limit]) => ms >= 2 * limit) ?? [1, 'ms'];
  return `${Math.floor(ms / size)} ${unit}`;
}
