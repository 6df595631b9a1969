// Text and attributes of XML, whatever stands in them.

export function xmlAttributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
}

/** Line feeds in an attribute would come back as spaces, so they are written as references. */
export function escapeXml(text: string): string {
  return wellFormed(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}

/** XML 1.0 has no way to write most control characters, lone surrogates, U+FFFE and U+FFFF. */
function wellFormed(text: string): string {
  let out = '';
  for (const char of text) {
    const code = char.codePointAt(0)!;
    const allowed =
      code === 9 ||
      code === 10 ||
      (code >= 0x20 && code < 0x7f) ||
      (code >= 0xa0 && code <= 0xd7ff) ||
      (code >= 0xe000 && code <= 0xfffd) ||
      code >= 0x10000;
    if (allowed) out += char;
    else if (code !== 13) out += '\ufffd';
  }
  return out;
}
