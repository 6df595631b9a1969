// The views of the dashboard, in the order of its navigation.
import type { FunctionComponent } from 'preact';
import { CoverageView } from './admin/coverage-view.tsx';
import { CredentialsView } from './admin/credentials-view.tsx';
import { FaultsView } from './admin/faults-view.tsx';
import { LimitsView } from './admin/limits-view.tsx';
import { QuestionsView } from './admin/questions-view.tsx';
import { RulesView } from './admin/rules-view.tsx';
import { WorldsView } from './admin/worlds-view.tsx';
import { ClientsView } from './clients/clients-view.tsx';
import { AccountsView } from './money/accounts-view.tsx';
import { TransactionsView } from './money/transactions-view.tsx';
import { TimelineView } from './timeline/timeline-view.tsx';
import { WebhooksView } from './webhooks/webhooks-view.tsx';

export interface ViewProps {
  /** What is looked at in the view, such as `['requests', '12']`. */
  readonly path: readonly string[];
}

interface ViewEntry {
  readonly name: string;
  readonly title: string;
  readonly View: FunctionComponent<ViewProps>;
}

const timeline: ViewEntry = { name: 'timeline', title: 'Timeline', View: TimelineView };

/** What stands together in the navigation; a view that is named nowhere stands with the last. */
const groups: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Look', ['timeline', 'accounts', 'transactions', 'webhooks']],
  ['Check', ['clients', 'coverage', 'rules', 'questions']],
  ['Arrange', ['faults', 'limits', 'credentials', 'worlds']],
];

const views: readonly ViewEntry[] = [
  timeline,
  { name: 'accounts', title: 'Accounts', View: AccountsView },
  { name: 'transactions', title: 'Transactions', View: TransactionsView },
  { name: 'webhooks', title: 'Webhooks', View: WebhooksView },
  { name: 'coverage', title: 'Coverage', View: CoverageView },
  { name: 'clients', title: 'Clients', View: ClientsView },
  { name: 'faults', title: 'Faults', View: FaultsView },
  { name: 'limits', title: 'Limits and keys', View: LimitsView },
  { name: 'credentials', title: 'Credentials', View: CredentialsView },
  { name: 'worlds', title: 'Worlds and state', View: WorldsView },
  { name: 'rules', title: 'Rules', View: RulesView },
  { name: 'questions', title: 'Open questions', View: QuestionsView },
];

export function viewOf(name: string | undefined): ViewEntry {
  return views.find((view) => view.name === name) ?? timeline;
}

/** The views by group, in the order of the navigation. */
export function groupedViews(): (readonly [title: string, views: readonly ViewEntry[]])[] {
  const known = new Set(groups.flatMap(([, names]) => names));
  return groups.map(([title, names], at) => {
    const isLast = at === groups.length - 1;
    const mine = ({ name }: ViewEntry) => names.includes(name) || (isLast && !known.has(name));
    return [title, views.filter(mine)] as const;
  });
}
