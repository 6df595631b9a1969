// Every way in which the second mind can be broken on purpose, with the rules that it then breaks.
export type DefectId = never;
