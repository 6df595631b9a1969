// What is said of a defect: the rules that it breaks, and its story in a sentence.
import type { RuleId } from '../../../../../fixtures/rules.ts';

export type Told = readonly [breaks: readonly RuleId[], story: string];
export type Family = Readonly<Record<string, Told>>;

export type Kind = 'single' | 'combination' | 'size' | 'time' | 'race';
