// Coverage as a page and as Markdown: all that was met and was not, with the lines to copy.
import { html, type Markup } from '../../../../conformance/reports/html/fragments.ts';
import { htmlPage } from '../../../../conformance/reports/html/page.ts';
import type { CoverageShown } from '../../../../simulator/control/schemas/coverage.ts';
import { familyLines, hintLine, otherCounts, rulesLine } from './text.ts';

const title = 'Coverage of the rules';

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
td, th { padding: .15rem .8rem .15rem 0; text-align: left; vertical-align: top; }
pre { overflow-x: auto; padding: .5rem .7rem; background: light-dark(#f0f2f5, #22262e); }
h3 { margin-bottom: .2rem; }
`;

export function coverageHtml(coverage: CoverageShown): string {
  const { rules, hints, not_met: missing, not_reachable: unreachable } = coverage;
  const body = html`<main>
<h1>${title}</h1>
<p><strong>${rulesLine(coverage)}</strong>, ${otherCounts(coverage).join(', ')}.</p>
<p>${familyLines(coverage).join(', ')}.</p>
${hints.length === 0 ? null : html`<h2>Hints</h2>${hints.map(hintItem)}`}
<h2>Not met</h2>
<p>The most worth trying first; the lines want the variables of <code>sandbox exec</code>.</p>
${missing.map(missingItem)}
${unreachable.map(({ id, why }) => html`<p>${id} cannot be met from outside: ${why}</p>`)}
<h2>Met</h2>
${countTable('Rules', rules.ids)}
${countTable('Operations', coverage.operations)}
${countTable('Refusals', coverage.refusals)}
${countTable('Transitions', coverage.transitions)}
${countTable('Events', coverage.events)}
</main>`;
  return htmlPage(title, body, style);
}

function hintItem(hint: CoverageShown['hints'][number]): Markup {
  return html`<p><code>${hint.code}</code> ${hintLine(hint)}</p>`;
}

function missingItem({ id, words, line }: CoverageShown['not_met'][number]): Markup {
  return html`<h3>${id}</h3><p>${words}</p><pre tabindex="0">${line}</pre>`;
}

function countTable(caption: string, counts: object): Markup {
  const rows = Object.entries(counts).map(
    ([name, times]) => html`<tr><th scope="row">${name}</th><td>${times}</td></tr>`,
  );
  return html`<h3>${caption}</h3><table>${rows}</table>`;
}

export function coverageMarkdown(coverage: CoverageShown): string {
  const { hints, not_met: missing, not_reachable: unreachable } = coverage;
  const lines = [
    `# ${title}`,
    '',
    `**${rulesLine(coverage)}**, ${otherCounts(coverage).join(', ')}.`,
    '',
    `${familyLines(coverage).join(', ')}.`,
  ];
  if (hints.length > 0) lines.push('', '## Hints', '');
  for (const hint of hints) lines.push(`- \`${hint.code}\`: ${plain(hintLine(hint))}`);
  lines.push('', '## Not met', '');
  for (const { id, words, line } of missing)
    lines.push(`### ${id}`, '', words, '', ...block(line), '');
  for (const { id, why } of unreachable) lines.push(`${id} cannot be met from outside: ${why}`, '');
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Text from outside is no markup. */
function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>#|]/g, (char) => `\\${char}`);
}

function block(line: string): string[] {
  return ['```sh', line, '```'];
}
