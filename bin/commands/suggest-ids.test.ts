// The suggestions for a mistyped id.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rules } from '../../fixtures/rules.ts';
import { suggestIds } from './suggest-ids.ts';

const ids = rules.map(({ id }) => id);

const TYPED: [text: string, offered: string][] = [
  ['IDEM-4', '; did you mean IDEM-4a, IDEM-4b, IDEM-4c or IDEM-4d?'],
  ['idem4b', '; did you mean IDEM-4b?'],
  ['CONV_3', '; did you mean CONV-3?'],
  ['nothing-of-the-kind', ''],
  // Too many suggestions to be useful.
  ['HOOK', ''],
];

for (const [text, offered] of TYPED) {
  test(`${text} offers ${offered || 'nothing'}`, () => assert.is(suggestIds(text, ids), offered));
}

test.run();
