// Reads only, page by page, and keeps every digit of an id: lists give them as JSON numbers.
const { SANDBOX_BASE_URL: base, SANDBOX_TOKEN: token } = process.env;

let after = '0';
let count = 0;
do {
  const response = await fetch(`${base}/api/v1/accounts?limit=2&after=${after}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(5_000),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  // Long numbers become strings before they are parsed.
  const text = (await response.text()).replace(/:\s*(\d{15,})/g, ':"$1"');
  const page = JSON.parse(text);
  count += page.accounts.length;
  after = page.next_after;
} while (after !== null);
console.log(`${count} accounts`);
