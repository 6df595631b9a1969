// The operations of the API by name, as the plane's schemas list them.

import { oneOf } from '../../../fixtures/schemas/kit.ts';
import type { OperationName } from '../../core/tables/operations.ts';
import { operationNames } from '../../host/world/world-reads.ts';

export const operationParameter = oneOf('An operation of the API.', operationNames);

/** AUTH-8: by operation, whether the firm may use it. */
export const operationPermissions = {
  type: 'object',
  description: 'By operation, whether the firm may use it (AUTH-8).',
  properties: Object.fromEntries(
    operationNames.map((name) => [
      name,
      { type: 'boolean', description: `Whether ${name} works.` },
    ]),
  ) as Readonly<Record<OperationName, { readonly type: 'boolean'; readonly description: string }>>,
  required: [],
  additionalProperties: false,
} as const;
