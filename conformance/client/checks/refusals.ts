// Checks of what a client does after a refusal: permanent refusals and stale tags.
import { parseJson } from '../../../fixtures/lenient.ts';
import { Headers } from '../../engine/send/headers.ts';
import { shortKey } from '../../reports/exchanges.ts';
import type { OperationName } from '../../spec/operations.ts';
import { overtake, refuseAlways, statusOf } from '../faults.ts';
import {
  type ApiCall,
  callsAt,
  chosen,
  endingWords,
  type Observation,
  type Recording,
  type Site,
  sitesOf,
} from '../recording.ts';
import { membersOf, sameRequest } from '../requests.ts';
import {
  type Aim,
  advise,
  aimsAt,
  type Check,
  fail,
  missed,
  type Outcome,
  pass,
  seconds,
} from './check.ts';

const codes = [
  'validation_failed',
  'invalid_state',
  'not_found',
  'forbidden',
  'not_implemented',
] as const;
type Refusal = (typeof codes)[number];

const refused: Check = {
  id: 'CLT-refused',
  title: 'a write is refused permanently',
  orders:
    'A write is answered 403, 404, 409 invalid_state, 422 or 501, and so is every repeat of it.',
  expected: 'does not send it again as it is, under whatever key',
  atStake:
    'The response will not change: every repeat uses up the rate limit of requests that can succeed, and hides the mistake from the people who could fix it.',
  mend: 'Repeat only what can succeed: 409 idempotency_in_flight, 429, 500 and 503. Report everything else at once. A corrected request is a new operation under a new key.',
  rules: ['IDEM-4d', 'IDEM-11'],
  aims: ({ sites }) => refusalAims(chosen(sites)),
  aimsPerRun: 1,
  fault: ({ variant }) => refuseAlways(variant ?? 'not_found'),
  judge: judgeRefused,
};

/** The refusals of the platform for each operation, the most specific first. */
const natural: Partial<Readonly<Record<OperationName, readonly Refusal[]>>> = {
  createAccount: ['invalid_state', 'validation_failed', 'forbidden'],
  updateAccount: ['not_found', 'validation_failed', 'forbidden'],
  bulkCreateAccounts: ['validation_failed', 'forbidden'],
  createTransaction: ['validation_failed', 'not_found', 'forbidden'],
  approveTransaction: ['not_implemented', 'invalid_state', 'not_found', 'forbidden'],
  rejectTransaction: ['invalid_state', 'not_found', 'forbidden'],
  cancelTransaction: ['forbidden', 'invalid_state', 'not_found'],
};
const ofPositions: readonly Refusal[] = ['forbidden', 'not_found', 'validation_failed'];

function naturalAt({ operation }: Site): readonly Refusal[] {
  return natural[operation] ?? ofPositions;
}

/** Every site gets a refusal, and every refusal occurs, at a suitable operation if possible. */
function refusalAims(sites: readonly Site[]): Aim[] {
  const [any] = sites;
  if (any === undefined) return [];
  const pairs: [Site, Refusal][] = [];
  const uses = (code: Refusal) => pairs.filter(([, each]) => each === code).length;
  for (const site of sites) {
    const [code] = naturalAt(site).toSorted((a, b) => uses(a) - uses(b));
    pairs.push([site, code ?? 'forbidden']);
  }
  for (const code of codes.filter((each) => uses(each) === 0)) {
    pairs.push([sites.find((site) => naturalAt(site).includes(code)) ?? any, code]);
  }
  return pairs.map(([site, code]) => {
    const words = `${site.words}, answered ${statusOf(code)} ${code}`;
    return { id: `${site.id} ${code}`, site, variant: code, words };
  });
}

function judgeRefused(recording: Recording, aim: Aim, seen: Observation): Outcome {
  const { site } = aim;
  if (site === null) return missed(aim);
  const failed = recording.calls.filter((call) => call.fault !== null);
  const [first] = failed;
  if (first === undefined) return missed(aim);
  const summary = `the write was answered ${first.response?.status} ${aim.variant}`;
  const same = failed.filter((call) => sameRequest(first, call));
  // A test may send one request twice on purpose, to show that it converges.
  const [again] = same.slice(site.calls);
  if (again !== undefined) {
    const later = seconds(again.atMs - (first.answeredAtMs ?? first.atMs));
    const how = again.key === first.key ? 'under the same key' : `under ${shortKey(again.key)}`;
    const words = `${summary}, and sent again as it was, ${how}, ${later} later`;
    return fail('sent-again', words, same);
  }
  const renamed = failed.filter((call) => call.site !== site.id && !sameRequest(first, call));
  const now = sitesOf(recording, site.operation).length;
  if (renamed.length > 0 && now > sitesOf(seen.first, site.operation).length) {
    const words = `${summary}, and sent again with only its reference changed`;
    return fail('sent-again', words, [first, ...renamed]);
  }
  const { ending } = recording;
  if (ending.killed) {
    return advise('hangs', `${summary}; it was not sent again, but ${endingWords(ending)}`, [
      first,
    ]);
  }
  return pass(`${summary}, and not sent again`, [first]);
}

const staleTag: Check = {
  id: 'CLT-stale-tag',
  title: 'another client updates first (412)',
  orders:
    'Just before each update arrives, another client changes the same account: the update is answered 412 revision_conflict.',
  expected:
    'does not repeat with that tag, reads the account again, and sends under a new tag and a new key, or ends with an error',
  atStake:
    'Two people edit one customer. A client that does not read again silently undoes the work of the other one, or drops its own.',
  mend: 'On 412 read the account again, apply the change to what it is now, and send it as a new operation: a new tag, a new key.',
  rules: ['UPD-7', 'UPD-12'],
  aims: ({ sites }) =>
    aimsAt(chosen(sites.filter(({ operation }) => operation === 'updateAccount'))),
  aimsPerRun: 1,
  fault: () => overtake(),
  judge: judgeStale,
};

function tagOf({ headers }: ApiCall): string | null {
  return new Headers(headers).get('if-match')?.trim() ?? null;
}

/** How often the first run sends under a stale tag, as a test of the 412 does on purpose. */
function staleOnPurpose({ first }: Observation): number {
  const updates = first.calls.filter(({ operation }) => operation === 'updateAccount');
  return updates.filter(({ response }) => response?.status === 412).length;
}

function judgeStale(recording: Recording, aim: Aim, seen: Observation): Outcome {
  const failed = callsAt(recording, aim.site?.id).find((call) => call.fault !== null);
  if (failed === undefined || failed.response?.status !== 412) return missed(aim);
  const { ending } = recording;
  const updates = recording.calls.filter(
    ({ n, operation, path }) =>
      n > failed.n && operation === 'updateAccount' && path === failed.path,
  );
  const summary = `the update under the tag ${tagOf(failed)} was answered 412`;
  const underIt = updates.filter((call) => tagOf(call) === tagOf(failed));
  const stale = underIt[staleOnPurpose(seen)];
  if (stale !== undefined) {
    return fail('same-tag', `${summary}, and sent again with the same tag`, [failed, stale]);
  }
  const next = updates.find((call) => !underIt.includes(call));
  if (next === undefined) return judgeLeft(recording, failed, summary);
  if (tagOf(next) === null) {
    return fail('no-tag', `${summary}, and sent again without any tag`, [failed, next]);
  }
  if (next.key === failed.key) {
    const words = `${summary}, and sent again with a new tag under the old key, which replays the 412`;
    return fail('same-key', words, [failed, next]);
  }
  const read = recording.calls.find(
    (call) => call.n > failed.n && call.n < next.n && shows(call, tagOf(next)),
  );
  if (read === undefined) {
    const words = `${summary}, and sent again with the tag ${tagOf(next)}, which no response had shown`;
    return fail('guessed-tag', words, [failed, next]);
  }
  if (ending.killed) {
    return advise('hangs', `${summary}, read again and sent; but ${endingWords(ending)}`, [next]);
  }
  return pass(`${summary}, read again, and sent under a new tag and a new key`, [
    failed,
    read,
    next,
  ]);
}

function judgeLeft(recording: Recording, failed: ApiCall, summary: string): Outcome {
  const { ending } = recording;
  const end = endingWords(ending);
  if (ending.code !== 0) return pass(`${summary}, and the command ${end}`, [failed]);
  const read = recording.calls.find(({ n, method }) => n > failed.n && method === 'GET');
  if (read !== undefined) {
    const words = `${summary}; it read again, sent nothing, and the command ${end}`;
    return advise('left', words, [failed, read]);
  }
  const words = `${summary}, it was not sent again, and the command ${end} as if it had succeeded`;
  return fail('taken-for-done', words, [failed]);
}

/** A response that shows the tag, in its header or as the revision of an account. */
function shows({ response }: ApiCall, tag: string | null): boolean {
  if (response === null || tag === null) return false;
  if (new Headers(response.headers).get('etag') === tag) return true;
  return revisionsIn(parseJson(response.body)).includes(tag.replaceAll('"', ''));
}

function revisionsIn(json: unknown): string[] {
  if (Array.isArray(json)) return json.flatMap(revisionsIn);
  const members = membersOf(json);
  const own = members.revision;
  const inner = Object.values(members).flatMap((value) =>
    typeof value === 'object' ? revisionsIn(value) : [],
  );
  return typeof own === 'number' ? [String(own), ...inner] : inner;
}

export const refusalChecks: readonly Check[] = [refused, staleTag];
