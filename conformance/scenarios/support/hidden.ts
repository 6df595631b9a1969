// Out of reach is answered as what does not exist: the same status, code and words.

import type { Rules, ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Who } from '../../engine/send/call.ts';
import { printJson } from '../../engine/send/json.ts';

const COMPARED = ['type', 'title', 'status', 'code', 'detail'];

/** One request for a record out of reach, and the same for an id that no record has. */
export interface HiddenRecord {
  readonly outsider: () => Promise<Who>;
  readonly hidden: (who: Who) => Promise<Answer>;
  readonly unknown: (who: Who) => Promise<Answer>;
  /** The same for an own record, requested only if there is a difference. */
  readonly own: (who: Who) => Promise<Answer>;
}

/**
 * `unknown` answers the same request for an id that no record has. Where that is no 404 either,
 * the operation's own rule says so.
 */
export function expectHidden(
  t: ScenarioContext,
  rules: Rules,
  hidden: Answer,
  unknown: Answer,
): void {
  if (unknown.status !== 404) {
    throw new Blocked(`control failed: an unknown id: expected 404, but ${unknown.summary}`);
  }
  judge(t, rules, hidden, unknown);
}

/** Asks for both; gives the answer for what is hidden, once it has been judged. */
export async function expectOutOfReach(
  t: ScenarioContext,
  rules: Rules,
  hiding: HiddenRecord,
): Promise<Answer> {
  const unknown = await hiding.unknown(await hiding.outsider());
  const hidden = await hiding.hidden(await hiding.outsider());
  if (unknown.status !== 404) {
    // Only if no credential gets a 404 for an unknown id is that the operation's own rule's to judge.
    const general = await hiding.unknown(t.mainRole);
    if (general.status !== 404) expectHidden(t, rules, hidden, general);
    const own = await hiding.own(await hiding.outsider());
    if (own.status === 403 || own.status === 404) {
      throw new Blocked(`control failed: a record of its own: ${own.summary}`);
    }
  }
  judge(t, rules, hidden, unknown);
  const telling = headersApart(hidden, unknown);
  if (telling.length > 0) await expectNoTelling(t, rules, hiding, telling);
  return hidden;
}

/** Whatever stands in between adds headers now and then: what tells does so each time. */
async function expectNoTelling(
  t: ScenarioContext,
  rules: Rules,
  { hidden, unknown, outsider }: HiddenRecord,
  telling: readonly string[],
): Promise<void> {
  const nobodys = await unknown(await outsider());
  const theirs = await hidden(await outsider());
  const apart = headersApart(theirs, nobodys);
  const still = telling.filter((name) => apart.includes(name));
  const words = 'the headers that an unknown id is answered with';
  t.expect(rules, theirs).is(words, still.length === 0, `other: ${still.join(', ')}`, nobodys);
}

/**
 * Headers about the connection and about how the bytes are sent on it, and nothing of a record: one
 * that is about to be closed may say so.
 */
const OF_THE_CONNECTION = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'content-length'],
  ...['te', 'trailer', 'upgrade', 'date'],
]);

/** Names of headers that one of the two has and the other has not. */
export function headersApart(
  one: Pick<Answer, 'headers'>,
  other: Pick<Answer, 'headers'>,
): string[] {
  const [own, others] = [one, other].map(({ headers }) => {
    const names = headers.lines.map(([name]) => name.toLowerCase());
    return new Set(names.filter((name) => !OF_THE_CONNECTION.has(name)));
  });
  const all = new Set([...own!, ...others!]);
  return [...all].filter((name) => own!.has(name) !== others!.has(name));
}

function judge(t: ScenarioContext, rules: Rules, hidden: Answer, unknown: Answer): void {
  // A 404 under another code for what does not exist is the operation's own rule's to judge.
  if (unknown.code !== 'not_found' && hidden.status >= 300) {
    throw new Blocked(`control failed: an unknown id: expected not_found, but ${unknown.summary}`);
  }
  t.findings.controlled = true;
  const words = `worded as for an unknown id: ${wording(unknown)}`;
  t.expect(rules, hidden)
    .refused(404, 'not_found')
    .is(words, wording(hidden) === wording(unknown), wording(hidden), unknown);
}

/** What the answer says, whichever ids it says of it, that of the attempt among them. */
export function wording(answer: Answer): string {
  const members = COMPARED.map((name) => `${name}: ${printJson(answer.at(name))}`);
  const text = answer.json === undefined ? answer.text : members.join(', ');
  const attempts = [answer.at('request_id'), answer.headers.get('x-request-id')];
  const nameless = attempts.reduce<string>(
    (words, id) => (typeof id === 'string' && id !== '' ? words.replaceAll(id, '#') : words),
    text,
  );
  return nameless.replace(/[0-9]+/g, '#');
}
