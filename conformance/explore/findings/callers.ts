// Who makes a call, in words that whoever files a bug can use: names are of one play alone.
import { EVERY_SCOPE } from '../../providers/control-provider.ts';
import { count } from '../../reports/verdict-words.ts';
import type { MintWish } from '../sequence.ts';
import type { Evidence } from './signs/evidence.ts';

/** `brand: a credential bound to one brand`. */
export const ROLE_WORDS: Readonly<Record<string, string>> = {
  firm: 'a credential of the whole firm, with every scope',
  brand: 'a credential bound to one brand',
  other_brand: 'a credential bound to another brand of the firm',
  other_firm: 'a credential of another firm',
  no_scopes: 'a credential without any scope',
  no_amend: 'a credential with every scope but transactions:amend',
  amend_only: 'a credential with transactions:amend alone',
  delegated: "a trader's token, for one account",
  read_only: "a trader's token that may only read",
  nobody: 'a call without a token of its own',
};

/** Nothing of the firm's own credential, which whatever is not about callers is called as. */
export function callerWords({ call, steps }: Evidence): readonly string[] {
  if (call?.headers?.authorization !== undefined) return ['under a token issued before'];
  if (call === undefined || call.as === 'firm') return [];
  if (call.as === 'nobody') return ['without a token of its own'];
  const minted = steps.find((step) => step.do === 'mint' && step.name === call.as);
  const words = minted?.do === 'mint' ? mintedWords(minted.wish) : ROLE_WORDS[call.as];
  return [`with ${words ?? `the credential ${call.as}`}`];
}

/** As many as a title has room for. */
const MOST_SCOPES = 2;

/** By what it has not got of the firm's own. */
function mintedWords({ kind, brand, firm, readOnly, scopes, plan, perSecond }: MintWish): string {
  const rate = plan ?? (perSecond == null ? undefined : `${count(perSecond, 'call')} a second`);
  const held = rate === undefined ? '' : `, held to ${rate}`;
  if (kind === 'delegated') {
    return `a trader's token${readOnly === true ? ' that may only read' : ''}${held}`;
  }
  const whose = firm === undefined || firm === 'firm' ? '' : ' of another firm';
  const bound = brand === undefined ? '' : ' bound to one brand';
  return `another credential${whose}${bound}${scopeWords(scopes)}${held}`;
}

function scopeWords(scopes: readonly string[]): string {
  if (EVERY_SCOPE.every((each) => scopes.includes(each))) return '';
  if (scopes.length === 0) return ' without any scope';
  return scopes.length > MOST_SCOPES ? ' of fewer scopes' : ` that has ${scopes.join(' and ')}`;
}
