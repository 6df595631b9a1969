// The signature of an attempt: the header as sent, the text that was signed, and whether it fits.
import { useEffect, useState } from 'preact/hooks';
import type { DeliveryShown, SubscriptionShown } from '../api-client/answers.ts';
import { ControlPlaneError } from '../api-client/control-plane.ts';
import { Badge, CodeBlock, CopyButton, DescriptionList, Panel } from '../components/components.tsx';
import { useLive } from '../live/use-world.ts';
import { hexHmac, parseSignature, rawEnvelope } from './signature.ts';

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
  const check = `openssl dgst -sha256 -hmac ${quoted(secret)}`;
  const command = `printf '%s' ${quoted(signed)} | ${check}`;
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

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
