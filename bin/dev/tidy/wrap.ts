// Breaks comment lines that are too long, and moves one behind code to a line of its own.

const width = 100;

/** The text with no comment beyond 100 columns; lines that are not comments stay as they are. */
export function wrapComments(text: string): string {
  const open = text.split('\n');
  const done: string[] = [];
  for (let line = open.shift(); line !== undefined; line = open.shift()) {
    if (line.length <= width) {
      done.push(line);
      continue;
    }
    const parts = breakLine(line);
    if (!parts) {
      done.push(line);
      continue;
    }
    done.push(parts.head);
    // What is left over goes to the front of the comment's next line, where there is one.
    const next = open[0];
    if (parts.joins && next !== undefined && continues(next, parts.prefix)) {
      open[0] = `${parts.rest} ${next.slice(parts.prefix.length)}`;
    } else {
      open.unshift(...parts.rest.split('\n'));
    }
  }
  return done.join('\n');
}

interface Parts {
  readonly head: string;
  readonly rest: string;
  readonly prefix: string;
  readonly joins: boolean;
}

function breakLine(line: string): Parts | undefined {
  const block = /^(\s*)\/\*\* (.*) \*\/$/.exec(line);
  if (block) {
    const [, indent = '', words = ''] = block;
    const rest = `${indent} * ${words}\n${indent} */`;
    return { head: `${indent}/**`, rest, prefix: `${indent} * `, joins: false };
  }
  const prefix = /^\s*(\/\/|\*) /.exec(line)?.[0];
  if (prefix) {
    const at = line.lastIndexOf(' ', width);
    if (at <= prefix.length) return undefined;
    const rest = prefix + line.slice(at + 1);
    return { head: line.slice(0, at), rest, prefix, joins: true };
  }
  const behind = /^(\s*)(.*\S) (\/\/ [^'"`]*)$/.exec(line);
  if (!behind) return undefined;
  const [, indent = '', code = '', comment = ''] = behind;
  return { head: indent + comment, rest: indent + code, prefix: '', joins: false };
}

// A line that begins a list, a rule's id or an annotation begins a thought of its own.
function continues(line: string, prefix: string): boolean {
  const words = line.slice(prefix.length);
  return line.startsWith(prefix) && /^[\w`(]/.test(words) && !/^[A-Z]+-\d|^time limit/.test(words);
}
