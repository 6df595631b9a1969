// Words for reports: the title of a difference, the callers, and the steps that are no calls.
import { squeezed } from '../../reports/plain-text.ts';
import { count, duration } from '../../reports/verdict-words.ts';
import { OPERATIONS } from '../../spec/operations.ts';
import type { Shown } from '../findings/found.ts';
import {
  type CallStep,
  callsOf,
  type ManyStep,
  type OperatorStep,
  type Step,
  sameValue,
} from '../sequence.ts';

/** `brand: a credential bound to one brand`. */
export const ROLE_WORDS: Readonly<Record<string, string>> = {
  firm: 'a credential of the whole firm, with every scope',
  brand: 'a credential bound to one brand',
  other_brand: 'a credential bound to another brand of the firm',
  other_firm: 'a credential of another firm',
  no_scopes: 'a credential without any scope',
  no_amend: 'a credential with every scope except transactions:amend',
  amend_only: 'a credential with transactions:amend alone',
  delegated: "a trader's token, for one account",
  read_only: "a trader's token that may only read",
  client: 'the credential that asks for tokens',
  anonymous: 'a call without a token of its own',
};

export function titleOf({ difference, recorded }: Shown): string {
  const { operation, at, model, target, modelAnswer, targetAnswer } = difference;
  const when = circumstances(recorded.sequence.steps, difference.n);
  if (operation === 'ledger') {
    return `The ${at} of a trading account${when}: ${target} instead of ${model}`;
  }
  if (operation === 'delivery') {
    const what = at === 'count' ? target : `${at} ${target}`;
    return squeezed(`Webhook deliveries${when}: ${what} instead of ${model}`);
  }
  const doing = `${capitalised(OPERATIONS[operation].words)}${when}`;
  if (at === 'no_answer') return `${doing} is not answered (${target}), expected ${model}`;
  if (at === 'status' || at === 'code') return `${doing} answers ${target} instead of ${model}`;
  if (at.startsWith('replay.')) {
    return `${doing} is not answered with the bytes of the first answer, ${modelAnswer}`;
  }
  if (at.startsWith('attempt')) return `${doing} answers with the answer to another call`;
  const place = at.replace(/^(body|header)\./, '').replace(/\.(\d+)/g, '[$1]');
  return squeezed(
    `${doing} answers ${targetAnswer} with ${place} ${cut(target)} instead of ${cut(model)}`,
  );
}

const cut = (text: string): string => (text.length > 90 ? `${text.slice(0, 90)}…` : text);

/** The conditions of the difference: a repeat, a pause, concurrent calls, another caller. */
function circumstances(steps: readonly Step[], n: number): string {
  const calls = callsOf(steps);
  const call = calls.find((each) => each.n === n);
  const words: string[] = [];
  const isRepeat = calls.some(
    (each) => each.n !== n && call?.key !== undefined && sameValue(each.key, call.key),
  );
  if (isRepeat) words.push('under a key that was used before');
  if (steps.some((step) => step.do === 'burst')) words.push('beside other calls at the same time');
  const pausedMs = steps.reduce((sum, step) => sum + (step.do === 'advance' ? step.byMs : 0), 0);
  if (pausedMs > 1) words.push(`after ${duration(pausedMs)}`);
  const many = steps.find((step) => step.do === 'many');
  if (many?.do === 'many') words.push(`after ${count(many.count, 'call')}`);
  if (call !== undefined && call.as !== 'firm' && call.headers?.authorization === undefined) {
    const minted = steps.some((step) => step.do === 'mint' && step.name === call.as);
    words.push(`as ${minted ? 'another credential' : (ROLE_WORDS[call.as] ?? call.as)}`);
  }
  return words.length === 0 ? '' : ` ${words.join(', ')}`;
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function operatorWords(step: ManyStep | OperatorStep): string {
  switch (step.do) {
    case 'advance':
      return `${duration(step.byMs)} pass`;
    case 'open': {
      const { currency = 'its default currency', provider } = step;
      const payouts = provider === true ? ', with payouts through a provider' : '';
      return `open a trading account for ${named(step.account)} in ${currency}${payouts}`;
    }
    case 'place':
      return `use seeds.${step.kind} of the profile`;
    case 'settle':
      return `settle ${named(step.id)}`;
    case 'ledger':
      return `read the balance of ${named(step.tradingAccount)}`;
    case 'hook':
      return `listen at a URL that answers each event with ${step.answers.join(', then ')}`;
    case 'mint':
      return `create the credential ${step.name}: ${wishWords(step.wish)}`;
    case 'rescope':
      return `give the credential ${step.name} the scopes ${step.scopes.join(' ') || '(none)'}`;
    case 'permit':
      return `${step.allowed ? 'allow' : 'forbid'} the firm to use ${step.operation}`;
    case 'many': {
      const { operation, as, id } = step.call;
      const { method, path } = OPERATIONS[operation];
      const whose = id === undefined ? '' : ` for ${named(id)}`;
      return `${step.count} times ${method} ${path}${whose} as ${as}`;
    }
  }
}

/** `fault: the next createAccount answers 500 after it has run`. */
export function faultWords({ operation, fault }: CallStep): string {
  const { phase, effect } = fault!;
  const what: Readonly<Record<string, string>> = {
    status: `answers ${effect.status}`,
    delay: `waits ${duration(Number(effect.ms))}`,
  };
  const words = what[effect.kind as string] ?? `meets a ${effect.kind}`;
  return `fault: the next ${operation} ${words}${phase === 'after' ? ' after it has run' : ''}`;
}

/** `scopes accounts:write, plan sandbox, brand brand`. */
const wishWords = (wish: object): string =>
  Object.entries(wish)
    .map(([name, value]) => {
      const text = Array.isArray(value) ? value.join(' ') || '(none)' : named(value);
      return `${name} ${text}`;
    })
    .join(', ');

function named(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value);
  const { $of: step, at } = value as { readonly $of?: unknown; readonly at?: unknown };
  return step === undefined ? JSON.stringify(value) : `the ${String(at)} of step ${String(step)}`;
}
