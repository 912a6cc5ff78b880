/** The forwarding provider that the operator chose, and the key of the account there, which is never an argument. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { SettingProblem } from "../../settings/env.ts";
import { forwardEmail } from "../../settings/read-config.ts";
import { providerKey, providerUrl } from "../../settings/values.ts";
import type { ForwardingKind, ProviderChoice } from "./settings-change.ts";

export const forwardingChoices = "engine (this server) or forward-email (a provider, for machines without port 25)";

/** @returns `null` when nothing was chosen; a sentence for anything else that is no choice */
export function forwardingOption(value: string | boolean | undefined): { kind: ForwardingKind | null } | string {
  if (value === undefined) return { kind: null };
  if (value === "engine" || value === "forward-email") return { kind: value };
  return `--forwarding must be ${forwardingChoices}.`;
}

interface Asking {
  line(question: string): Promise<string>;
  /** Without showing what is typed. */
  hidden(question: string): Promise<string>;
}

interface Given {
  /** `null`: not given. */
  key: string | null;
  url: string | null;
  /** Settings that are there, of the file and of the environment. */
  present: Readonly<Record<string, string | undefined>>;
  /** `null`: there is nobody to ask. */
  asking: Asking | null;
}

/** @returns a sentence, without key or address, when one is missing or malformed */
export async function providerChoice({ key, url, present, asking }: Given): Promise<ProviderChoice | string> {
  const typed = { key: key ?? present.KAUKE_PROVIDER_KEY ?? "", url: url ?? present.KAUKE_PROVIDER_URL ?? "" };
  if (typed.key === "" && asking !== null) {
    typed.key = (await asking.hidden("API key of the account at the provider: ")).trim();
    if (typed.url === "") typed.url = (await asking.line(`Address of its API [${forwardEmail}]: `)).trim();
  }
  if (typed.key === "") return "--provider-key-file must name a file with the account's API key at the provider.";
  try {
    return {
      key: parsed("The API key", typed.key, providerKey),
      url: parsed("The provider's address", typed.url || forwardEmail, providerUrl),
    };
  } catch (thrown) {
    if (!(thrown instanceof SettingProblem)) throw thrown;
    return thrown.message;
  }
}

function parsed<T>(what: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (thrown) {
    if (!(thrown instanceof SettingProblem)) throw thrown;
    throw new SettingProblem(`${what} ${thrown.message}.`);
  }
}

/** Asks on the terminal. */
export const terminal: Asking = { line: askLine, hidden: askHidden };

async function askLine(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const typed = await lines.question(question);
  lines.close();
  return typed;
}

async function askHidden(question: string): Promise<string> {
  process.stdout.write(question);
  // The terminal shows only what is written here.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const typed = await lines.question("");
  lines.close();
  process.stdout.write("\n");
  return typed;
}
