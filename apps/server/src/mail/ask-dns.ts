/**
 * Adapts the resolver to the interface that mailauth expects: a function like `dns.promises.resolve`, with limits on
 * TXT records. Answers become values, or errors with the codes of node:dns.
 */
import { boundTxt } from "./bounded-txt.ts";
import type { DnsAnswer, Resolver } from "./resolver.ts";

/** Same interface as `dns.promises.resolve`: throws errors with the codes of node:dns. */
export type AskDns = (name: string, type?: string) => Promise<string[]>;

/** Makes our resolver a function like `dns.promises.resolve`, without a deadline besides the resolver's own. */
export function dnsFor(resolver: Resolver): AskDns {
  return async (name, type = "A") => recordsOf(await lookUp(resolver, name, type), type);
}

const errorCodes = { no_name: "ENOTFOUND", no_record: "ENODATA", failed: "ESERVFAIL", late: "ETIMEOUT" } as const;

/**
 * Converts an answer of our resolver to records as node:dns returns them.
 * @param answer `late` when no answer came in time
 * @throws an error with a code of node:dns unless records were found
 */
export function recordsOf(answer: DnsAnswer<unknown> | "late", type: string): string[] {
  const kind = answer === "late" ? answer : answer.kind;
  // The library's type allows strings only; TXT is a list of lists and MX a list of objects, as in node:dns.
  if (answer !== "late" && answer.kind === "found")
    return (type === "TXT" ? answer.records.map((it) => [it]) : answer.records) as string[];
  throw errorOf(errorCodes[kind as keyof typeof errorCodes]);
}

/** Creates an error without a stack trace: nobody reads the trace, and it would cost more than the look-up. */
function errorOf(code: string): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return Object.assign(new Error(code), { code });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Makes one query. @param type a record type that mailauth looks up; other types yield `no_record` */
export async function lookUp(resolver: Resolver, name: string, type: string): Promise<DnsAnswer<unknown>> {
  switch (type) {
    case "TXT":
      return boundTxt(name, await resolver.resolveTxt(name));
    case "MX":
      return resolver.resolveMx(name);
    case "AAAA":
      return resolver.resolve6(name);
    case "PTR":
      return resolver.resolvePtr(name);
    case "A":
      return resolver.resolve4(name);
    default:
      return { kind: "no_record" };
  }
}
