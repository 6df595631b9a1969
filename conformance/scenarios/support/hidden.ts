// A record out of reach gets the same answer as one that does not exist: same status, code and words.

import type { Rules, ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Who } from '../../engine/send/call.ts';
import { printJson } from '../../engine/send/json.ts';

const COMPARED = ['type', 'title', 'status', 'code', 'detail'];

type Send = (who?: Who) => Promise<Answer>;

/** One request for a record out of reach, and the same for an id that no record has. */
interface HiddenRecord {
  readonly hidden: Send;
  readonly unknown: Send;
  /** The same for the caller's own record, requested only if there is a difference. */
  readonly own: Send;
}

/**
 * `unknown` sends the same request for an id that does not exist. If that is not a 404 either, the
 * operation's own rule judges it.
 */
export function expectHidden(t: ScenarioContext, rules: Rules, hidden: Answer, unknown: Answer) {
  if (unknown.status !== 404) {
    throw new Blocked(`control failed: an unknown id: expected 404, but ${unknown.summary}`);
  }
  judge(t, rules, hidden, unknown);
}

export async function expectOutOfReach(t: ScenarioContext, rules: Rules, hiding: HiddenRecord) {
  const [unknown, hidden] = [await hiding.unknown(), await hiding.hidden()];
  if (unknown.status !== 404) {
    // If no credential gets a 404 for an unknown id, the operation's own rule judges that.
    const general = await hiding.unknown(t.mainRole);
    if (general.status !== 404) expectHidden(t, rules, hidden, general);
    const own = await hiding.own();
    if (own.status === 403 || own.status === 404) {
      throw new Blocked(`control failed: a record of its own: ${own.summary}`);
    }
  }
  judge(t, rules, hidden, unknown);
  const telling = headersApart(hidden, unknown);
  if (telling.length === 0) return;
  // Intermediaries sometimes add headers: only one that differs each time reveals something.
  const [outsiders, theirs] = [await hiding.unknown(), await hiding.hidden()];
  const apart = headersApart(theirs, outsiders);
  const still = telling.filter((name) => apart.includes(name));
  const words = 'the headers that an unknown id is answered with';
  t.expect(rules, theirs).is(words, still.length === 0, `other: ${still.join(', ')}`, outsiders);
}

/**
 * Headers about the connection and the transfer, not about a record: a connection that will be
 * closed may announce it.
 */
const OF_THE_CONNECTION =
  /^(connection|keep-alive|proxy-connection|transfer-encoding|content-length|te|trailer|upgrade|date)$/i;

/** Names of headers that only one of the two has. */
export function headersApart(one: Pick<Answer, 'headers'>, other: Pick<Answer, 'headers'>) {
  const [own, others] = [one, other].map(({ headers }) => {
    const names = headers.lines.map(([name]) => name.toLowerCase());
    return new Set(names.filter((name) => !OF_THE_CONNECTION.test(name)));
  });
  return [...new Set([...own!, ...others!])].filter((name) => own!.has(name) !== others!.has(name));
}

function judge(t: ScenarioContext, rules: Rules, hidden: Answer, unknown: Answer): void {
  // The operation's own rule judges a 404 with another code for a record that does not exist.
  if (unknown.code !== 'not_found' && !hidden.isServed) {
    throw new Blocked(`control failed: an unknown id: expected not_found, but ${unknown.summary}`);
  }
  t.findings.controlled = true;
  const words = `worded as for an unknown id: ${wording(unknown)}`;
  t.expect(rules, hidden)
    .refused(404, 'not_found')
    .is(words, wording(hidden) === wording(unknown), wording(hidden), unknown);
}

/** The text of the answer without its ids, including the requested id. */
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
