// First stage: which operation a path and a method name.
import type { Attempt, Stage } from '../attempt.ts';
import type { Decision } from '../call.ts';
import { refuse, refuseUnnamed } from '../refuse.ts';
import type { OperationName, OperationRow } from '../tables/operations.ts';

interface Route {
  readonly name: OperationName;
  readonly method: string;
  readonly segments: readonly string[];
}

type Table = Readonly<Record<OperationName, OperationRow>>;

const prefix = '/api/v1/';
const compiled = new WeakMap<Table, Routes>();

interface Routes {
  /** By method and path; only what is not found here is taken apart. */
  readonly literal: ReadonlyMap<string, OperationName>;
  readonly bySegments: ReadonlyMap<number, readonly Route[]>;
}

function routesOf(table: Table): Routes {
  const known = compiled.get(table);
  if (known !== undefined) return known;
  const literal = new Map<string, OperationName>();
  const bySegments = new Map<number, Route[]>();
  for (const [name, row] of Object.entries(table) as [OperationName, OperationRow][]) {
    const path = row.path.startsWith('/') ? row.path : `${prefix}${row.path}`;
    const segments = path.slice(1).split('/');
    if (!segments.includes(':id')) literal.set(`${row.method} ${path}`, name);
    const shelf = bySegments.get(segments.length) ?? [];
    bySegments.set(segments.length, [...shelf, { name, method: row.method, segments }]);
  }
  const routes = { literal, bySegments };
  compiled.set(table, routes);
  return routes;
}

/** Literal segments win over `:id`, so that `accounts/bulk` is not an account called bulk. */
function matches(route: Route, segments: readonly string[]): boolean {
  return route.segments.every((part, at) => part === ':id' || part === segments[at]);
}

export const routeStage: Stage = {
  name: 'route',
  decide(attempt) {
    const { literal, bySegments } = routesOf(attempt.behaviour.table);
    const { method } = attempt.call;
    attempt.operation = literal.get(`${method} ${attempt.path}`) ?? null;
    if (attempt.operation !== null) return null;
    const segments = attempt.path.slice(1).split('/');
    const shelf = bySegments.get(segments.length) ?? [];
    const allowed: string[] = [];
    let found: Route | null = null;
    for (const route of shelf) {
      if (!matches(route, segments)) continue;
      allowed.push(route.method);
      if (route.method !== method) continue;
      if (found === null || found.segments.includes(':id')) found = route;
    }
    if (found === null) return refuseRoute(attempt, allowed);
    attempt.operation = found.name;
    const id = found.segments.indexOf(':id');
    attempt.pathId = id < 0 ? '' : decodeSegment(segments[id] as string);
    return null;
  },
};

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    // Bad percent-encoding is no id in any case; the operation then refuses the text as it is.
    if (error instanceof URIError) return segment;
    throw error;
  }
}

// NS-31: an unknown path is a record that does not exist; a known one with another method says
// which it takes.
function refuseRoute(attempt: Attempt, allowed: readonly string[]): Decision {
  const { method } = attempt.call;
  const status = attempt.behaviour.settings.unknown_method_status;
  if (allowed.length === 0 || status === 404) {
    return refuse(attempt, {
      code: 'not_found',
      detail: `There is nothing at ${method} ${attempt.path}. The API lives under /api/v1.`,
      cites: ['NS-31', 'ERR-1a'],
    });
  }
  const allow = [...new Set(allowed)].sort().join(', ');
  return refuseUnnamed(
    attempt,
    {
      status,
      title: 'Method not allowed',
      code: 'method_not_allowed',
      detail: `${attempt.path} does not take ${method}. It takes ${allow}.`,
    },
    ['NS-31', 'ERR-1a'],
    { allow },
  );
}
