// Rules that were once accused, or not judged, on a conforming target with one of these traits.
// Each is judged on the witness with the trait, and must get this verdict.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { judgeWitness } from '../testing/judge-witness.ts';
import { complaintsOf } from '../testing/sandboxed.ts';
import { traits } from '../testing/witness/traits.ts';

const legitimate = suite('rules on a target with a legitimate trait');

/** It breaks LIM-1; rules that are not about limits must not deviate. */
const GENEROUS = { id: 'generous', sentence: 'limits are too high', style: { generosity: 1.2 } };

type Row = readonly [
  traits: string,
  rules: readonly string[],
  verdict: 'passed' | 'not_tested' | 'advisory',
];

const ROWS: readonly Row[] = [
  // A request that gets an occasional 500 or 503 is sent again; these responses are not judged.
  ['failure', ['IDEM-7b', 'IDEM-14a', 'AUTH-8', 'ACC-14'], 'passed'],
  ['contention', ['IDEM-15', 'TXS-2', 'UPD-12'], 'passed'],
  ['lock-25', ['UPD-3', 'TXS-4'], 'passed'],
  [
    // NS-14: an unreadable body is refused with any 4xx in plain text. NS-1: orders may be answered
    // with any success. Numbers beyond 2^53 are parsed, compared and printed exactly. NS-7: the
    // maximum number of subscriptions is open.
    'unreadable-415 order-202 ids-int64 page-10 ten-hooks',
    [
      ...['TXN-6', 'TXN-7', 'TXS-15', 'ACC-3', 'CONV-1b', 'POS-2', 'POS-3', 'POS-4', 'IDEM-4a'],
      ...['IDEM-2c', 'CONV-3', 'AUTH-6', 'ACC-5', 'AUTH-4', 'AUTH-8'],
    ],
    'passed',
  ],
  // Unspecified behaviour is not judged: other members, the length of an id, late retries.
  [
    'extra-members empty-note ids-64-bit retries-swept',
    ['IDEM-4c', 'TXN-9', 'UPD-5', 'EVT-8a', 'EVT-8b'],
    'passed',
  ],
  ['extra-members', ['ACC-18'], 'advisory'],
  // Limits that are not specified: of amounts, texts, tags and subscriptions to one URL.
  [
    'amounts-10-to-million countries-64 names-plain tags-numeric url-once revision-64-bit',
    [
      ...['CONV-2a', 'CONV-2b', 'TXS-2', 'TXS-3', 'TXS-10', 'TXS-18', 'ACC-14', 'ACC-18'],
      ...['IDEM-4c', 'IDEM-4d', 'IDEM-11', 'EVT-4', 'EVT-6', 'UPD-1', 'UPD-7'],
    ],
    'passed',
  ],
  // The order of rows, and the time of a first attempt, are open.
  [
    'disabled-once target-probed last-row-first late-3',
    [
      ...['AUTH-1', 'AUTH-4', 'AUTH-8', 'HOOK-6', 'BULK-3', 'BULK-8', 'BULK-12'],
      ...['EVT-2b', 'EVT-4', 'EVT-8a', 'EVT-9b', 'EVT-13'],
    ],
    'passed',
  ],
  // EVT-4: an event may be delivered twice.
  ['sent-twice', ['EVT-4', 'EVT-5b', 'EVT-7', 'EVT-8a', 'EVT-8b', 'EVT-9b', 'HOOK-5'], 'passed'],
  // NS-1: orders may always be refused.
  ['market-409', ['POS-2', 'POS-4'], 'not_tested'],
  ['generous', ['AUTH-3c'], 'passed'],
];

for (const [ids, rules, verdict] of ROWS) {
  legitimate(`${ids}: ${rules.join(' ')} ${verdict}`, async () => {
    const own = [...traits, GENEROUS].filter(({ id }) => ids.split(' ').includes(id));
    assert.is(own.length, ids.split(' ').length);
    const report = await judgeWitness({ traits: own, only: rules, skip: ['idem-many-keys'] });
    assert.equal(complaintsOf(report), []);
    const others = report.rules.filter((each) => {
      return rules.includes(each.id) && each.verdict !== verdict;
    });
    assert.equal(others, []);
  });
}

legitimate.run();
