// Defects of creating accounts, one or many, and of updating them.
import { UPDATABLE } from '../records.ts';
import { bodyOf, headerOf, invalid, refuse, withHeader } from '../replies.ts';
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
  type Rows,
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
export const accountDefects: Rows = {
  'create-200': {
    breaks: ['ACC-1'],
    sentence: 'A create answers 200.',
    ...statusOf(CREATE, 201, 200),
  },
  'reference-constructor': {
    breaks: ['ACC-1'],
    sentence: 'The reference "constructor" is answered 500.',
    ...decided(CREATE, (_, context) =>
      textOr(context.body.client_reference_id, '') in {}
        ? refuse(context, 500, 'internal_error', 'this failed; repeat it')
        : undefined,
    ),
  },
  'email-plus': {
    breaks: ['ACC-1', 'ACC-4'],
    sentence: 'An email with a plus is refused.',
    ...decided(CREATE, (_, context) =>
      /\+.*@/.test(textOr(context.body.email, '')) ? invalid(context, 'email is odd') : undefined,
    ),
  },
  'known-409': {
    breaks: ['ACC-5', 'IDEM-12', 'BULK-3', 'BULK-4', 'BULK-11', 'BULK-12'],
    sentence: 'A reference that names an account is answered 409.',
    ...refusal(CREATE, 200, [409, 'invalid_state']),
  },
  'known-201': {
    breaks: ['ACC-5', 'IDEM-12'],
    sentence: 'A reference that names an account is answered 201.',
    ...statusOf(CREATE, 200, 201),
  },
  'known-first-tag': {
    kind: 'combination',
    breaks: ['ACC-19', 'ACC-5'],
    sentence: 'A known account that was updated comes with its first tag.',
    ...decided(CREATE, (reply, { world }) =>
      reply.status === 200
        ? withHeader(reply, 'ETag', `"${world.style.firstRevision}"`)
        : undefined,
    ),
  },
  'reference-month': {
    kind: 'time',
    breaks: ['ACC-7', 'ACC-5'],
    sentence: 'References are forgotten after 30 days.',
    ...stored((store, { clock }) => ({
      accountByReference: (...query) => {
        const found = store.accountByReference(...query);
        return clock.now() - (found?.created_ms ?? 0) < 30 * DAY_MS ? found : undefined;
      },
    })),
  },
  'email-across-brands': {
    breaks: ['ACC-10'],
    sentence: 'An email is taken for every brand of the firm.',
    ...stored((store) => ({
      accountByEmail: (context, email) =>
        ['10', '11', '20'].flatMap((id) => store.accountByEmail(context, email, id) ?? [])[0],
    })),
  },
  'email-newest-30': {
    kind: 'size',
    breaks: ['ACC-8'],
    sentence: 'Emails are compared with those of the newest 30 accounts.',
    ...stored((store) => ({
      accountByEmail: (...query) => {
        const found = store.accountByEmail(...query);
        return [...store.accounts()].slice(-30).find(({ id }) => id === found?.id);
      },
    })),
  },
  'phones-shared': {
    breaks: ['ACC-9', 'BULK-3'],
    sentence: 'A phone may be used by two people of a brand.',
    ...stored(() => ({ accountByPhone: () => undefined })),
  },
  'region-ignored': {
    breaks: ['ACC-12'],
    sentence: 'phone_region does not count.',
    ...sent(CREATE, ({ phone_region, ...body }) => body),
  },
  'country-upper': {
    breaks: ['ACC-14', 'UPD-3'],
    sentence: 'The country is turned to upper case.',
    ...savedAccount((each) => ({ ...each, country: each.country?.toUpperCase() ?? null })),
  },
  'language-35': {
    kind: 'size',
    breaks: ['ACC-14', 'UPD-3'],
    sentence: 'Languages are cut to 35 characters.',
    ...savedAccount((each) => ({ ...each, language: each.language?.slice(0, 35) ?? null })),
  },
  'other-brand-served': {
    breaks: ['ACC-16'],
    sentence: 'A brand-bound credential that names another brand creates at its own.',
    ...sent(CREATE, (body, context) => {
      const own = callerOf(context)?.brand_id ?? body.brand_id;
      return body.brand_id === undefined ? body : { ...body, brand_id: own! };
    }),
  },
  'shows-email': {
    breaks: ['ACC-18'],
    sentence: 'Accounts show the email.',
    ...shown(`${CREATE} ${UPDATE}`, (body, { world }) => ({
      ...body,
      email: world.store.account(String(body.id))!.email,
    })),
  },
  'status-active': {
    breaks: ['ACC-20'],
    sentence: 'A new account is active at once.',
    ...savedAccount((each, _, before) =>
      before === undefined ? { ...each, status: 'Active' } : each,
    ),
  },
  'race-same-email': {
    kind: 'race',
    breaks: ['ACC-8'],
    sentence: 'Creates that race may share an email.',
    ...meeting(
      stored((store) => ({
        accountByEmail: (context, ...query) =>
          meets(context, CREATE) ? undefined : store.accountByEmail(context, ...query),
      })),
    ),
  },
  'race-same-reference': {
    kind: 'race',
    breaks: ['ACC-5', 'IDEM-12', 'IDEM-15', 'ACC-6'],
    sentence: 'One reference under racing keys makes several accounts.',
    ...meeting(
      stored((store) => ({
        accountByReference: (context, ...query) =>
          meets(context, CREATE) ? undefined : store.accountByReference(context, ...query),
        accountByEmail: (context, ...query) =>
          meets(context, CREATE) ? undefined : store.accountByEmail(context, ...query),
      })),
    ),
  },
};

export const updateDefects: Rows = {
  'last-name-ignored': {
    breaks: ['UPD-3'],
    sentence: 'The last name cannot be updated.',
    ...sent(UPDATE, ({ last_name, ...body }) => ({ ...body })),
  },
  'language-needs-country': {
    kind: 'combination',
    breaks: ['UPD-3', 'UPD-1'],
    sentence: 'A language is stored only if a country comes with it.',
    ...savedAccount((each, context, before) => {
      const isAlone = before !== undefined && context?.body.country === undefined;
      return isAlone ? { ...each, language: before.language } : each;
    }),
  },
  'two-names': {
    kind: 'combination',
    breaks: ['UPD-3', 'UPD-1'],
    sentence: 'Of two names in one update the last name is dropped.',
    ...sent(UPDATE, (body) => {
      const { last_name, ...rest } = body;
      return rest.first_name === undefined ? body : rest;
    }),
  },
  'status-trimmed': {
    breaks: ['UPD-4'],
    sentence: 'Spaces around a status are dropped.',
    ...savedAccount((each) => ({ ...each, status: each.status.trim() })),
  },
  'unknown-403': {
    breaks: ['UPD-5', 'UPD-6', 'ERR-3', 'AUTH-5', 'AUTH-6', 'AUTH-7'],
    sentence: 'An update of an unknown account is answered 403.',
    ...refusal(UPDATE, 404, [403, 'forbidden']),
  },
  'stale-written': {
    breaks: ['UPD-7'],
    sentence: 'A stale tag is answered 412, and the update is written.',
    ...decided(UPDATE, (reply, context) => {
      const found = account(context);
      if (reply.status !== 412 || found === undefined) return;
      const sentFields = Object.entries(context.body).filter(([name]) =>
        UPDATABLE.some((each) => each === name),
      );
      const revision = found.revision + context.world.style.revisionStep;
      context.world.store.saveAccount({ ...found, ...Object.fromEntries(sentFields), revision });
      return undefined;
    }),
  },
  'stale-merged': {
    kind: 'combination',
    breaks: ['UPD-7'],
    sentence: 'A stale tag is taken if the update sends the country alone.',
    ...request(UPDATE, (context) => {
      const isAlone = Object.keys(sentBody(context)).join() === 'country';
      const found = account(context);
      const isStrong = /^"\w+"$/.test(headerOf(context.call, 'if-match') ?? '');
      if (isAlone && isStrong && found) {
        setRequestHeader(context, 'if-match', `"${found.revision}"`);
      }
    }),
  },
  'tag-hour': {
    kind: 'time',
    breaks: ['UPD-1', 'UPD-7'],
    sentence: 'A tag is stale an hour after the last update.',
    ...request(UPDATE, (context) => {
      const found = account(context);
      const isUpdated = found !== undefined && found.revision !== context.world.style.firstRevision;
      if (isUpdated && ageOf(context.world, found) >= HOUR_MS) {
        setRequestHeader(context, 'if-match', '"0"');
      }
    }),
  },
  'revision-as-text': {
    kind: 'size',
    breaks: ['UPD-1', 'UPD-7', 'UPD-12'],
    sentence: 'The tenth tag of an account is never the right one.',
    ...request(UPDATE, (context) => {
      const { firstRevision, revisionStep } = context.world.style;
      const found = account(context);
      const count = ((found?.revision ?? firstRevision) - firstRevision) / revisionStep;
      if (count >= 9) setRequestHeader(context, 'if-match', '"0"');
    }),
  },
  'first-field-decides': {
    kind: 'combination',
    breaks: ['UPD-1', 'UPD-8', 'UPD-2'],
    sentence: 'An update whose first field changes nothing is refused, whatever the others do.',
    ...request(UPDATE, (context) => {
      const [first] = Object.entries(sentBody(context));
      const found = account(context);
      const name = UPDATABLE.find((each) => each === first?.[0]);
      if (found === undefined || name === undefined || found[name] !== first?.[1]) return;
      context.call = { ...context.call, body: Buffer.from('{}') };
    }),
  },
  'email-updated': {
    breaks: ['UPD-11'],
    sentence: 'An update changes the email.',
    ...savedAccount((each, context, before) =>
      before === undefined ? each : { ...each, email: textOr(context?.body.email, each.email) },
    ),
  },
  'race-updates': {
    kind: 'race',
    breaks: ['UPD-12', 'UPD-7'],
    sentence: 'The tag is not compared when two updates race.',
    ...meeting(
      request(UPDATE, (context) => {
        const found = account(context);
        if (found === undefined || !meets(context, UPDATE)) return;
        setRequestHeader(context, 'if-match', `"${found.revision}"`);
      }),
    ),
  },
};

export const bulkDefects: Rows = {
  'bulk-207': {
    breaks: ['BULK-1'],
    sentence: 'A batch is answered 207.',
    ...statusOf(BULK, 200, 207),
  },
  'bulk-422-on-failure': {
    breaks: ['BULK-1', 'BULK-8', 'BULK-3', 'BULK-11'],
    sentence: 'A batch with a failed row is answered 422.',
    ...decided(BULK, (reply, context) =>
      Number(bodyOf(reply).failed) > 0 ? invalid(context, 'a row is not right') : undefined,
    ),
  },
  'bulk-reversed': {
    breaks: ['BULK-2'],
    sentence: 'The rows are answered in the opposite order.',
    ...shown(BULK, (body) => ({ ...body, rows: rowsOf(body).reverse() })),
  },
  'bulk-over-422': {
    breaks: ['BULK-7', 'ERR-3'],
    sentence: 'A batch of 1001 rows is answered 422.',
    ...refusal(BULK, 413, [422, 'validation_failed']),
  },
  'bulk-index-one-more': {
    breaks: ['BULK-9', 'BULK-10'],
    sentence: 'A refused batch names the row after.',
    ...leaving((reply, { operation }) => {
      if (operation.name !== BULK || reply.status < 400) return;
      const body = reply.body.replace(/accounts\[(\d+)\]/g, (_, n) => `accounts[${Number(n) + 1}]`);
      return { ...reply, body };
    }),
  },
  'bulk-duplicates': {
    breaks: ['BULK-11', 'BULK-12', 'BULK-3', 'ACC-5'],
    sentence: 'A batch creates rows whose reference is known once more.',
    ...stored((store) => {
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
  },
  'bulk-512': {
    kind: 'size',
    breaks: ['BULK-7', 'BULK-11', 'ACC-5', 'BULK-1'],
    sentence: 'Rows after the 512th are answered as created, and not kept.',
    ...stored((store) => ({
      saveAccount: (each, context) =>
        (context?.row ?? 0) < 512 ? store.saveAccount(each, context) : each,
    })),
  },
  'bulk-counts-byte': {
    kind: 'size',
    breaks: ['BULK-2', 'BULK-4', 'BULK-7'],
    sentence: 'The counts of a batch are kept in a byte.',
    ...shown(BULK, (body) => ({
      ...body,
      total: Number(body.total) % 256,
      created: Number(body.created) % 256,
    })),
  },
};
