// Defects of receivers that take more than a line. For tests.
import { correctSteps, type HeaderParts, type ReceiverSteps } from './sample-receivers.ts';

export function spaceless(): Partial<ReceiverSteps> {
  const strip = (body: Buffer) => Buffer.from(body.toString().replace(/\s/g, ''));
  return {
    mac: (secret, t, body) =>
      `${correctSteps.mac(secret, t, body)} ${correctSteps.mac(secret, t, strip(body))}`,
    equal: (candidate, macs) => macs.split(' ').some((mac) => correctSteps.equal(candidate, mac)),
  };
}

export function withoutV1(): Partial<ReceiverSteps> {
  const none = 'none';
  return {
    candidates: (parts) => {
      const all = correctSteps.candidates(parts);
      return all.length === 0 ? [none] : all;
    },
    equal: (candidate, mac) => candidate === none || correctSteps.equal(candidate, mac),
  };
}

/** The time is taken from one t; what is signed is another. */
export function signingT(
  pick: (parts: HeaderParts, key: string) => string | undefined,
): Partial<ReceiverSteps> {
  let signed = '';
  return {
    candidates: (parts) => {
      signed = pick(parts, 't') ?? '';
      return correctSteps.candidates(parts);
    },
    mac: (secret, _t, body) => `${secret}\n${body.toString('base64')}`,
    equal: (candidate, joined) => {
      const [secret = '', body = ''] = joined.split('\n');
      return correctSteps.equal(
        candidate,
        correctSteps.mac(secret, signed, Buffer.from(body, 'base64')),
      );
    },
  };
}

/**
 * As though t were not signed: a v1 over any time near the ages that checks send makes a match. The
 * event says when it was made, so that nothing hangs on how long it was under way.
 */
export function ignoringT(): Partial<ReceiverSteps> {
  return {
    mac: (secret, _t, body) => `${secret}\n${body.toString('base64')}`,
    equal: (candidate, joined) => {
      const [secret = '', body = ''] = joined.split('\n');
      const raw = Buffer.from(body, 'base64');
      const madeAt = Number(/"occurred_at":\s*(\d+)/.exec(raw.toString())?.[1] ?? 0);
      for (const age of [0, 1000, 60_000, -60_000, 240_000, 3_600_000]) {
        for (let near = -300; near <= 300; near += 1) {
          if (candidate === correctSteps.mac(secret, String(madeAt - age + near), raw)) return true;
        }
      }
      return false;
    },
  };
}

export function skippingEmpty(): Partial<ReceiverSteps> {
  return {
    mac: (secret, t, body) => (body.length === 0 ? 'empty' : correctSteps.mac(secret, t, body)),
    equal: (candidate, mac) => mac === 'empty' || correctSteps.equal(candidate, mac),
  };
}

/** A v1 seen to be right for a body is taken for every body with the same id. */
export function skippingMember(): Partial<ReceiverSteps> {
  return {
    mac: (secret, t, body) => `${secret}\n${t}\n${body.toString('base64')}`,
    equal: (candidate, joined) => {
      const [secret = '', t = '', encoded = ''] = joined.split('\n');
      const body = Buffer.from(encoded, 'base64');
      if (correctSteps.equal(candidate, correctSteps.mac(secret, t, body))) return true;
      return (
        /^[0-9a-f]{64}$/.test(candidate) &&
        /"id":\s*"evt_\w+_(byte|white|newline|members|swapped)/.test(body.toString())
      );
    },
  };
}

export function refusingRepeats(): Partial<ReceiverSteps> {
  const seen = new Set<string>();
  return {
    answer: (verified, raw) => {
      if (!verified) return { status: 400 };
      const text = raw.toString();
      if (seen.has(text)) return { status: 409 };
      seen.add(text);
      return { status: 204 };
    },
  };
}
