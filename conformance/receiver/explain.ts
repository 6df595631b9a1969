// A check of a receiver in words for a person: what is sent, what is expected, what is at stake.
import { wrapText } from '../reports/plain-text.ts';
import { type Check, expectedOf, groupWords, type Probe } from './check.ts';
import type { SigningOptions } from './delivery.ts';

const signing: SigningOptions = {
  secret: 'whsec_for_show',
  previousSecret: null,
  names: { signature: 'X-Webhook-Signature', subscription: 'X-Webhook-Subscription-Id' },
  mark: 'example',
};

export function explainCheck(check: Check, width: number): string[] {
  const labelled = (label: string, text: string) =>
    wrapText(text, width - 12).map((each, n) => `  ${(n === 0 ? label : '').padEnd(10)}${each}`);
  const probes = check.probes(signing);
  const few = probes.slice(0, check.together ? 1 : 2);
  const shown = few.flatMap((probe) => probeLines(probe, width - 4));
  const more = probes.length - few.length;
  return [
    `${check.id}  ${groupWords[check.group]}`,
    ...wrapText(check.title, width - 2).map((each) => `  ${each}`),
    ...labelled('expects', expectedOf(check)),
    ...labelled('why', check.why),
    ...labelled('at stake', check.gains),
    ...labelled('mend', check.fix),
    '  sends, as an example',
    ...shown.map((each) => `    ${each}`),
    ...(more > 0 ? [`    and ${more} more${check.together ? ', all at once' : ''}`] : []),
    '  try it',
    `    npx conformance receiver --only ${check.id} --url URL --secret-env NAME`,
  ];
}

function probeLines({ delivery }: Probe, width: number): string[] {
  const { headers, body, chunked, cutsAt } = delivery;
  const cut = (text: string) => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
  const text = Buffer.from(body).toString();
  return [
    ...headers.map(([name, value]) => cut(`${name}: ${value}`)),
    ...(headers.some(([name]) => name.toLowerCase() === signing.names.signature.toLowerCase())
      ? []
      : [`(no ${signing.names.signature})`]),
    ...(chunked ? ['Transfer-Encoding: chunked'] : []),
    ...(cutsAt === undefined ? [] : [`(in pieces, cut after bytes ${cutsAt.join(', ')})`]),
    text === '' ? '(an empty body)' : cut(text.replaceAll('\n', '\\n').replace('\ufeff', '<BOM>')),
  ];
}
