// Defects of creating accounts, one or many, and of updating them.
import { accountReply } from '../operations/accounts.ts';
import { UPDATABLE } from '../records.ts';
import { bodyOf, headerOf, invalid, refuse, withBody, withHeader } from '../replies.ts';
import { isObject, type JsonObject, textOr } from '../values.ts';
import {
  account,
  ageOf,
  callerOf,
  DAY_MS,
  decided,
  HOUR_MS,
  leaving,
  meeting,
  meets,
  type Row,
  refusal,
  request,
  savedAccount,
  sent,
  sentBody,
  setRequestHeader,
  shown,
  statusOf,
  stored,
} from './wrap.ts';

const CREATE = 'createAccount';
const UPDATE = 'updateAccount';
const BULK = 'bulkCreateAccounts';

const rowsOf = (body: JsonObject): JsonObject[] =>
  (Array.isArray(body.rows) ? body.rows : []).filter(isObject);
const failedIn = (row: JsonObject): boolean => Number(row.status) >= 300;

export const accountDefects: readonly Row[] = [
  ['create-200', 'single', ['ACC-1'], 'A create answers 200.', statusOf(CREATE, 201, 200)],
  [
    'reference-constructor',
    'single',
    ['ACC-1'],
    'The reference "constructor" is answered 500.',
    decided(CREATE, (_, context) =>
      textOr(context.body.client_reference_id, '') in {}
        ? refuse(context, 500, 'internal_error', 'this failed; repeat it')
        : undefined,
    ),
  ],
  [
    'email-plus',
    'single',
    ['ACC-1', 'ACC-4'],
    'An email with a plus is refused.',
    decided(CREATE, (_, context) =>
      /\+.*@/.test(textOr(context.body.email, '')) ? invalid(context, 'email is odd') : undefined,
    ),
  ],
  [
    'known-409',
    'single',
    ['ACC-5', 'IDEM-12', 'BULK-3', 'BULK-4', 'BULK-11', 'BULK-12'],
    'A reference that names an account is answered 409.',
    refusal(CREATE, 200, [409, 'invalid_state']),
  ],
  [
    'known-201',
    'single',
    ['ACC-5', 'IDEM-12'],
    'A reference that names an account is answered 201.',
    statusOf(CREATE, 200, 201),
  ],
  [
    'known-updates',
    'single',
    ['ACC-5', 'BULK-11'],
    'A create under a known reference changes the first name.',
    decided(CREATE, ({ status }, context) => {
      const { world, body } = context;
      const known = world.store.accountByReference(context, String(body.client_reference_id), '10');
      if (status !== 200 || known === undefined || typeof body.first_name !== 'string') return;
      return accountReply(
        context,
        200,
        world.store.saveAccount({ ...known, first_name: body.first_name }),
      );
    }),
  ],
  [
    'known-first-tag',
    'combination',
    ['ACC-19', 'ACC-5'],
    'A known account that was updated comes with its first tag.',
    decided(CREATE, (reply, { world }) =>
      reply.status === 200
        ? withHeader(reply, 'ETag', `"${world.style.firstRevision}"`)
        : undefined,
    ),
  ],
  [
    'reference-by-case',
    'single',
    ['ACC-6', 'ACC-5', 'BULK-12'],
    'References match only in the same case.',
    stored((store) => ({
      accountByReference: (context, reference, brandId) => {
        const found = store.accountByReference(context, reference, brandId);
        return found?.client_reference_id === reference ? found : undefined;
      },
    })),
  ],
  [
    'reference-lost',
    'single',
    ['ACC-7', 'ACC-5', 'BULK-11'],
    'An update makes an account lose its reference.',
    stored((store, { style }) => ({
      accountByReference: (...query) => {
        const found = store.accountByReference(...query);
        return found?.revision === style.firstRevision ? found : undefined;
      },
    })),
  ],
  [
    'reference-month',
    'time',
    ['ACC-7', 'ACC-5'],
    'References are forgotten after 30 days.',
    stored((store, { clock }) => ({
      accountByReference: (...query) => {
        const found = store.accountByReference(...query);
        return clock.now() - (found?.created_ms ?? 0) < 30 * DAY_MS ? found : undefined;
      },
    })),
  ],
  [
    'emails-shared',
    'single',
    ['ACC-8', 'IDEM-13', 'BULK-3', 'BULK-8'],
    'An email may be used by two people of a brand.',
    stored(() => ({ accountByEmail: () => undefined })),
  ],
  [
    'email-across-brands',
    'single',
    ['ACC-10'],
    'An email is taken for every brand of the firm.',
    stored((store) => ({
      accountByEmail: (context, email) =>
        ['10', '11', '20'].flatMap((id) => store.accountByEmail(context, email, id) ?? [])[0],
    })),
  ],
  [
    'email-two-days',
    'time',
    ['ACC-8'],
    'An email is free again after two days.',
    stored((store, { clock }) => ({
      accountByEmail: (...query) => {
        const found = store.accountByEmail(...query);
        return clock.now() - (found?.created_ms ?? 0) < 2 * DAY_MS ? found : undefined;
      },
    })),
  ],
  [
    'email-newest-30',
    'size',
    ['ACC-8'],
    'Emails are compared with those of the newest 30 accounts.',
    stored((store) => ({
      accountByEmail: (...query) => {
        const found = store.accountByEmail(...query);
        return [...store.accounts()].slice(-30).find(({ id }) => id === found?.id);
      },
    })),
  ],
  [
    'batch-email-twins',
    'combination',
    ['ACC-8', 'BULK-3', 'BULK-8'],
    'Two rows of one batch may have one email.',
    stored((store, { memo }) => ({
      saveAccount: (each, context) => {
        memo.set(`made by ${each.id}`, context?.requestId);
        return store.saveAccount(each, context);
      },
      accountByEmail: (context, ...query) => {
        const found = store.accountByEmail(context, ...query);
        const isTwin = memo.get(`made by ${found?.id}`) === context.requestId;
        return isTwin ? undefined : found;
      },
    })),
  ],
  [
    'phones-shared',
    'single',
    ['ACC-9', 'BULK-3'],
    'A phone may be used by two people of a brand.',
    stored(() => ({ accountByPhone: () => undefined })),
  ],
  [
    'phone-brackets',
    'single',
    ['ACC-11'],
    'A phone with brackets or dashes is refused.',
    decided(CREATE, (_, context) =>
      /[^+\d\s]/.test(textOr(context.body.phone, ''))
        ? invalid(context, 'phone is odd')
        : undefined,
    ),
  ],
  [
    'region-ignored',
    'single',
    ['ACC-12'],
    'phone_region does not count.',
    sent(CREATE, ({ phone_region, ...body }) => body),
  ],
  [
    'unnamed',
    'single',
    ['ACC-13'],
    'An account without names stays without.',
    savedAccount((each, context, before) => {
      const { first_name = null, last_name = null } = context?.body ?? {};
      const isUnnamed = before === undefined && first_name === null && last_name === null;
      return isUnnamed ? { ...each, first_name: null, last_name: null } : each;
    }),
  ],
  [
    'country-upper',
    'single',
    ['ACC-14', 'UPD-3'],
    'The country is turned to upper case.',
    savedAccount((each) => ({ ...each, country: each.country?.toUpperCase() ?? null })),
  ],
  [
    'language-35',
    'size',
    ['ACC-14', 'UPD-3'],
    'Languages are cut to 35 characters.',
    savedAccount((each) => ({ ...each, language: each.language?.slice(0, 35) ?? null })),
  ],
  [
    'brand-default',
    'single',
    ['ACC-15'],
    'A firm-wide credential that names no brand creates at the first one.',
    sent(CREATE, (body, context) =>
      callerOf(context)?.brand_id === null ? { brand_id: '10', ...body } : body,
    ),
  ],
  [
    'other-brand-served',
    'single',
    ['ACC-16'],
    'A brand-bound credential that names another brand creates at its own.',
    sent(CREATE, (body, context) => {
      const own = callerOf(context)?.brand_id ?? body.brand_id;
      return body.brand_id === undefined ? body : { ...body, brand_id: own! };
    }),
  ],
  [
    'shows-email',
    'single',
    ['ACC-18'],
    'Accounts show the email.',
    shown(`${CREATE} ${UPDATE}`, (body, { world }) => ({
      ...body,
      email: world.store.account(String(body.id))!.email,
    })),
  ],
  [
    'weak-tag',
    'single',
    ['ACC-19'],
    'The tag of a created account is weak.',
    decided(CREATE, (reply) => {
      const { revision } = bodyOf(reply);
      return reply.status === 201 ? withHeader(reply, 'ETag', `W/"${revision}"`) : undefined;
    }),
  ],
  [
    'status-active',
    'single',
    ['ACC-20'],
    'A new account is active at once.',
    savedAccount((each, _, before) =>
      before === undefined ? { ...each, status: 'Active' } : each,
    ),
  ],
  [
    'race-same-email',
    'race',
    ['ACC-8'],
    'Creates that race may share an email.',
    meeting(
      stored((store) => ({
        accountByEmail: (context, ...query) =>
          meets(context, CREATE) ? undefined : store.accountByEmail(context, ...query),
      })),
    ),
  ],
  [
    'race-same-reference',
    'race',
    ['ACC-5', 'IDEM-12', 'IDEM-15', 'ACC-6'],
    'One reference under racing keys makes several accounts.',
    meeting(
      stored((store) => ({
        accountByReference: (context, ...query) =>
          meets(context, CREATE) ? undefined : store.accountByReference(context, ...query),
        accountByEmail: (context, ...query) =>
          meets(context, CREATE) ? undefined : store.accountByEmail(context, ...query),
      })),
    ),
  ],
];

export const updateDefects: readonly Row[] = [
  [
    'update-old-tag',
    'single',
    ['UPD-1', 'ACC-19'],
    'An updated account comes with the tag that it had before.',
    decided(UPDATE, (reply, { world }) => {
      const { revision } = bodyOf(reply);
      const old = Number(revision) - world.style.revisionStep;
      return reply.status === 200 ? withHeader(reply, 'ETag', `"${old}"`) : undefined;
    }),
  ],
  [
    'update-keeps-revision',
    'single',
    ['UPD-1', 'UPD-7', 'UPD-12'],
    'An update keeps the revision.',
    savedAccount((each, _, before) => ({ ...each, revision: before?.revision ?? each.revision })),
  ],
  [
    'update-blanks-names',
    'single',
    ['UPD-2'],
    'An update without names blanks the names.',
    savedAccount((each, context, before) => {
      if (before === undefined || context === undefined) return each;
      const name = (of: string) => textOr(context.body[of], null);
      return { ...each, first_name: name('first_name'), last_name: name('last_name') };
    }),
  ],
  [
    'last-name-ignored',
    'single',
    ['UPD-3'],
    'The last name cannot be updated.',
    sent(UPDATE, ({ last_name, ...body }) => ({ ...body })),
  ],
  [
    'language-needs-country',
    'combination',
    ['UPD-3', 'UPD-1'],
    'A language is stored only if a country comes with it.',
    savedAccount((each, context, before) => {
      const isAlone = before !== undefined && context?.body.country === undefined;
      return isAlone ? { ...each, language: before.language } : each;
    }),
  ],
  [
    'two-names',
    'combination',
    ['UPD-3', 'UPD-1'],
    'Of two names in one update the last name is dropped.',
    sent(UPDATE, (body) => {
      const { last_name, ...rest } = body;
      return rest.first_name === undefined ? body : rest;
    }),
  ],
  [
    'status-trimmed',
    'single',
    ['UPD-4'],
    'Spaces around a status are dropped.',
    savedAccount((each) => ({ ...each, status: each.status.trim() })),
  ],
  [
    'status-listed',
    'single',
    ['UPD-4', 'UPD-3'],
    'Only a few words are taken as a status.',
    sent(UPDATE, (body) => {
      const isListed = ['New', 'Active', 'Blocked', 'Closed'].includes(textOr(body.status, 'New'));
      return isListed ? body : { ...body, status: 'New' };
    }),
  ],
  [
    'unknown-403',
    'single',
    ['UPD-5', 'UPD-6', 'ERR-3', 'AUTH-5', 'AUTH-6', 'AUTH-7'],
    'An update of an unknown account is answered 403.',
    refusal(UPDATE, 404, [403, 'forbidden']),
  ],
  [
    'stale-applies',
    'single',
    ['UPD-7', 'UPD-12'],
    'A stale tag does not matter.',
    request(UPDATE, (context) => {
      const isStrong = /^"\w+"$/.test(headerOf(context.call, 'if-match') ?? '');
      const found = account(context);
      if (isStrong && found) setRequestHeader(context, 'if-match', `"${found.revision}"`);
    }),
  ],
  [
    'stale-409',
    'single',
    ['UPD-7', 'UPD-12', 'ERR-3'],
    'A stale tag is answered 409.',
    refusal(UPDATE, 412, [409, 'invalid_state']),
  ],
  [
    'stale-written',
    'single',
    ['UPD-7'],
    'A stale tag is answered 412, and the update is written.',
    decided(UPDATE, (reply, context) => {
      const found = account(context);
      if (reply.status !== 412 || found === undefined) return;
      const sentFields = Object.entries(context.body).filter(([name]) =>
        UPDATABLE.some((each) => each === name),
      );
      const revision = found.revision + context.world.style.revisionStep;
      context.world.store.saveAccount({ ...found, ...Object.fromEntries(sentFields), revision });
      return undefined;
    }),
  ],
  [
    'stale-merged',
    'combination',
    ['UPD-7'],
    'A stale tag is taken if the update sends the country alone.',
    request(UPDATE, (context) => {
      const isAlone = Object.keys(sentBody(context)).join() === 'country';
      const found = account(context);
      const isStrong = /^"\w+"$/.test(headerOf(context.call, 'if-match') ?? '');
      if (isAlone && isStrong && found) {
        setRequestHeader(context, 'if-match', `"${found.revision}"`);
      }
    }),
  ],
  [
    'tag-hour',
    'time',
    ['UPD-1', 'UPD-7'],
    'A tag is stale an hour after the last update.',
    request(UPDATE, (context) => {
      const found = account(context);
      const isUpdated = found !== undefined && found.revision !== context.world.style.firstRevision;
      if (isUpdated && ageOf(context.world, found) >= HOUR_MS) {
        setRequestHeader(context, 'if-match', '"0"');
      }
    }),
  ],
  [
    'revision-as-text',
    'size',
    ['UPD-1', 'UPD-7', 'UPD-12'],
    'The tenth tag of an account is never the right one.',
    request(UPDATE, (context) => {
      const { firstRevision, revisionStep } = context.world.style;
      const found = account(context);
      const count = ((found?.revision ?? firstRevision) - firstRevision) / revisionStep;
      if (count >= 9) setRequestHeader(context, 'if-match', '"0"');
    }),
  ],
  [
    'nothing-200',
    'single',
    ['UPD-8'],
    'An update that changes nothing is answered 200.',
    decided(UPDATE, (reply, context) => {
      const found = account(context);
      const isNothing = /change nothing/.test(reply.body);
      return isNothing && found ? accountReply(context, 200, found) : undefined;
    }),
  ],
  [
    'first-field-decides',
    'combination',
    ['UPD-1', 'UPD-8', 'UPD-2'],
    'An update whose first field changes nothing is refused, whatever the others do.',
    request(UPDATE, (context) => {
      const [first] = Object.entries(sentBody(context));
      const found = account(context);
      const name = UPDATABLE.find((each) => each === first?.[0]);
      if (found === undefined || name === undefined || found[name] !== first?.[1]) return;
      context.call = { ...context.call, body: Buffer.from('{}') };
    }),
  ],
  [
    'unquoted-tag',
    'single',
    ['UPD-9'],
    'A tag without quotes is taken.',
    request(UPDATE, (context) => {
      const tag = headerOf(context.call, 'if-match') ?? '';
      if (/^\w+$/.test(tag)) setRequestHeader(context, 'if-match', `"${tag}"`);
    }),
  ],
  [
    'tag-optional',
    'single',
    ['UPD-10'],
    'An update needs no tag.',
    request(UPDATE, (context) => {
      const found = account(context);
      if (headerOf(context.call, 'if-match') !== undefined || found === undefined) return;
      setRequestHeader(context, 'if-match', `"${found.revision}"`);
    }),
  ],
  [
    'email-updated',
    'single',
    ['UPD-11'],
    'An update changes the email.',
    savedAccount((each, context, before) =>
      before === undefined ? each : { ...each, email: textOr(context?.body.email, each.email) },
    ),
  ],
  [
    'race-updates',
    'race',
    ['UPD-12', 'UPD-7'],
    'The tag is not compared when two updates race.',
    meeting(
      request(UPDATE, (context) => {
        const found = account(context);
        if (found === undefined || !meets(context, UPDATE)) return;
        setRequestHeader(context, 'if-match', `"${found.revision}"`);
      }),
    ),
  ],
];

export const bulkDefects: readonly Row[] = [
  ['bulk-207', 'single', ['BULK-1'], 'A batch is answered 207.', statusOf(BULK, 200, 207)],
  [
    'bulk-422-on-failure',
    'single',
    ['BULK-1', 'BULK-8', 'BULK-3', 'BULK-11'],
    'A batch with a failed row is answered 422.',
    decided(BULK, (reply, context) =>
      Number(bodyOf(reply).failed) > 0 ? invalid(context, 'a row is not right') : undefined,
    ),
  ],
  [
    'bulk-reversed',
    'single',
    ['BULK-2'],
    'The rows are answered in the opposite order.',
    shown(BULK, (body) => ({ ...body, rows: rowsOf(body).reverse() })),
  ],
  [
    'bulk-failed-last',
    'single',
    ['BULK-2'],
    'The rows that failed are answered last.',
    shown(BULK, (body) => ({
      ...body,
      rows: rowsOf(body).sort((one, two) => Number(failedIn(one)) - Number(failedIn(two))),
    })),
  ],
  [
    'bulk-row-200',
    'single',
    ['BULK-3'],
    'A row that was created says 200.',
    shown(BULK, (body) => ({
      ...body,
      rows: rowsOf(body).map((row) => (row.status === 201 ? { ...row, status: 200 } : row)),
    })),
  ],
  [
    'bulk-created-new',
    'single',
    ['BULK-4'],
    'created does not count rows answered 200.',
    shown(BULK, (body) => ({
      ...body,
      created: rowsOf(body).filter(({ status }) => status === 201).length,
    })),
  ],
  [
    'bulk-failed-row-id',
    'single',
    ['BULK-5', 'BULK-4'],
    'A row that failed has an id.',
    shown(BULK, (body) => ({
      ...body,
      rows: rowsOf(body).map((row) => (failedIn(row) ? { ...row, id: '0' } : row)),
    })),
  ],
  [
    'bulk-empty-200',
    'single',
    ['BULK-6'],
    'An empty batch is answered 200.',
    decided(BULK, (reply, { body }) => {
      const isEmpty = Array.isArray(body.accounts) && body.accounts.length === 0;
      const nothing = { total: 0, created: 0, failed: 0, rows: [] };
      return isEmpty ? withBody({ ...reply, status: 200 }, nothing) : undefined;
    }),
  ],
  [
    'bulk-1000-refused',
    'single',
    ['BULK-7', 'BULK-1'],
    'A batch of 1000 rows is refused.',
    decided(BULK, (_, context) => {
      const { accounts } = context.body;
      const isFull = Array.isArray(accounts) && accounts.length === 1000;
      return isFull ? refuse(context, 413, 'scope_too_wide', 'too many rows') : undefined;
    }),
  ],
  [
    'bulk-over-422',
    'single',
    ['BULK-7', 'ERR-3'],
    'A batch of 1001 rows is answered 422.',
    refusal(BULK, 413, [422, 'validation_failed']),
  ],
  [
    'bulk-index-one-more',
    'single',
    ['BULK-9', 'BULK-10'],
    'A refused batch names the row after.',
    leaving((reply, { operation }) => {
      if (operation.name !== BULK || reply.status < 400) return;
      const body = reply.body.replace(/accounts\[(\d+)\]/g, (_, n) => `accounts[${Number(n) + 1}]`);
      return { ...reply, body };
    }),
  ],
  [
    'bulk-refused-late',
    'single',
    ['BULK-9', 'BULK-10'],
    'Rows before the one that refuses the batch are created.',
    leaving((reply, context) => {
      const index = Number(/accounts\[(\d+)\]/.exec(reply.body)?.[1] ?? 0);
      const { accounts } = sentBody(context);
      if (context.operation.name !== BULK || index === 0 || !Array.isArray(accounts)) return;
      const body = { accounts: accounts.slice(0, index) };
      if (reply.status >= 400) context.operation.run({ ...context, body });
      return undefined;
    }),
  ],
  [
    'bulk-duplicates',
    'single',
    ['BULK-11', 'BULK-12', 'BULK-3', 'ACC-5'],
    'A batch creates rows whose reference is known once more.',
    stored((store) => {
      const isSelf = (reference: string | undefined, row: JsonObject) =>
        reference?.toLowerCase() === textOr(row.client_reference_id, '').toLowerCase();
      return {
        accountByReference: (context, ...query) =>
          context.row === undefined ? store.accountByReference(context, ...query) : undefined,
        accountByEmail: (context, ...query) => {
          const found = store.accountByEmail(context, ...query);
          const isOwn = isSelf(found?.client_reference_id, context.body);
          return context.row !== undefined && isOwn ? undefined : found;
        },
      };
    }),
  ],
  [
    'bulk-512',
    'size',
    ['BULK-7', 'BULK-11', 'ACC-5', 'BULK-1'],
    'Rows after the 512th are answered as created, and not kept.',
    stored((store) => ({
      saveAccount: (each, context) =>
        (context?.row ?? 0) < 512 ? store.saveAccount(each, context) : each,
    })),
  ],
  [
    'bulk-counts-byte',
    'size',
    ['BULK-2', 'BULK-4', 'BULK-7'],
    'The counts of a batch are kept in a byte.',
    shown(BULK, (body) => ({
      ...body,
      total: Number(body.total) % 256,
      created: Number(body.created) % 256,
    })),
  ],
];
