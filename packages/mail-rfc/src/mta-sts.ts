/** Parses MTA-STS records and policy files (RFC 8461 §3.1, §3.2). Strict: what breaks the syntax counts as absent. */
import { isDnsName } from "./address/dns-name.ts";
import type { MtaStsMode } from "./dkim/dns-records.ts";

export interface StsPolicyFile {
  mode: MtaStsMode;
  /** Seconds for which the policy may be cached, at most a year. */
  maxAgeSeconds: number;
  /** Mail hosts in A-labels; `*.` stands for exactly one label (§4.1). */
  mx: ReadonlySet<string>;
}

/** Maximum lines of a policy file, which has one for each mail host; usual ones have ten. */
export const STS_POLICY_LINES_MAX = 256;
const MAX_AGE_SECONDS = 31_557_600;

const NAME = "[A-Za-z0-9][A-Za-z0-9_.-]{0,31}";
const VERSION = /^v=STSv1[ \t]*;/;
const RECORD = new RegExp(`^v=STSv1(?:[ \t]*;[ \t]*${NAME}=[!-:<>-~]+)+(?:[ \t]*;[ \t]*)?$`);
/** Matches the `id` field of a record; the first one counts. */
const ID = /;[ \t]*id=([^ \t;]+)/;
const FIELD = new RegExp(`^(${NAME}):([^]*)$`);

/**
 * Reads the policy's id; `null` unless exactly one TXT record is valid.
 * @example readStsId(["v=STSv1; id=20160831085700Z;"]) // "20160831085700Z"
 */
export function readStsId(texts: readonly string[]): string | null {
  const [record, ...others] = texts.filter((text) => VERSION.test(text));
  if (record === undefined || others.length > 0 || !RECORD.test(record)) return null;
  const id = ID.exec(record)?.[1] ?? "";
  return /^[A-Za-z0-9]{1,32}$/.test(id) ? id : null;
}

/** @returns `null` when the file is no valid policy, or has too many lines */
export function readStsPolicy(file: string): StsPolicyFile | null {
  const lines = file.split("\n", STS_POLICY_LINES_MAX + 1);
  if (lines.length > STS_POLICY_LINES_MAX) return null;
  const fields = new Map<string, string>();
  const mx = new Set<string>();
  for (const line of lines) {
    const [, name, text = ""] = FIELD.exec(line) ?? [];
    if (name === "mx") mx.add(text.trim().toLowerCase());
    else if (name !== undefined && !fields.has(name)) fields.set(name, text.trim());
  }
  const mode = fields.get("mode");
  const maxAge = fields.get("max_age") ?? "";
  const isValid =
    fields.get("version") === "STSv1" &&
    /^[0-9]{1,10}$/.test(maxAge) &&
    Number(maxAge) <= MAX_AGE_SECONDS &&
    [...mx].every((host) => isDnsName(host.replace(/^\*\./, "")));
  if (!isValid || !isMode(mode) || (mode !== "none" && mx.size === 0)) return null;
  return { mode, maxAgeSeconds: Number(maxAge), mx };
}

export function listsStsHost({ mx }: Pick<StsPolicyFile, "mx">, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return isDnsName(name) && (mx.has(name) || mx.has(name.replace(/^[^.]+/, "*")));
}

function isMode(text: string | undefined): text is MtaStsMode {
  return text === "enforce" || text === "testing" || text === "none";
}
