// A difference as a script that anybody can run: curl for every call, with names that are new each
// time and ids taken from the answers.
import { REDACTED, type Redactor } from '../../reports/redact.ts';
import { curlScript } from '../../reports/replay.ts';
import type { ReportExchange } from '../../reports/report.ts';
import type { Found } from '../findings/found.ts';
import type { CallOutcome, LostOutcome, ManyOutcome } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import {
  type CallStep,
  type MintWish,
  type OperatorStep,
  refersTo,
  type Step,
} from '../sequence.ts';
import { resolveText } from '../values.ts';

export interface ScriptParts {
  readonly id: string;
  readonly title: string;
  readonly rules: readonly string[];
  readonly target: { readonly base_url: string; readonly control_url: string | null };
  readonly startedAt: string;
  readonly redactor: Redactor;
}

/** More calls than these make no script that anybody reads. */
const MOST_CALLS = 120;

/** Null where it would be too long, and where curl alone cannot show what differs. */
export function scriptOf(found: Found, parts: ScriptParts): string | null {
  if (found.difference.operation === 'delivery') return null;
  const { id, title, target, startedAt } = parts;
  let atMs = 0;
  const exchanges = found.sequence.steps.flatMap((step) =>
    exchangesOf(step, found, parts).map((each) => {
      // What an operator does comes after the call before it, unless that one is kept waiting.
      if (each.kind === 'operator') return { ...each, at_ms: atMs };
      const waits = step.do === 'call' && step.pending === true;
      atMs = each.at_ms + (waits ? 1 : each.duration_ms);
      return each;
    }),
  );
  if (exchanges.length > MOST_CALLS) return null;
  const mark = found.recorded.target.nonce;
  return curlScript({ target, started_at: startedAt, mark }, { id, title, exchanges });
}

function exchangesOf(
  step: Step,
  { recorded }: Found,
  parts: ScriptParts,
): readonly ReportExchange[] {
  const player = recorded.target;
  const outcomeOf = (n: number) => player.broughtBy(n);
  switch (step.do) {
    case 'call':
      return callExchange(step, outcomeOf(step.n), parts);
    case 'burst':
      return step.calls.flatMap((call) => callExchange(call, outcomeOf(call.n), parts));
    case 'many': {
      const { answers = [] } = (outcomeOf(step.n) ?? {}) as Partial<ManyOutcome>;
      return answers.flatMap((answer, at) => {
        return callExchange({ ...step.call, n: step.n * 10_000 + at }, answer, parts);
      });
    }
    // What a profile names stands in the calls as it is.
    case 'place':
    case 'await':
    case 'hook':
      return [];
    default:
      return operatorExchange(step, player);
  }
}

function callExchange(
  step: CallStep,
  outcome: unknown,
  { target, redactor }: ScriptParts,
): readonly ReportExchange[] {
  const { n, as } = step;
  const played = outcome as CallOutcome | LostOutcome | undefined;
  if (played === undefined || !('sent' in played)) return [];
  const { sent, sentAtMs, answeredAtMs } = played;
  const bytes = (body: Uint8Array | undefined) =>
    body === undefined || body.length === 0 ? null : Buffer.from(body).toString();
  const own = sent.headers.some(([name]) => name === 'authorization');
  const [tokenStep] = refersTo(step.headers?.authorization);
  // AUTH-1: what is sent instead of a token and comes from no answer is none in a script either.
  const caller = own ? (tokenStep === undefined ? null : `step ${tokenStep}`) : as;
  const headers = sent.headers.map(
    ([name, value]) => [name, redactor.header(name, value)] as const,
  );
  const token = own || as === 'nobody' ? [] : [['authorization', `Bearer ${REDACTED}`] as const];
  return [
    {
      ...{ n, kind: 'call', as: caller, failure: null },
      request: {
        method: sent.method,
        url: `${target.base_url}${sent.target}`,
        headers: [...headers, ...token],
        body: bytes(sent.body),
      },
      response: played.kind === 'lost' ? null : answerOf(played, redactor),
      at_ms: sentAtMs,
      duration_ms: answeredAtMs - sentAtMs,
    },
  ];
}

/** Ids are read from it; secrets in it are redacted. */
function answerOf({ status, headers, body }: CallOutcome, redactor: Redactor) {
  const lines = headers.lines.map(([name, value]) => [name, redactor.header(name, value)] as const);
  const text = body.length === 0 ? null : redactor.text(Buffer.from(body).toString());
  return { status, headers: lines, body: text };
}

type Ordered = Exclude<OperatorStep, { readonly do: 'place' | 'await' | 'hook' }>;

function operatorExchange(step: Ordered, player: Player): readonly ReportExchange[] {
  const [method, given, answer] = orderOf(step, player);
  return [
    {
      ...{ n: step.n, kind: 'operator', as: null, failure: null },
      request: { method, url: '', headers: [], body: JSON.stringify(given) },
      response: { status: 200, headers: [], body: JSON.stringify(answer) },
      ...{ at_ms: 0, duration_ms: 0 },
    },
  ];
}

/** By the verbs of an operator, with what it is given and answers. */
function orderOf(step: Ordered, player: Player): [string, readonly unknown[], unknown] {
  const text = (value: Parameters<typeof resolveText>[0]) => resolveText(value, player);
  const clientOf = ({ name }: { readonly name: string }) => player.has(name, 'client');
  switch (step.do) {
    case 'advance':
      return ['advance', [step.byMs], null];
    case 'open': {
      const { currency, provider } = step;
      return [
        'openTradingAccount',
        [text(step.account), { currency, provider }],
        jsonOf(step, player),
      ];
    }
    case 'mint':
      return ['mint', [mintedAs(step.wish, player)], { name: step.name, clientId: clientOf(step) }];
    case 'rescope':
      return ['rescope', [clientOf(step), step.scopes], null];
    case 'settle':
      return ['settle', [text(step.id)], null];
    case 'ledger':
      return ['ledger', [text(step.tradingAccount)], jsonOf(step, player)];
    case 'permit':
      return ['permit', ['1', step.operation, step.allowed], null];
    case 'emit': {
      const { category, kind, account } = step;
      return ['emit', [{ category, kind, accountId: account && text(account) }], null];
    }
    case 'fault': {
      const { match, phase, effect, times } = step;
      return ['fault', [{ match, phase, effect, times }], null];
    }
  }
}

/** Of whose account, and by whom: as ids, in whose place the script has those of its own run. */
function mintedAs({ account, mintedBy, ...rest }: MintWish, player: Player) {
  return {
    ...rest,
    ...(account === undefined ? {} : { accountId: resolveText(account, player) }),
    ...(mintedBy === undefined ? {} : { mintedBy: player.has(mintedBy, 'client') }),
  };
}

function jsonOf({ n }: Step, player: Player): unknown {
  const outcome = player.outcomes.get(n);
  if (outcome?.kind === 'ledger') return { balance: outcome.balance, entries: outcome.entries };
  return outcome?.kind === 'done' ? outcome.json : null;
}
