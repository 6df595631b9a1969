// A first call in curl, Node and Python, ready to be pasted.
import { shellWord } from '../shell-word.ts';

export type Language = 'curl' | 'Node' | 'Python';

export const languages = ['curl', 'Node', 'Python'] as const;

interface SnippetOptions {
  readonly base: string;
  readonly token: string;
  readonly brandId: string;
}

export function snippet(language: Language, { base, token, brandId }: SnippetOptions): string {
  const url = `${base}/api/v1/accounts`;
  // A token of a saved state may be anybody's: it is never more than a text of its language.
  const bearer = `Bearer ${token}`;
  const body = `"client_reference_id": "first-1", "email": "first@example.com"`;
  const brand = JSON.stringify(brandId);
  if (language === 'curl') {
    return [
      `curl -i -X POST ${shellWord(url)} \\`,
      `  -H ${shellWord(`Authorization: ${bearer}`)} \\`,
      `  -H 'Idempotency-Key: first-1' \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d ${shellWord(`{${body}, "brand_id": ${brand}}`)}`,
    ].join('\n');
  }
  if (language === 'Node') {
    return [
      `const answer = await fetch(${JSON.stringify(url)}, {`,
      `  method: 'POST',`,
      `  headers: {`,
      `    authorization: ${JSON.stringify(bearer)},`,
      `    'idempotency-key': 'first-1',`,
      `    'content-type': 'application/json',`,
      `  },`,
      `  body: JSON.stringify({`,
      `    client_reference_id: 'first-1',`,
      `    email: 'first@example.com',`,
      `    brand_id: ${brand},`,
      `  }),`,
      `});`,
      `console.log(answer.status, await answer.json());`,
    ].join('\n');
  }
  return [
    `import json, urllib.request`,
    ``,
    `request = urllib.request.Request(`,
    `    ${JSON.stringify(url)},`,
    `    method="POST",`,
    `    headers={`,
    `        "Authorization": ${JSON.stringify(bearer)},`,
    `        "Idempotency-Key": "first-1",`,
    `        "Content-Type": "application/json",`,
    `    },`,
    `    data=json.dumps({${body}, "brand_id": ${brand}}).encode(),`,
    `)`,
    `with urllib.request.urlopen(request) as answer:`,
    `    print(answer.status, json.load(answer))`,
  ].join('\n');
}
