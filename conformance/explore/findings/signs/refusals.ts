// Of a refusal that came and was not due, or was due and did not come: which check it comes from.
import { rulesOf } from '../../compare/difference.ts';
import { type CallStep, refersTo } from '../../sequence.ts';
import {
  answerOf,
  bodyOf,
  type Evidence,
  hasSymbol,
  isAlike,
  statusOf,
  stemsIn,
} from './evidence.ts';
import { reachRules } from './features.ts';

export function refusalRules(evidence: Evidence): readonly string[] {
  const { difference, due, came } = evidence;
  // ERR-3: the code of the table under another status; of one operation it is that one's rule.
  if (difference.at === 'status' && statusOf(came) >= 400 && due.slice(4) === came.slice(4)) {
    const isOfAll = /^(429|500|503)/.test(due);
    return isOfAll ? ['ERR-3'] : [...rulesOf(difference.basis), 'ERR-3'];
  }
  // AUTH-4: whoever has scopes of their own is refused for these.
  if (came === '403 forbidden' && due !== came && hasOwnScopes(evidence)) return ['AUTH-4'];
  return statusOf(due) >= 400 ? dueRules(evidence) : cameRules(evidence);
}

const hasOwnScopes = ({ call, steps }: Evidence): boolean =>
  steps.some(
    (step) => step.do === 'mint' && step.name === call?.as && (step.wish.scopes ?? []).length > 0,
  );

/** What should have been served is refused: by the check that says so. */
function cameRules(evidence: Evidence): readonly string[] {
  const { came, call, difference } = evidence;
  const { operation } = difference;
  // AUTH-3a: a token that was issued is one that works.
  if (/^40[13]/.test(came) && call?.headers?.authorization !== undefined) return ['AUTH-3a'];
  if (came.startsWith('400 idempotency')) {
    return /Webhook/.test(operation) ? ['HOOK-1'] : badKeyRules(call);
  }
  if (came.startsWith('403') && operation === 'createAccount') {
    return /brand/.test(call?.as ?? '') ? ['ACC-17'] : ['AUTH-4'];
  }
  if (came.startsWith('404') && /Webhook$|WebhookSecret$/.test(operation))
    return goneRules(evidence);
  if (came.startsWith('404')) return reachRules(evidence);
  if (came.startsWith('413') && operation === 'bulkCreateAccounts') return ['BULK-7'];
  // TXS-18: what goes by no provider is approved; TXS-3: what does is not.
  return came.startsWith('501') ? ['TXS-18', 'TXS-3'] : [];
}

/** HOOK-11, HOOK-13: a subscription is there for whoever has made it, disabled or not. */
function goneRules({ call, others }: Evidence): readonly string[] {
  const isDisabled = others.some(
    ({ operation, id }) => operation === 'disableWebhook' && isAlike(id, call?.id),
  );
  return isDisabled ? ['HOOK-13', 'HOOK-11'] : ['HOOK-11', 'HOOK-12'];
}

/** Why a key may have been refused that was a good one. */
function badKeyRules(call: CallStep | undefined): readonly string[] {
  if (hasSymbol(call?.key, 'length')) return ['IDEM-1b'];
  // IDEM-1c: it has spaces before it or after it, which do not count.
  const parts = (call?.key as { readonly $join?: readonly unknown[] } | undefined)?.$join ?? [];
  const isPadded = /^ /.test(String(parts[0])) || / $/.test(String(parts.at(-1)));
  return isPadded ? ['IDEM-1c', 'IDEM-1b'] : ['IDEM-1a', 'IDEM-1b'];
}

/** What should have been refused is served, or refused by another check. */
function dueRules(evidence: Evidence): readonly string[] {
  const { due, came, call, difference } = evidence;
  // IDEM-1d: the key is looked at first.
  if (due.startsWith('400 idempotency') && statusOf(came) >= 400) return ['IDEM-1d'];
  if (due.startsWith('404')) return unreachedRules(evidence);
  if (came === '409 invalid_state' && due.startsWith('422')) return leftRules(evidence);
  // NS-23: under which status a target is refused is open.
  const isMalformed = difference.operation === 'createWebhook' && /^4(00|22)/.test(due);
  if (!isMalformed) return [];
  const { url } = bodyOf(call);
  return typeof url === 'string' && url.startsWith('https:') ? ['HOOK-8'] : [];
}

/** IDEM-11: under a new key nothing is left of what was refused, neither its names. */
function leftRules({ call, found, others }: Evidence): readonly string[] {
  const own = stemsIn(bodyOf(call).client_reference_id);
  const before = others.filter(
    (each) =>
      !isAlike(each.key, call?.key) &&
      stemsIn(bodyOf(each).client_reference_id).some((stem) => own.includes(stem)) &&
      (answerOf(found.duel.model.outcomes.get(each.n))?.status ?? 0) >= 400,
  );
  return before.length > 0 ? ['IDEM-11'] : [];
}

/** What cannot be reached is no other than what is not there, whatever state it is in. */
function unreachedRules(evidence: Evidence): readonly string[] {
  const { call, came, difference } = evidence;
  if (came.startsWith('412')) return ['UPD-6'];
  if (/Webhook/.test(difference.operation)) return [];
  if (came === '403 forbidden' && call?.as === 'delegated') return ['AUTH-4'];
  if (isOfAnother(evidence)) return ['TXN-11'];
  return statusOf(came) < 400 || came.startsWith('409') ? reachRules(evidence) : [];
}

/** The account and the trading account are of two places that the firm's profile names. */
function isOfAnother({ call, steps }: Evidence): boolean {
  const { account_id, trading_account_id } = bodyOf(call);
  const [one, other] = [account_id, trading_account_id].map((value) => {
    const n = refersTo(value)[0];
    return steps.find((step) => step.do === 'place' && step.n === n);
  });
  return one !== undefined && other !== undefined && one !== other;
}
