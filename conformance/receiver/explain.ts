// Describes a check of a receiver for the user: the delivery, the expected answer, the risk.
import { code, facts, heading, type Part, words } from '../reports/parts.ts';
import { type Check, expectedOf, groupWords } from './check.ts';
import type { SigningOptions } from './delivery.ts';
import type { Probe } from './probes.ts';

const signing: SigningOptions = {
  secret: 'whsec_for_show',
  previousSecret: null,
  names: { signature: 'X-Webhook-Signature', subscription: 'X-Webhook-Subscription-Id' },
  mark: 'example',
};

export function explainCheck(check: Check): Part[] {
  const probes = check.probes(signing);
  const deliveries = probes.slice(0, check.together ? 1 : 2);
  const rest = probes.length - deliveries.length;
  return [
    heading(`${check.id}  ${groupWords[check.group]}`),
    words(check.title),
    ...facts([
      ['expects', expectedOf(check)],
      ['why', check.why],
      ['at stake', check.gains],
      ['fix', check.fix],
      ['try it', `npx conformance receiver --only ${check.id} --url URL --secret-env NAME`],
    ]),
    heading('sends, as an example'),
    ...code(deliveries.flatMap(probeLines)),
    ...(rest > 0 ? [words(`and ${rest} more${check.together ? ', all at once' : ''}`)] : []),
  ];
}

const WIDTH = 96;

function probeLines({ delivery }: Probe): string[] {
  const { headers, body, chunked, cutsAt } = delivery;
  const cut = (text: string) => (text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text);
  const text = Buffer.from(body).toString().replaceAll('\n', '\\n').replace('\ufeff', '<BOM>');
  const { signature } = signing.names;
  const isSigned = headers.some(([name]) => name.toLowerCase() === signature.toLowerCase());
  return [
    ...headers.map(([name, value]) => cut(`${name}: ${value}`)),
    ...(isSigned ? [] : [`(no ${signature})`]),
    ...(chunked ? ['Transfer-Encoding: chunked'] : []),
    ...(cutsAt === undefined ? [] : [`(in pieces, cut after bytes ${cutsAt.join(', ')})`]),
    text === '' ? '(an empty body)' : cut(text),
  ];
}
