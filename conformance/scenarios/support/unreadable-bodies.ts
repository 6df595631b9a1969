// Bodies that cannot be read, and whether a refusal is of the kind that they get.

import type { Rules, ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer } from '../../engine/send/answer.ts';

/** JSON that breaks off in the middle of a member. */
export const BROKEN_JSON = '{"client_reference_id": "a';

/**
 * A body of broken JSON, refused as this target refuses what it cannot read. How it should is
 * ERR-2's to judge; other rules ask only that something is refused in the same way.
 */
export async function sendBrokenJson(t: ScenarioContext): Promise<Answer> {
  return t.call('createAccount', { raw: BROKEN_JSON });
}

/** Refused as broken JSON is: by a 4xx of the same content type. */
export function expectUnreadable(
  t: ScenarioContext,
  rules: Rules,
  refused: Answer,
  broken: Answer,
): void {
  const like = broken.status >= 400 && broken.status < 500 ? broken.headers.mediaType() : '';
  const types = like === '' || like === 'text/plain' ? ['text/plain'] : ['text/plain', like];
  const seen = refused.headers.mediaType() || 'no content type';
  const words = `${types.join(' or ')}, as broken JSON is refused`;
  t.expect(rules, refused)
    .is('refused with a 4xx', refused.status >= 400 && refused.status < 500)
    .is(words, types.includes(seen), `${refused.summary}, ${seen}`, broken);
}
