// One self-contained HTML page.
import { createHash } from 'node:crypto';
import { html, type Markup } from './fragments.ts';
import { SCRIPT, STYLE } from './style.ts';

/** The page loads nothing and sends nothing, which its policy enforces in the browser. */
export function htmlPage(title: string, body: Markup, style = STYLE): string {
  const hash = (text: string) => createHash('sha256').update(text).digest('base64');
  const policy =
    `default-src 'none'; base-uri 'none'; form-action 'none'; ` +
    `style-src 'sha256-${hash(style)}'; script-src 'sha256-${hash(SCRIPT)}'`;
  const head = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title>
`;
  return `${head.text}<style>${style}</style>
</head>
<body>
${body.text}
<script>${SCRIPT}</script>
</body>
</html>
`;
}
