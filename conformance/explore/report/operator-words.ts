// What an operator, a profile or time did, in a sentence each. Records are named by the steps that
// made them.
import { OPERATIONS } from '../../engine/operations.ts';
import { count, duration, span } from '../../reports/verdict-words.ts';
import type { ManyStep, MintWish, OperatorStep, Step } from '../sequence.ts';
import type { ReportStep } from './schema.ts';

type ToldStep = ManyStep | OperatorStep;
type Kind = ToldStep['do'];

export function operatorWords(operator: ReportStep['operator']): string {
  if (operator === null) return 'a call that was kept waiting to the end';
  const step = (operator ?? {}) as Partial<ToldStep>;
  // The kind is one of them: the steps are those of a sequence that was played.
  const say = SENTENCES[step.do as Kind] as ((given: object) => string) | undefined;
  const said = say === undefined ? `operator: ${String(step.do)}` : say(step);
  return operator.refused === true ? `${said}, which is refused` : said;
}

const SENTENCES: {
  readonly [K in Kind]: (given: Extract<Step, { readonly do: K }>) => string;
} = {
  advance: ({ byMs }) => `${span(byMs)} pass`,
  open: ({ account, currency, provider }) =>
    [
      `a trading account is opened for ${thing('account', account)}`,
      ...(currency === undefined ? [] : [`in ${currency}`]),
      ...(provider === true ? ['that pays out through a provider'] : []),
    ].join(' '),
  place: ({ kind }) => `the trading account is seeds.${kind} of the profile`,
  settle: ({ id }) => `${thing('transaction', id)} settles`,
  ledger: ({ tradingAccount }) => `${thing('trading account', tradingAccount)} is looked at`,
  hook: ({ answers }) =>
    `an endpoint is made that answers each event with ${answers.join(', then ')}`,
  emit: ({ category, account }) => {
    const whose = account === undefined ? '' : ` to ${thing('account', account)}`;
    return `an event of the category ${category} happens${whose}`;
  },
  mint: ({ name, wish }) => `the credential ${name} is made: ${wishWords(wish)}`,
  rescope: ({ name, scopes }) => `the credential ${name} has ${scopeWords(scopes)} from now on`,
  permit: ({ operation, allowed }) =>
    `the firm may ${allowed ? 'use' : 'no longer use'} ${operation}`,
  await: ({ call }) => `the answer of step ${call} is awaited`,
  fault: (given) => faultWords(given),
  many: ({ count: times, call: { operation, as, id } }) => {
    const { method, path } = OPERATIONS[operation];
    const which = id === undefined ? '' : ` for ${said(id)}`;
    return `${times} times ${method} ${path}${which} as ${as}`;
  },
};

function faultWords({ match, phase, effect, times }: Extract<Step, { do: 'fault' }>): string {
  const named = match.operation ?? Object.values(match).join(' ');
  const which = times === 1 ? `the next ${named}` : `every ${named}`;
  const when = phase === 'after' ? ', after it was carried out' : '';
  if (effect.kind === 'status') return `${which} is answered ${effect.status}${when}`;
  if (effect.kind === 'delay') return `${which} is kept waiting for ${duration(Number(effect.ms))}`;
  return `${which} meets a fault of the kind ${effect.kind}${when}`;
}

function wishWords({
  kind,
  scopes,
  account,
  mintedBy,
  brand,
  readOnly,
  ...rest
}: MintWish): string {
  const { perSecond, plan, firm } = rest;
  return [
    ...(kind === 'delegated' ? ["a trader's token"] : []),
    ...(account === undefined ? [] : [`for ${thing('account', account)}`]),
    ...(mintedBy === undefined ? [] : [`from ${mintedBy}`]),
    ...(firm === undefined ? [] : [`of ${firm}`]),
    ...(brand === undefined ? [] : [`bound to the brand of ${brand}`]),
    ...(readOnly === true ? ['that may only read'] : []),
    `with ${scopeWords(scopes)}`,
    ...(plan === undefined ? [] : [`on the plan ${plan}`]),
    ...(perSecond == null ? [] : [`held to ${count(perSecond, 'call')} a second`]),
  ].join(', ');
}

const scopeWords = (scopes: readonly string[]): string =>
  scopes.length === 0 ? 'no scope' : `the scopes ${scopes.join(' ')}`;

/** A record that an earlier step has made, or one by its id. */
function thing(noun: string, id: unknown): string {
  const step = (id as { readonly $of?: unknown } | null)?.$of;
  return `the ${noun} ${step === undefined ? said(id) : `of step ${String(step)}`}`;
}

/** A value, or the answer that it is taken from. */
function said(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value);
  const { $of: step, at } = value as { $of?: unknown; at?: unknown };
  return step === undefined ? JSON.stringify(value) : `the ${String(at)} of step ${String(step)}`;
}
