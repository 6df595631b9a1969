// What a play leaves on a target that keeps it, and what goes on there if nobody ends it: its
// subscriptions are disabled, its positions are closed.
import { memberAt } from '../../engine/send/answer.ts';
import type { CallStep, Step } from '../sequence.ts';
import { Spent } from './ground.ts';
import { type CallOutcome, isSetupFailure, jsonOf, type Outcome } from './outcome.ts';
import type { Player } from './player.ts';
import { withPosition } from './position-form.ts';

/** As far as the requests last. How it is answered is not compared: the inventory tells. */
export async function tidy(steps: readonly Step[], player: Player): Promise<void> {
  if (player.ground.target.disposable || player.ground.signal?.aborted === true) return;
  let n = 1 + Math.max(0, ...player.outcomes.keys());
  try {
    for (const call of endsOf(steps, player)) {
      await player.play({ ...call, do: 'call', n });
      n += 1;
    }
  } catch (error) {
    if (!(error instanceof Spent) && !isSetupFailure(error)) throw error;
  }
}

type Ending = Omit<CallStep, 'do' | 'n'>;

function endsOf(steps: readonly Step[], player: Player): readonly Ending[] {
  const served = steps.flatMap((step) => servedBy(step, player));
  const of = (operation: CallStep['operation']) =>
    served.filter(({ call }) => call.operation === operation);
  const disabled = new Set(of('disableWebhook').map(({ answer }) => answer.sent.target));
  const { orders: form } = player.ground;
  const name = form?.closing.name ?? 'position_id';
  const closed = new Set(of('closePosition').map(({ answer }) => memberAt(sentJson(answer), name)));
  const hooks = of('createWebhook').flatMap(({ call: { as }, answer }): Ending[] => {
    const id = String(memberAt(answer.json, 'id'));
    const isOver = [...disabled].some((path) => path.endsWith(`/${id}/disable`));
    return isOver ? [] : [{ operation: 'disableWebhook', as, id }];
  });
  const orders = of('openPosition').flatMap(({ call: { as }, answer }): Ending[] => {
    const position_id = memberAt(
      withPosition(form, answer.sent.target, answer.json),
      'position_id',
    );
    const named = memberAt(sentJson(answer), 'trading_account_id');
    if (typeof position_id !== 'string' || typeof named !== 'string') return [];
    if (closed.has(position_id)) return [];
    const body = { trading_account_id: named, position_id };
    return [{ operation: 'closePosition', as, key: { $fresh: `tidy-${position_id}` }, body }];
  });
  return [...byWhatTheySay(hooks), ...byWhatTheySay(orders)];
}

/** A repeat shows the same record once more. */
const byWhatTheySay = (all: readonly Ending[]): readonly Ending[] => [
  ...new Map(all.map((each) => [JSON.stringify(each), each])).values(),
];

const sentJson = ({ sent }: CallOutcome) =>
  sent.body === undefined ? undefined : jsonOf(sent.body);

interface Served {
  readonly call: CallStep;
  readonly answer: CallOutcome;
}

function servedBy(step: Step, { outcomes }: Player): readonly Served[] {
  const served = (call: CallStep, outcome: Outcome | undefined): readonly Served[] =>
    outcome?.kind === 'answer' && outcome.status < 300 ? [{ call, answer: outcome }] : [];
  if (step.do === 'call') return served(step, outcomes.get(step.n));
  if (step.do === 'burst') return step.calls.flatMap((each) => served(each, outcomes.get(each.n)));
  if (step.do !== 'many') return [];
  const outcome = outcomes.get(step.n);
  const answers = outcome?.kind === 'many' ? outcome.answers : [];
  return answers.flatMap((each) => served(step.call, each));
}
