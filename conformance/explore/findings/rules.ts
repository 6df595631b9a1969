// Which rules a difference is about: those that the model's answer rests on, narrowed by what
// differs.
import { rulesOf } from '../compare/difference.ts';
import type { Found } from './investigate.ts';

/** Rules that say how a member or a header of an answer is, by where it stands. */
const BY_PLACE: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^header\.etag$/, ['ACC-19']],
  [/^header\.x-request-id$/, ['ERR-4', 'IDEM-5']],
  [/^header\.(x-ratelimit|retry-after)/, ['LIM-6', 'LIM-8']],
  [/^header\.content-type$/, ['ERR-1a', 'ERR-2']],
  [/^replay\./, ['IDEM-4b']],
  [/^body\.(type|status)$/, ['ERR-1b']],
  [/^body\.(title|detail|request_id|errors)$/, ['ERR-1a']],
];

const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  'account.phone': ['ACC-11', 'ACC-12'],
  'account.first_name': ['ACC-13', 'ACC-18'],
  'account.last_name': ['ACC-13', 'ACC-18'],
  'account.country': ['ACC-14'],
  'account.language': ['ACC-14'],
  'account.status': ['ACC-20'],
  'account.email': ['ACC-18'],
  'account.id': ['CONV-1a', 'ACC-18'],
};

export function rulesFor({ difference }: Found): readonly string[] {
  const { at, basis, operation } = difference;
  const cites = rulesOf(basis);
  const named = BY_PLACE.find(([pattern]) => pattern.test(at))?.[1];
  const member =
    operation === 'createAccount' ? MEMBERS[at.replace('body.', 'account.')] : undefined;
  return [...new Set([...(named ?? []), ...(member ?? []), ...cites])];
}
