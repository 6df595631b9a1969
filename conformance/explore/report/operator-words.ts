// Describes the steps of an operator, a profile or the clock. Records are named by the steps that
// created them.
import { duration } from '../../reports/verdict-words.ts';
import { OPERATIONS } from '../../spec/operations.ts';
import type { CallStep, ManyStep, OperatorStep } from '../sequence.ts';

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

/** A value, or the step whose response it is taken from. */
function named(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value);
  const { $of: step, at } = value as { readonly $of?: unknown; readonly at?: unknown };
  return step === undefined ? JSON.stringify(value) : `the ${String(at)} of step ${String(step)}`;
}
