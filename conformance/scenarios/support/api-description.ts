// What a target says of itself in an OpenAPI document, where it serves one. The specification asks
// for none, so nothing in it is judged; it tells what would else have to be guessed.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Json } from '../../engine/send/answer.ts';

/** Where such documents usually stand. */
const PLACES = ['/openapi.json', '/api/v1/openapi.json'];

export interface ApiDescription {
  /** Paths with this method, as they are written there: `/api/v1/accounts/{id}/status`. */
  readonly pathsOf: (method: string) => readonly string[];
  /** The schema of a JSON request body; undefined if there is none. */
  readonly requestSchema: (method: string, path: string) => JsonObject | undefined;
  /** Follows a `$ref` within the document. */
  readonly resolve: (schema: Json | undefined) => JsonObject | undefined;
}

export type JsonObject = { readonly [name: string]: Json };

/** Undefined where the target serves none. */
export async function describeApi(t: ScenarioContext): Promise<ApiDescription | undefined> {
  for (const path of PLACES) {
    const answer = await t.api.send({ method: 'GET', path });
    const paths = answer.status === 200 ? answer.at('paths') : undefined;
    if (isObject(paths)) return new Description(answer.json as JsonObject, paths);
  }
  return undefined;
}

class Description implements ApiDescription {
  readonly #document: JsonObject;
  readonly #paths: JsonObject;

  constructor(document: JsonObject, paths: JsonObject) {
    this.#document = document;
    this.#paths = paths;
  }

  pathsOf(method: string): string[] {
    const names = Object.keys(this.#paths);
    return names.filter((path) => this.#operation(method, path) !== undefined);
  }

  requestSchema(method: string, path: string): JsonObject | undefined {
    const body = this.resolve(this.#operation(method, path)?.requestBody);
    const content = body?.content;
    if (!isObject(content)) return undefined;
    const type = Object.keys(content).find((name) => /^application\/json\b/i.test(name));
    const media = type === undefined ? undefined : content[type];
    return isObject(media) ? this.resolve(media.schema) : undefined;
  }

  resolve(schema: Json | undefined): JsonObject | undefined {
    let at = schema;
    // As deep as anybody nests them; a circle ends here.
    for (let depth = 0; depth < 10 && isObject(at) && typeof at.$ref === 'string'; depth += 1) {
      at = this.#pointed(at.$ref);
    }
    return isObject(at) ? at : undefined;
  }

  #operation(method: string, path: string): JsonObject | undefined {
    const item = this.resolve(this.#paths[path]);
    return this.resolve(item?.[method.toLowerCase()]);
  }

  #pointed(ref: string): Json | undefined {
    if (!ref.startsWith('#/')) return undefined;
    const names = ref.slice(2).split('/');
    const plain = names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
    return plain.reduce<Json | undefined>(
      (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
      this.#document,
    );
  }
}

export function isObject(value: Json | undefined): value is { [name: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
