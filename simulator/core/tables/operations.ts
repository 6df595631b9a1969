// The operations of the API.
export * from '../../../fixtures/operations.ts';
