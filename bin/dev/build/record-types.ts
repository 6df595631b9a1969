// The public types of the schemas, as named interfaces with the schemas' descriptions: an editor
// shows no comments of inferred types. They replace the compiler's declarations of these modules.
import * as responses from '../../../fixtures/schemas/responses.ts';
import { rows } from '../../../simulator/control/all-rows.ts';
import * as journal from '../../../simulator/control/journal.ts';
import * as records from '../../../simulator/control/records.ts';
import type { Row } from '../../../simulator/control/row.ts';
import {
  interfaceOf,
  type Member,
  membersOf,
  type NamedSchemas,
  objectOf,
  typeOf,
} from './schema-types.ts';

const eventRecords = {
  EventAccount: responses.accountSchema,
  EventOrder: responses.orderSchema,
  EventPosition: responses.positionSchema,
  EventTransaction: responses.transactionSchema,
};

const imports = `import type { Envelope } from '../../fixtures/envelope.ts';
import type { StreamedNotice } from './row.ts';
`;

/** The declaration files by module. */
export function declareRecords(): Readonly<Record<string, string>> {
  const head = '// Generated from the schemas by the build.\n';
  const shown = [...namesOf(records), ...namesOf(journal)];
  const named = new Map([...shown, [records.envelopeSchema, 'Envelope']]);
  const interfaces = shown.flatMap(([schema, name]) =>
    schema === records.envelopeSchema ? [] : [interfaceOf(name, schema, named)],
  );
  const rowTypes = objectOf(rows.map((row) => memberOf(row, named)));
  const events = Object.entries(eventRecords).map(([name, schema]) => interfaceOf(name, schema));
  return {
    'simulator/control/all-rows': `${head}${imports}${interfaces.join('')}export interface RowTypes ${rowTypes}\n`,
    'simulator/control/records': `${head}export * from './all-rows.ts';\n`,
    'simulator/control/journal': `${head}export * from './all-rows.ts';\n`,
    'fixtures/event-records': head + events.join(''),
  };
}

/** `credentialSchema` is described by CredentialShown. */
function namesOf(module: object): (readonly [object, string])[] {
  return Object.entries(module).flatMap(([name, schema]) =>
    name.endsWith('Schema')
      ? [[schema as object, `${name[0]?.toUpperCase()}${name.slice(1, -6)}Shown`] as const]
      : [],
  );
}

function memberOf(row: Row, named: NamedSchemas): Member {
  // Parts of the path, query parameters and members of the body, in one object.
  const params = row.params.map((name) => ({ name, type: 'string | number' }));
  const query = [...params, ...membersOf(row.query, named)];
  const body = membersOf(row.body ?? {}, named);
  // If the body takes one member only, each form of it excludes the others.
  const isOne = row.body?.maxProperties === 1;
  const only = (one: Member) =>
    body.map((each) => (each === one ? { ...each, optional: false } : { ...each, type: 'never' }));
  const given = (isOne ? body.map(only) : [body]).map((form) => objectOf([...query, ...form]));
  const stream = row.stream ? 'AsyncIterable<StreamedNotice>' : 'null';
  const answer = row.answer ? typeOf(row.answer, named) : stream;
  return {
    name: row.name,
    type: `{ readonly given: ${given.join(' | ')}; readonly answer: ${answer} }`,
    description: [row.summary, row.description].filter((words) => words !== undefined).join('. '),
  };
}
