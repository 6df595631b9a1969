// Detects that a command ended because its JSON parser failed, from the last error that it prints.

/** Messages of JSON parsers about text that is not JSON, in the languages that partners use. */
const complaints: readonly RegExp[] = [
  // JavaScript
  /Unexpected token (?:(?!Unexpected token ).)* (?:in JSON|is not valid JSON)/,
  // The text that it quotes may have line breaks.
  /Unexpected token '[^']*', "/,
  /Unexpected end of JSON input/,
  /Unexpected non-whitespace character after JSON/,
  /JSON Parse error:/,
  // Python
  /JSONDecodeError/,
  /Expecting value: line \d+ column \d+/,
  // Java, Kotlin
  /JsonParseException|JsonMappingException|MalformedJsonException|JsonSyntaxException/,
  /org\.json\.JSONException|JsonProcessingException|JsonDecodingException/,
  // Go, Rust, Ruby, .NET, PHP
  /invalid character (?:(?!invalid character ).)* looking for beginning of value/,
  /expected value at line \d+ column \d+/,
  /JSON::ParserError/,
  /System\.Text\.Json\.JsonException|JsonReaderException/,
  /JsonException: Syntax error/,
  // Perl, jq in a shell script, Elixir, Dart
  /malformed JSON string, neither/,
  /parse error: (?:Invalid|Expected|Unfinished) .* at (?:EOF at )?line \d+, column \d+/,
  /Jason\.DecodeError/,
  /FormatException: Unexpected (?:character|end of input)/,
];

/** The cause of another error, with which the command ended. */
const asReason = /^\s*(?:\[cause\]:|Caused by:|cause:)/i;
const pythonGoesOn = /^(?:The above exception was the direct cause|During handling of the above)/;
/** A message with the status is not a crash: the client has checked the status. */
const withStatus = /\b(?:422|502)\b/;

/** The line that shows the crash; null if there is none beyond the output of the first run. */
export function crashInParser(output: string, before: string): string | null {
  const lines = output.split('\n');
  const usual = new Set(before.split('\n'));
  const at = lines.findLastIndex((line, n) => {
    if (usual.has(line) || asReason.test(line) || withStatus.test(line)) return false;
    if (!complaints.some((complaint) => complaint.test(line))) return false;
    return !lines.slice(n + 1, n + 4).some((next) => pythonGoesOn.test(next));
  });
  return at < 0 ? null : (lines[at]?.trim().slice(0, 200) ?? null);
}
