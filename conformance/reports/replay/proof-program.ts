// The part of a replay script that compares: each answer with the recorded one, and what deviated
// with what is seen now. It runs on node alone, wherever the script is taken.

/**
 * Ids, times and names are others each time; that two of them are the same is kept. What the words
 * of a refusal say is nobody's contract.
 */
const CANON = String.raw`
const fs = require('fs');
const [work] = process.argv.slice(2);
const recorded = JSON.parse(fs.readFileSync(work + '/recorded.json', 'utf8'));
const newMark = process.env.MARK || '';
const WAITS = ['retry-after', 'x-ratelimit-reset'];
const RATES = ['x-ratelimit-limit', 'x-ratelimit-remaining'];
const SHOWN = ['content-type', 'etag', 'x-request-id', 'allow', 'location', ...WAITS, ...RATES];
const WORDS = ['detail', 'title', 'message', 'instance'];
const read = (file) => {
  try {
    return fs.readFileSync(work + '/' + file, 'utf8');
  } catch {
    return null;
  }
};

function canon(value, key, names, mark) {
  if (Array.isArray(value)) return value.map((each) => canon(each, key, names, mark));
  if (value !== null && typeof value === 'object') {
    const made = {};
    for (const name of Object.keys(value).sort())
      made[name] = canon(value[name], name, names, mark);
    return made;
  }
  if (value === null || typeof value === 'boolean') return value;
  if (/secret|token/i.test(key)) return '<secret>';
  if (WORDS.includes(key)) return '<words>';
  const isId = /(^|_|-)(id|seq)$|[a-z]Id$/.test(key) && !/firm|brand/i.test(key);
  if (isId) {
    const kind = typeof value + String(value);
    if (!names.has(kind)) names.set(kind, '<' + typeof value + ' ' + (names.size + 1) + '>');
    return names.get(kind);
  }
  if (typeof value === 'number') return value >= 1e11 ? '<time>' : value;
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return '<time>';
  const own = mark === '' ? value : value.replace(new RegExp(mark, 'gi'), 'MARK');
  return own.replace(/\+447[45]\d{8}/g, '<phone>').replace(/key-[0-9a-zA-Z-]{8,}/g, '<key>');
}

function bodyOf(text) {
  if (text === null || text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function then(step) {
  const headers = {};
  for (const [name, value] of step.headers) headers[name.toLowerCase()] = value;
  const body = bodyOf(step.body);
  return { status: step.status, headers, body: step.verb === 'ledger' ? booked(body) : body };
}

function booked(body) {
  if (body === null || typeof body !== 'object') return body;
  const entries = (body.entries || []).map(({ transaction_id, amount, kind }) => ({
    transaction_id,
    amount,
    kind,
  }));
  return { balance: body.balance, entries };
}

function now(step) {
  const text = read(step.n + '.body');
  if (step.verb)
    return {
      status: 200,
      headers: {},
      body: step.verb === 'none' ? null : rows(step, bodyOf(text)),
    };
  const status = Number((read(step.n + '.status') || '').slice(0, 3)) || null;
  const headers = {};
  for (const line of (read(step.n + '.headers') || '').split(/\r?\n/)) {
    const at = line.indexOf(':');
    if (at > 0) headers[line.slice(0, at).toLowerCase()] = line.slice(at + 1).trim();
  }
  return { status, headers, body: bodyOf(text) };
}

/** What the operator's answer is evidence of, as the recording has it. */
function rows({ verb, asked }, body) {
  if (body === null || typeof body !== 'object') return body;
  const all = body[verb];
  if (verb === 'ledger') return booked(body);
  if (!Array.isArray(all)) return body;
  if (verb === 'events') return all;
  const name = String(process.env['NAMED_' + asked] || '').toLowerCase();
  return all.filter((row) =>
    [row.id, row.client_reference_id, row.email].some(
      (each) => String(each).toLowerCase() === name,
    ),
  );
}

/** How long is another each time; that it is whole seconds, or a date, is not. */
function waitOf(text) {
  if (/^[1-9]\d{0,4}$/.test(text)) return '<seconds>';
  return Number.isNaN(Date.parse(text)) || /^[\d.]+$/.test(text) ? text : '<date>';
}

function form(answer, step, names, mark) {
  const headers = {};
  for (const name of SHOWN)
    if (answer.headers[name] !== undefined)
      headers[name] = canon(answer.headers[name], name, names, mark);
  for (const name of WAITS) if (headers[name] !== undefined) headers[name] = waitOf(headers[name]);
  const body = step.clipped ? '<long>' : canon(answer.body, '', names, mark);
  return { status: answer.status, headers: step.verb ? {} : headers, body };
}
`;

const COMPARE = String.raw`
function leaves(value, path, into) {
  if (value === null || typeof value !== 'object') into.set(path, value);
  else if (Object.keys(value).length === 0) into.set(path, Array.isArray(value) ? '[]' : '{}');
  else
    for (const key of Object.keys(value))
      leaves(value[key], path + (Array.isArray(value) ? '[' + key + ']' : '.' + key), into);
  return into;
}

function differences(before, after) {
  const [a, b] = [leaves(before, '', new Map()), leaves(after, '', new Map())];
  const said = (value) => (value === undefined ? 'nothing' : JSON.stringify(value));
  const found = [];
  for (const path of new Set([...a.keys(), ...b.keys()])) {
    if (a.get(path) === b.get(path)) continue;
    found.push(
      path.slice(1) + ': recorded ' + said(a.get(path)) + ', now ' + said(b.get(path)),
    );
  }
  return found;
}

/** Both sides of these steps, each with its own ids and names. */
function compared(steps) {
  const [old, fresh] = [new Map(), new Map()];
  return steps.map((step) => ({
    step,
    found: differences(
      form(then(step), step, old, recorded.mark),
      form(now(step), step, fresh, newMark),
    ),
  }));
}

const comparable = recorded.steps.filter((step) => step.verb !== 'none');
console.log('\nCompared with the recording:');
for (const { step, found } of compared(comparable)) {
  if (found.length === 0) console.log('  ' + step.n + '. as recorded');
  for (const each of found.slice(0, 6)) console.log('  ' + step.n + '. differs: ' + each);
  if (found.length > 6) console.log('  ' + step.n + '. and ' + (found.length - 6) + ' more');
}

function end(code, words) {
  console.log('\n' + words);
  process.exit(code);
}
const cited = (finding) => comparable.filter(({ n }) => finding.exchanges.includes(n));
const { findings } = recorded;
const last =
  findings.length === 0 ? Infinity : Math.min(...findings.flatMap((each) => each.exchanges));
const lost = comparable.find(
  (step) => !step.verb && step.n < last && step.status < 300 && !(now(step).status < 300),
);
if (findings.length > 0 && lost)
  end(
    3,
    'Not comparable: step ' +
      lost.n +
      ' was answered ' +
      (now(lost).status || 'nothing') +
      ', recorded ' +
      lost.status +
      '.',
  );
if (findings.length === 0) {
  const wrong = compared(comparable).filter(({ found }) => found.length > 0);
  if (wrong.length === 0) end(0, 'Every step was answered as recorded, when nothing deviated.');
  end(
    1,
    wrong.length +
      ' of ' +
      comparable.length +
      ' steps differ from a recording in which nothing deviated.',
  );
}
/** Whoever is not let in or not served sees neither, unless the rule wants just that. */
function showsNothing(step, { expected }) {
  const { status } = now(step);
  const isWanted = String(expected).includes(String(status));
  if (step.verb || status === step.status || isWanted) return false;
  return status === null || status === 401 || status === 429 || status >= 500;
}

let seen = 0,
  open = 0,
  hidden = 0;
for (const finding of findings) {
  const steps = cited(finding);
  const mute = steps.find((step) => showsNothing(step, finding));
  if (mute) {
    hidden += 1;
    const said = (now(mute).status || 'nothing') + ', which shows nothing';
    console.log('? ' + finding.rule + ': step ' + mute.n + ' was answered ' + said);
    continue;
  }
  const wrong = compared(steps).filter(({ found }) => found.length > 0);
  if (steps.length === 0) {
    open += 1;
    console.log(
      '? ' +
        finding.rule +
        ': no step of this script shows it; deliveries are not repeated here',
    );
  } else if (wrong.length === 0) {
    seen += 1;
    console.log(
      '✗ ' +
        finding.rule +
        ' deviates as recorded: expected ' +
        finding.expected +
        ', actual ' +
        finding.actual,
    );
  } else {
    console.log(
      '✓ ' +
        finding.rule +
        ' is not seen again: step ' +
        wrong[0].step.n +
        ', ' +
        wrong[0].found[0],
    );
  }
}
if (seen > 0) end(1, seen + ' of ' + findings.length + ' recorded findings are seen again.');
const many = hidden + ' of ' + findings.length + ' recorded findings';
if (hidden > 0) end(3, 'Not comparable: ' + many + ' could not be looked for.');
if (open === findings.length) end(3, 'Nothing that deviated can be shown by a script.');
end(0, 'None of the recorded deviations is seen again.');
`;

export const PROOF_PROGRAM = `${CANON}${COMPARE}`;
