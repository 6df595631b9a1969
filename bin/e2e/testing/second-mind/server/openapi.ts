// As much of an OpenAPI document as tells what the specification leaves open about positions.
import type { JsonObject } from '../values/json.ts';
import type { Style } from '../values/style.ts';

const text: JsonObject = { type: 'string' };

export function openApiOf({ position }: Style): JsonObject {
  const open: JsonObject = {
    type: 'object',
    required: ['trading_account_id', position.instrument, position.side, position.volume],
    properties: {
      trading_account_id: text,
      [position.instrument]: { ...text, examples: ['EURUSD'] },
      [position.side]: { ...text, enum: [...position.sides] },
      [position.volume]: { ...text, examples: ['0.10'] },
    },
  };
  const close: JsonObject = {
    type: 'object',
    required: ['trading_account_id', position.positionId],
    properties: { trading_account_id: text, [position.positionId]: text, [position.volume]: text },
  };
  const order = position.answer(SAMPLE_ORDER, SAMPLE_POSITION);
  const operation = (operationId: string, schema: JsonObject): JsonObject => ({
    post: {
      operationId,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: {
        [String(position.openStatus)]: {
          description: 'the order',
          content: { 'application/json': { example: order } },
        },
      },
    },
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Trading platform', version: '1' },
    paths: {
      '/api/v1/positions/open': operation('openPosition', open),
      '/api/v1/positions/close': operation('closePosition', close),
    },
  };
}

const SAMPLE_ORDER = {
  id: '7000000012',
  tradingAccountId: '7000000003',
  positionId: '7000000011',
  instrument: 'EURUSD',
  side: 'long',
  volume: '0.10',
  createdAtMs: 1_767_225_600_000,
};

const SAMPLE_POSITION = {
  id: '7000000011',
  tradingAccountId: '7000000003',
  instrument: 'EURUSD',
  side: 'long',
  volume: '0.10',
  open: true,
};
