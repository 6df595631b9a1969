// First stage: which operation a path and a method name.

import type { Decision } from '../call.ts';
import type { OperationName, OperationRow } from '../tables/operations.ts';
import { refuse, refuseUnnamed } from './refuse.ts';
import type { RequestContext, Stage } from './request-context.ts';

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
    if (row.absent === true) continue;
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
  decide(context) {
    const { literal, bySegments } = routesOf(context.behaviour.table);
    const { method } = context.call;
    context.operation = literal.get(`${method} ${context.path}`) ?? null;
    if (context.operation !== null) return null;
    const segments = context.path.slice(1).split('/');
    const shelf = bySegments.get(segments.length) ?? [];
    const allowed: string[] = [];
    let found: Route | null = null;
    for (const route of shelf) {
      if (!matches(route, segments)) continue;
      allowed.push(route.method);
      if (route.method !== method) continue;
      if (found === null || found.segments.includes(':id')) found = route;
    }
    if (found === null) return refuseRoute(context, allowed);
    context.operation = found.name;
    const id = found.segments.indexOf(':id');
    context.pathId = id < 0 ? '' : decodeSegment(segments[id] as string);
    return null;
  },
};

/** The methods that this path takes; none where there is nothing. */
export function methodsAt(table: Table, path: string): readonly string[] {
  const segments = path.slice(1).split('/');
  const shelf = routesOf(table).bySegments.get(segments.length) ?? [];
  return shelf.filter((route) => matches(route, segments)).map(({ method }) => method);
}

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
function refuseRoute(context: RequestContext, allowed: readonly string[]): Decision {
  const { method } = context.call;
  const status = context.behaviour.settings.unknown_method_status;
  if (allowed.length === 0 || status === 404) {
    return refuse(context, {
      code: 'not_found',
      detail: `There is nothing at ${method} ${context.path}. The API lives under /api/v1.`,
      cites: ['NS-31', 'ERR-1a'],
    });
  }
  const allow = [...new Set(allowed)].sort().join(', ');
  return refuseUnnamed(
    context,
    {
      status,
      title: 'Method not allowed',
      code: 'method_not_allowed',
      detail: `${context.path} does not take ${method}. It takes ${allow}.`,
    },
    ['NS-31', 'ERR-1a'],
    { allow },
  );
}
