// What makes a witness differ from the honest one of its style: a trait or a defect.
import type { Style } from './styles.ts';
import type { Seams } from './types.ts';

export interface Difference {
  readonly style?: Partial<Style>;
  readonly seams?: Seams;
}
