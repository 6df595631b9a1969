// Every idea there is.
import { accessIdeas } from './access.ts';
import { accountIdeas } from './accounts.ts';
import { bulkIdeas, fullBatchIdeas } from './bulk.ts';
import { burstIdeas } from './bursts.ts';
import { channelIdeas } from './channel.ts';
import { decisionIdeas } from './decisions.ts';
import { faultIdeas } from './faults.ts';
import { atOnceGrids } from './grids/at-once.ts';
import { callerGrids } from './grids/callers.ts';
import { eventGrids } from './grids/events.ts';
import { interruptedGrids } from './grids/interrupted.ts';
import { keyGrids } from './grids/keys.ts';
import { moneyGrids } from './grids/money.ts';
import { oddValueGrids } from './grids/odd-values.ts';
import { peopleGrids } from './grids/people.ts';
import { raceGrids } from './grids/races.ts';
import { sizeGrids } from './grids/sizes.ts';
import { storyGrids } from './grids/stories.ts';
import { waitingGrids } from './grids/waiting.ts';
import { wayGrids } from './grids/ways.ts';
import type { Idea } from './idea.ts';
import { ageIdeas } from './mixtures/ages.ts';
import { alikeIdeas } from './mixtures/alikes.ts';
import { crossingIdeas } from './mixtures/crossings.ts';
import { endpointIdeas } from './mixtures/endpoints.ts';
import { lifeIdeas } from './mixtures/lives.ts';
import { lookalikeIdeas } from './mixtures/lookalikes.ts';
import { manyIdeas } from './mixtures/many.ts';
import { refusalIdeas } from './mixtures/refusals.ts';
import { sideBySideIdeas } from './mixtures/side-by-side.ts';
import { subjectIdeas } from './mixtures/subjects.ts';
import { moneyIdeas } from './money.ts';
import { positionIdeas } from './positions.ts';
import { repeatIdeas } from './repeats.ts';
import { rereadIdeas } from './rereads.ts';
import { timeIdeas } from './time.ts';
import { updateIdeas } from './updates.ts';
import { webhookIdeas } from './webhooks.ts';

const grids = [
  ...[...storyGrids, ...atOnceGrids, ...sizeGrids, ...waitingGrids, ...interruptedGrids],
  ...wayGrids,
  ...callerGrids,
  ...[...peopleGrids, ...keyGrids, ...moneyGrids, ...eventGrids, ...raceGrids, ...oddValueGrids],
].map((idea): Idea => ({ ...idea, isGrid: true }));

const mixtures = [
  ...[...burstIdeas, ...manyIdeas, ...lifeIdeas, ...crossingIdeas, ...lookalikeIdeas],
  ...[...sideBySideIdeas, ...subjectIdeas, ...ageIdeas, ...endpointIdeas, ...refusalIdeas],
  ...[...alikeIdeas, ...fullBatchIdeas],
].map((idea): Idea => ({ ...idea, isMixture: true }));

export const ideas: readonly Idea[] = [
  ...accountIdeas,
  ...updateIdeas,
  ...bulkIdeas,
  ...moneyIdeas,
  ...decisionIdeas,
  ...repeatIdeas,
  ...rereadIdeas,
  ...positionIdeas,
  ...webhookIdeas,
  ...channelIdeas,
  ...timeIdeas,
  ...accessIdeas,
  ...faultIdeas,
  ...mixtures,
  ...grids,
];
