// The refusals of the API.
export { type RefusalCode, type RefusalTable, refusalTable } from '../../../fixtures/operations.ts';
