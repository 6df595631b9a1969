// As much of an OpenAPI document as says what the specification leaves open about positions (NS-1).
import type { Style } from './styles.ts';
import type { JsonObject } from './values.ts';

export function openApiOf({ position }: Style): JsonObject {
  const text: JsonObject = { type: 'string' };
  const [side = ''] = position.sides;
  const opening: JsonObject = {
    type: 'object',
    required: ['trading_account_id', position.instrument, position.side, position.volume],
    properties: {
      trading_account_id: text,
      [position.instrument]: { ...text, examples: ['EURUSD'] },
      [position.side]: { ...text, enum: [...position.sides] },
      [position.volume]: { ...text, examples: ['0.10'] },
    },
  };
  const closing: JsonObject = {
    type: 'object',
    required: ['trading_account_id', position.positionId],
    properties: { trading_account_id: text, [position.positionId]: text, [position.volume]: text },
  };
  const order = { instrument: 'EURUSD', side, volume: '0.10', trading_account_id: '7000000003' };
  const ids = { id: '7000000012', positionId: '7000000011', nowMs: 1_767_225_600_000 };
  const example = position.answer({ ...order, ...ids });
  const operation = (operationId: string, schema: JsonObject): JsonObject => ({
    post: {
      operationId,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: {
        [String(position.status)]: {
          description: 'the order',
          content: { 'application/json': { example } },
        },
      },
    },
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Trading platform', version: '1' },
    paths: {
      '/api/v1/positions/open': operation('openPosition', opening),
      '/api/v1/positions/close': operation('closePosition', closing),
    },
  };
}
