// The table of operations, under the path by which the explorer and the client judge import it.
export { OPERATIONS, type OperationName } from '../spec/operations.ts';
