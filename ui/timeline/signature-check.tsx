// The signature of an attempt: the header as sent, the text that was signed, and whether it fits.
import { useEffect, useState } from 'preact/hooks';
import type { DeliveryShown, SubscriptionShown } from '../api-client/answers.ts';
import { ControlPlaneError } from '../api-client/control-plane.ts';
import { Badge, CodeBlock, CopyButton, DescriptionList, Panel } from '../components/components.tsx';
import { useLive } from '../live/use-world.ts';
import { shellWord } from '../shell-word.ts';

export interface SignatureCheckProps {
  readonly delivery: DeliveryShown;
  readonly subscription: SubscriptionShown | undefined;
}

export function SignatureCheck({ delivery, subscription }: SignatureCheckProps) {
  const header = delivery.attempts.findLast(({ signature }) => signature !== null)?.signature;
  if (header === undefined || header === null || subscription === undefined) return null;
  return <Check header={header} seq={delivery.seq} subscription={subscription} />;
}

interface CheckProps {
  readonly header: string;
  readonly seq: number;
  readonly subscription: SubscriptionShown;
}

const howToCheck =
  'A receiver takes t, a dot and the body as it came, makes the HMAC-SHA256 of that under the ' +
  'secret, and compares it with each v1; t may be at most five minutes off.';

function Check({ header, seq, subscription }: CheckProps) {
  const live = useLive();
  const [body, setBody] = useState<string | null>(null);
  const [expected, setExpected] = useState<string | null>(null);
  const { t, v1 } = parseSignature(header);
  const { secret } = subscription;
  useEffect(() => {
    live.plane.text(`events?after_seq=${seq - 1}&limit=1`).then(
      (text) => setBody(rawEnvelope(text)),
      (error) => {
        if (!(error instanceof ControlPlaneError)) throw error;
      },
    );
  }, [live, seq]);
  useEffect(() => {
    if (body === null || t === null) return;
    void hexHmac(secret, `${t}.${body}`).then(setExpected);
  }, [body, t, secret]);
  const fits = expected !== null && v1.includes(expected);
  const signed = `${t}.${body ?? ''}`;
  const check = `openssl dgst -sha256 -hmac ${shellWord(secret)}`;
  const command = `printf '%s' ${shellWord(signed)} | ${check}`;
  return (
    <Panel
      title="Signature"
      side={
        expected === null ? null : (
          <Badge tone={fits ? 'good' : 'warn'}>{fits ? 'fits the secret' : 'does not fit'}</Badge>
        )
      }
      note={howToCheck}
    >
      <DescriptionList
        of={[
          ['Header', <code key="header">{header}</code>],
          ['Secret', <code key="secret">{secret}</code>],
          [
            'Expected v1',
            expected === null ? 'not on this address' : <code key="v1">{expected}</code>,
          ],
        ]}
      />
      {body === null ? null : (
        <>
          <CodeBlock text={`${t}.${body}`} label="Signed text" />
          <div class="bar">
            <CopyButton text={command} words="Copy a command that checks it" />
          </div>
        </>
      )}
    </Panel>
  );
}

interface SignatureParts {
  readonly t: string | null;
  readonly v1: readonly string[];
}

function parseSignature(header: string): SignatureParts {
  const pairs = header.split(',').map((pair) => pair.trim().split('='));
  const valuesOf = (name: string) =>
    pairs.flatMap(([key, value]) => (key === name && value !== undefined ? [value] : []));
  return { t: valuesOf('t')[0] ?? null, v1: valuesOf('v1') };
}

/** The one envelope of a list, byte for byte: parsing and printing it might change it. */
function rawEnvelope(list: string): string | null {
  return (
    /^\{"events":\[(.+)\],"next_after_seq":(?:null|\d+),"last_seq":\d+\}$/s.exec(list)?.[1] ?? null
  );
}

/** null where the browser lends no cryptography: on pages that are not of this machine. */
async function hexHmac(secret: string, text: string): Promise<string | null> {
  if (!isSecureContext) return null;
  const bytes = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes.encode(secret), algorithm, false, [
    'sign',
  ]);
  const digest = await crypto.subtle.sign('HMAC', key, bytes.encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
