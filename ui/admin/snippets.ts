// A first call in curl, Node and Python, ready to be pasted.

export type Language = 'curl' | 'Node' | 'Python';

export const languages = ['curl', 'Node', 'Python'] as const;

interface SnippetOptions {
  readonly base: string;
  readonly token: string;
  readonly brandId: string;
}

export function snippet(language: Language, { base, token, brandId }: SnippetOptions): string {
  const url = `${base}/api/v1/accounts`;
  const body = `"client_reference_id": "first-1", "email": "first@example.com"`;
  if (language === 'curl') {
    return [
      `curl -i -X POST ${url} \\`,
      `  -H 'Authorization: Bearer ${token}' \\`,
      `  -H 'Idempotency-Key: first-1' \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '{${body}, "brand_id": "${brandId}"}'`,
    ].join('\n');
  }
  if (language === 'Node') {
    return [
      `const answer = await fetch('${url}', {`,
      `  method: 'POST',`,
      `  headers: {`,
      `    authorization: 'Bearer ${token}',`,
      `    'idempotency-key': 'first-1',`,
      `    'content-type': 'application/json',`,
      `  },`,
      `  body: JSON.stringify({`,
      `    client_reference_id: 'first-1',`,
      `    email: 'first@example.com',`,
      `    brand_id: '${brandId}',`,
      `  }),`,
      `});`,
      `console.log(answer.status, await answer.json());`,
    ].join('\n');
  }
  return [
    `import json, urllib.request`,
    ``,
    `request = urllib.request.Request(`,
    `    "${url}",`,
    `    method="POST",`,
    `    headers={`,
    `        "Authorization": "Bearer ${token}",`,
    `        "Idempotency-Key": "first-1",`,
    `        "Content-Type": "application/json",`,
    `    },`,
    `    data=json.dumps({${body}, "brand_id": "${brandId}"}).encode(),`,
    `)`,
    `with urllib.request.urlopen(request) as answer:`,
    `    print(answer.status, json.load(answer))`,
  ].join('\n');
}
