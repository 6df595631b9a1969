// Every scenario, family by family, in the order of the catalogue.
import type { Scenario } from '../engine/types.ts';
import { bulkScenarios } from './bulk.ts';

export const scenarios: readonly Scenario[] = [...bulkScenarios];
