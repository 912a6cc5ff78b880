/**
 * Which texts the sources of the web app take from the catalogues, and which ones a person reads without them. Both are
 * found in the syntax tree, by names alone: no types are looked up.
 */
import { parseAst } from "vitest/node";

interface Node {
  type: string;
  start: number;
  [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const nodesIn = (value: unknown): Node[] =>
  Array.isArray(value) ? value.flatMap(nodesIn) : isNode(value) ? [value] : [];
const childrenOf = (node: Node): Node[] => Object.values(node).flatMap(nodesIn);

export interface Source {
  path: string;
  text: string;
}

const parse = ({ path, text }: Source): Node =>
  parseAst(text, { lang: path.endsWith(".tsx") ? "tsx" : "ts" }) as unknown as Node;

/** The name in a callee, a declaration or an attribute; of `a.b` it is `b`. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return "";
  if (node.type === "JSXNamespacedName") return `${nameOf(node["namespace"])}:${nameOf(node["name"])}`;
  return typeof node["name"] === "string" ? node["name"] : nameOf(node["property"] ?? node["name"] ?? node["key"]);
}

export interface UsedText {
  text: string;
  isPlural: boolean;
}

/** Calls that look a text up, with the place of the key among their arguments. */
const lookUps: Readonly<Record<string, number>> = { t: 0, rich: 0, plural: 2 };

/** @throws Error for a key that is not written out where it is looked up: no check could find it */
export function usedTexts(source: Source): UsedText[] {
  const found: UsedText[] = [];
  const addKey = (key: Node | undefined, isPlural: boolean): void => {
    if (key?.type === "ConditionalExpression")
      for (const choice of ["consequent", "alternate"]) addKey(key[choice] as Node, isPlural);
    else if (key?.type === "Literal" && typeof key["value"] === "string") found.push({ text: key["value"], isPlural });
    else throw new Error(`A key is no string: ${source.text.slice(key?.start, (key?.start ?? 0) + 60)}`);
  };
  const visit = (node: Node): void => {
    const callee = node.type === "CallExpression" ? (node["callee"] as Node) : undefined;
    const at = callee?.type === "Identifier" ? lookUps[nameOf(callee)] : undefined;
    if (at !== undefined) addKey((node["arguments"] as Node[])[at], at > 0);
    childrenOf(node).forEach(visit);
  };
  visit(parse(source));
  return found;
}

/** How a string is used: in a place that a person reads, in one that no person reads, or it has to be judged by itself. */
type Use = "read" | "machine" | "unknown";

const readAttribute =
  /^(?:alt|aria-(?:description|label|roledescription|valuetext)|aside|description|empty|\w*[lL]abel|lead|noun|placeholder|\w*[tT]ext|\w*[tT]itle|what|words?)$/;
const machineAttribute =
  /^(?:accept|align|aria-.*|as|autoC.*|className|command|crossOrigin|d|data-.*|dateTime|dir|encType|enterKeyHint|fetchPriority|fill.*|form|heading|href|htmlFor|icon|id|inputMode|key|kind|labelledBy|lang|loading|look|media|method|name|part|path|pattern|points|preserveAspectRatio|rel|role|scope|sizes|src.*|stroke.*|style|target|to|tone|transform|type|variant|viewBox|[wh])$/;
const machineCall =
  /^(?:addEventListener|closest|matches|querySelector(?:All)?|removeEventListener|RegExp|\w*Error|DateTimeFormat|ListFormat|NumberFormat|PluralRules|CustomEvent|Event|Headers|getItem|setItem|removeItem|setProperty|toLocale\w*|startsWith|endsWith|includes|has|split|join|replace(?:All)?|import|execCommand)$/;
const machineName = /(?:class|className|selector|pattern|algorithm|type|headers?)$/i;
const textFunction = /(?:Text|Title|Words|Label|Sentence|Line)$/;
const notVisited =
  /^(?:Import|Export(?:All|Named)Specifier|ThrowStatement|Debugger|TS(?!AsExpression|SatisfiesExpression|NonNullExpression))/;

const hasWord = (text: string): boolean => /\p{L}{2}/u.test(text);
/** An address, a file's name, a code, a command's option or text in backticks. */
const isValue = (text: string): boolean =>
  /^\S*[@/:_.#=\d-]\S*$|^`[^`]*`$/.test(text) && !/^[A-Z]?[a-z]+[.…:]+$/.test(text);
/** Words with a space between them, or one that begins with a capital. */
const isSentence = (text: string): boolean =>
  /^[“"(…]?\p{Lu}\p{Ll}+(?:[\s.,:…!?’']|$)/u.test(text) ||
  /\p{Ll}{2}[,.:;]? [\p{L}{(“]/u.test(text) ||
  /\{\} \p{Ll}{2}|\p{Ll}{2} \{\}/u.test(text);

function textOf(node: Node): string | undefined {
  if (node.type === "JSXText" || (node.type === "Literal" && typeof node["value"] === "string"))
    return (node["value"] as string).trim();
  if (node.type !== "TemplateLiteral") return undefined;
  return (node["quasis"] as { value: { cooked: string } }[])
    .map(({ value }) => value.cooked)
    .join("{}")
    .trim();
}

/** The part of a comparison, a look-up or an element that holds its values, and how each is used. */
function usesIn(node: Node, use: Use): [child: Node, use: Use][] {
  const all = (as: Use): [Node, Use][] => childrenOf(node).map((child) => [child, as]);
  const fields = (uses: Readonly<Record<string, Use>>): [Node, Use][] =>
    Object.entries(uses).flatMap(([field, as]) => nodesIn(node[field]).map((child): [Node, Use] => [child, as]));
  switch (node.type) {
    case "JSXElement": {
      const isCode = /^(?:code|kbd|pre|samp|style|script)$/.test(nameOf((node["openingElement"] as Node)["name"]));
      return fields({ openingElement: "unknown", children: isCode ? "machine" : "read" });
    }
    case "JSXAttribute": {
      const name = nameOf(node["name"]);
      return fields({ value: readAttribute.test(name) ? "read" : machineAttribute.test(name) ? "machine" : "unknown" });
    }
    case "CallExpression":
    case "NewExpression": {
      const name = nameOf(node["callee"]);
      const isLookUp = name === "said" || Object.hasOwn(lookUps, name);
      return fields({ callee: "machine", arguments: isLookUp || machineCall.test(name) ? "machine" : "unknown" });
    }
    case "BinaryExpression":
      return node["operator"] === "+" ? all(use) : all("machine");
    case "SwitchStatement":
      return fields({ discriminant: "machine", cases: use });
    case "SwitchCase":
      return fields({ test: "machine", consequent: use });
    case "ConditionalExpression":
      return fields({ test: "machine", consequent: use, alternate: use });
    case "IfStatement":
      return fields({ test: "machine", consequent: use, alternate: use });
    case "MemberExpression":
      return fields({ object: "unknown", property: "machine" });
    case "Property":
    case "PropertyDefinition": {
      const name = textOf(node["key"] as Node) ?? nameOf(node["key"]);
      return fields({ value: machineName.test(name) ? "machine" : readAttribute.test(name) ? "read" : "unknown" });
    }
    case "TaggedTemplateExpression":
      return all("machine");
    case "VariableDeclarator":
    case "FunctionDeclaration": {
      const name = nameOf(node["id"]);
      const as = machineName.test(name) ? "machine" : textFunction.test(name) ? "read" : "unknown";
      return fields({ init: as, body: as, params: "unknown" });
    }
    case "ArrowFunctionExpression":
    case "FunctionExpression":
      return fields({ params: "unknown", body: use === "read" ? "read" : "unknown" });
    case "ObjectExpression":
    case "ArrayExpression":
      return all(use === "read" ? "unknown" : use);
    default:
      return all(use);
  }
}

export interface BypassingText {
  path: string;
  line: number;
  text: string;
}

/** @returns each text that a person reads and that is not looked up; `{}` stands for a value in it */
export function bypassingTexts(source: Source): BypassingText[] {
  const found: BypassingText[] = [];
  const visit = (node: Node, use: Use): void => {
    if (notVisited.test(node.type) || typeof node["directive"] === "string") return;
    const text = textOf(node);
    if (
      text !== undefined &&
      use !== "machine" &&
      hasWord(text) &&
      !isValue(text) &&
      (use === "read" || isSentence(text))
    )
      found.push({
        path: source.path,
        line: source.text.slice(0, node.start).split("\n").length,
        text: text.replace(/\s+/g, " "),
      });
    for (const [child, as] of usesIn(node, use)) visit(child, as);
  };
  visit(parse(source), "unknown");
  return found;
}
