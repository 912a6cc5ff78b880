/** Tokenizes an address field (RFC 5322 §3.2), including comments. The work per character is constant. */

export interface Token {
  kind: "atom" | "quoted" | "literal" | "special" | "comment";
  text: string;
  hasSpaceBefore: boolean;
}

const SPACE = /[\s\0]+/y;
// An encoded word is one atom even if it contains a comma or "@", which is not allowed but occurs.
const ATOM = /=\?[^?\s]{1,80}\?[bq]\?[^?\s]*\?=|[^\s\0()<>[\]:;@\\,"]+/iy;
// An unterminated quoted string extends to the end.
const QUOTED = /"((?:[^"\\]|\\.)*)(?:"|\\?$)/suy;
const LITERAL = /\[[^[\]\\]*\]/y;

export function* tokenizeAddresses(value: string): Generator<Token> {
  let at = 0;
  let hasSpaceBefore = false;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(value);
    at += found?.[0].length ?? 0;
    return found;
  };
  while (at < value.length) {
    if (take(SPACE)) {
      hasSpaceBefore = true;
      continue;
    }
    if (value[at] === "(") {
      const comment = readComment(value, at);
      at = comment.end;
      yield { kind: "comment", text: comment.text, hasSpaceBefore };
      hasSpaceBefore = true;
      continue;
    }
    yield { ...takeWord(take, () => value[at++] ?? ""), hasSpaceBefore };
    hasSpaceBefore = false;
  }
}

function takeWord(
  take: (pattern: RegExp) => RegExpExecArray | null,
  takeCharacter: () => string,
): Pick<Token, "kind" | "text"> {
  const quoted = take(QUOTED);
  if (quoted) return { kind: "quoted", text: (quoted[1] ?? "").replace(/\\(.)/gsu, "$1") };
  const literal = take(LITERAL);
  if (literal) return { kind: "literal", text: literal[0] };
  const atom = take(ATOM);
  if (atom) return { kind: "atom", text: atom[0] };
  return { kind: "special", text: takeCharacter() };
}

/** Reads a comment, which may contain comments; an unterminated one extends to the end. */
function readComment(value: string, start: number): { text: string; end: number } {
  let depth = 0;
  let text = "";
  for (let at = start; at < value.length; at += 1) {
    const character = value[at] ?? "";
    if (character === "\\") text += value[++at] ?? "";
    else {
      if (character === "(") depth += 1;
      if (character === ")") depth -= 1;
      if (depth === 0) return { text: text.slice(1), end: at + 1 };
      text += character;
    }
  }
  return { text: text.slice(1), end: value.length };
}
