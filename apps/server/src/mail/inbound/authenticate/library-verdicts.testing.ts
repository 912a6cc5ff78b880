/**
 * What mailauth finds about a message, in the form of our own findings: the oracle that ours are compared with. Where
 * the library deviates from a standard, the finding is replaced by what the standard asks for:
 *
 * - RFC 6376 §6.1.2, step 8: a key that is not of the kind that `a=` names makes the signature invalid. The library
 *   lets OpenSSL decide, which checks RSA with SHA-256 where `a=ed25519-sha256` is written.
 * - RFC 6376 §3.5: `a=` names an algorithm literally. The library also takes `rsa -sha256` and `ed25519-x-sha256`.
 * - RFC 6376 §3.5: `c=` has a header algorithm. For `c=/relaxed` the library throws.
 * - RFC 6376 §3.5: `d=` and `s=` are domain names. The library looks up whatever they contain, NUL included.
 * - RFC 6376 §3.5 and §3.6.1: the domain of `i=` is that of `d=` or one below it, with the key's flag `t=s` the same, and
 *   a key with `t=y` proves nothing. The library tells both apart, but passes the signature.
 */
import { createPublicKey } from "node:crypto";
import { createRequire } from "node:module";
import { readDnsName } from "@kauke/mail-rfc";
import { type DKIMResult, type DMARCResult, dkimVerify, dmarc, arc as verifyArc } from "mailauth";
import type { AuthResult } from "../../../core/message/message.ts";
import type { DnsResult } from "../../dns/resolver.ts";
import type { DmarcVerdict } from "./author.ts";
import type { ArcFound, SignatureFound } from "./check-signatures.ts";

type Resolver = (name: string, type: string) => Promise<string[]>;

/**
 * DNS from a table, for our code and mailauth: TXT records by name; a text that is `failed` or `late` stands for such
 * an answer.
 */
export type TxtTable = Readonly<Record<string, readonly string[] | "failed" | "late">>;

export function answersOf(table: TxtTable) {
  return {
    find: async (name: string, type: string): Promise<DnsResult<string>> => {
      // A resolver in C reads a name to its first NUL.
      const records = table[(name.split("\0", 1)[0] ?? "").toLowerCase()];
      if (records === "failed" || records === "late") return { kind: "failed", isLate: records === "late" };
      if (records === undefined) return { kind: "no_name" };
      return type === "TXT" && records.length > 0 ? { kind: "found", records } : { kind: "no_record" };
    },
  };
}

function resolverOf(table: TxtTable): { resolver: Resolver; unanswered: Set<string> } {
  const { find } = answersOf(table);
  const unanswered = new Set<string>();
  const resolver = async (name: string, type: string): Promise<string[]> => {
    const answer = await find(name, type);
    if (answer.kind === "failed") unanswered.add(name.toLowerCase());
    // As `dns.promises.resolve`: lists of strings for TXT, which the library's type does not allow, and error codes.
    if (answer.kind === "found") return answer.records.map((text) => [text]) as unknown as string[];
    const failed = answer.kind === "failed" && answer.isLate === true ? "ETIMEOUT" : "ESERVFAIL";
    const code = { no_name: "ENOTFOUND", no_record: "ENODATA", failed }[answer.kind];
    throw Object.assign(new Error(code), { code });
  };
  return { resolver, unanswered };
}

export interface LibraryVerdicts {
  dkim: SignatureFound[];
  arc: ArcFound;
}

/** @returns the library's verdicts on a message; `null` if the library throws */
export async function libraryVerdicts(raw: Buffer, table: TxtTable): Promise<LibraryVerdicts | null> {
  const { resolver, unanswered } = resolverOf(table);
  try {
    // rsa-sha1 is refused by RFC 8301 §3.1, which the library follows on request only.
    const verified = await dkimVerify(asForwarded(raw), { resolver, rejectRsaSha1: true } as object);
    const rows = verified.results
      .filter((row) => row.algo === undefined || (isAlgorithm(row.algo) && hasNames(row)))
      .map(signatureOf);
    const dkim = rows.length === 0 ? [unsigned] : rows;
    return { dkim, arc: await arcOf(verified.arc, { resolver, unanswered }) };
  } catch {
    return null;
  }
}

/** Why a DKIM signature is neutral here that the library checks leniently (RFC 6376 §3.2, §3.5). */
const STRICT: readonly string[] = [
  "domain mismatch",
  "incompatible version",
  "signature syntax error",
  "signed in the future",
  "unsupported query method",
];

/** @returns the library's verdicts, with ours on signatures that are malformed or from the future */
export function asStrict(theirs: LibraryVerdicts, ours: readonly SignatureFound[]): LibraryVerdicts {
  const dkim = theirs.dkim.map((row, at) => {
    const { result, comment } = ours[at] ?? row;
    return result === "neutral" && STRICT.includes(comment) ? { ...row, result, comment } : row;
  });
  return { ...theirs, dkim };
}

const unsigned: SignatureFound = {
  result: "none",
  domain: "",
  selector: "",
  algorithm: "",
  signature: "",
  comment: "message not signed",
};

const isAlgorithm = (text: string) => /^(?:rsa-sha256|rsa-sha1|ed25519-sha256)$/i.test(text);

const nameOf = (text: string | undefined): string | null => readDnsName(text ?? "");
const hasNames = (row: Partial<DKIMResult>) => nameOf(row.signingDomain) !== null && nameOf(row.selector) !== null;

function hasWrongKey({ algo = "", publicKey }: DKIMResult): boolean {
  return publicKey !== undefined && createPublicKey(publicKey).asymmetricKeyType !== algo.toLowerCase().split("-")[0];
}

function signatureOf(row: DKIMResult): SignatureFound {
  const { signingDomain, selector, algo, signature } = row;
  const problem = problemOf(row);
  const status = problem === null ? row.status : { result: "neutral", comment: problem };
  return { ...namesOf({ signingDomain, selector, algo, signature }), ...resultOf(status) };
}

function problemOf(row: DKIMResult): string | null {
  const { warnings, testing } = row.status as { warnings?: readonly string[]; testing?: boolean };
  if (warnings?.includes("identity-domain") === true) return "domain mismatch";
  if (testing === true) return "key in test mode";
  return hasWrongKey(row) ? "inappropriate key algorithm" : null;
}

const namesOf = ({ signingDomain, selector, algo, signature }: Partial<DKIMResult>) => ({
  domain: nameOf(signingDomain) ?? "",
  selector: nameOf(selector) ?? "",
  algorithm: algo ?? "",
  signature: (signature ?? "").slice(0, 8),
});

/** A signature that does not cover the whole body proves nothing (RFC 6376 §8.2). */
function resultOf({ result, comment = "", underSized = 0 }: { result: string; comment?: string; underSized?: number }) {
  return { result: (result === "pass" && underSized > 0 ? "policy" : result) as AuthResult, comment };
}

interface LibrarySeal {
  "arc-seal"?: { parsed?: Record<string, { value?: unknown } | undefined> };
}

interface LibraryStatement {
  result?: string;
  header?: { from?: string };
}

/** The library reports every failure as permanent; a seal whose key look-up failed is turned into `temperror`. */
async function arcOf(
  data: unknown,
  { resolver, unanswered }: { resolver: Resolver; unanswered: ReadonlySet<string> },
): Promise<ArcFound> {
  if (data === undefined) return { result: "none", comment: "", sealer: "", vouchedAuthor: "" };
  const { status, signature, authenticationResults, chain } = await verifyArc(data as never, { resolver });
  const seals = ((chain || []) as LibrarySeal[]).map((set) => set["arc-seal"]?.parsed);
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const isLate =
    (signature && signature.status.result === "temperror") ||
    seals.some((seal) => unanswered.has(`${text(seal?.s?.value)}._domainkey.${text(seal?.d?.value)}`.toLowerCase()));
  const said = (authenticationResults as { dmarc?: LibraryStatement } | undefined)?.dmarc;
  const sealNames = seals.flatMap((seal) => [text(seal?.s?.value), text(seal?.d?.value)]);
  const isWrong =
    sealNames.some((name) => nameOf(name) === null) ||
    (signature && (problemOf(signature) !== null || !isAlgorithm(signature.algo ?? "") || !hasNames(signature)));
  const result = isWrong && status.result === "pass" ? "fail" : status.result;
  return {
    result: result === "fail" && isLate ? "temperror" : (result as AuthResult),
    comment: "",
    sealer: nameOf(text(seals.at(-1)?.d?.value)) ?? "",
    vouchedAuthor: said?.result === "pass" ? (said.header?.from ?? "") : "",
  };
}

/** The message as we forward it: a bare LF in the header is a space, and only CRLF ends the header. */
export function asForwarded(raw: Buffer): Buffer {
  const blank = raw.indexOf("\r\n") === 0 ? 0 : raw.indexOf("\r\n\r\n");
  const end = blank < 0 ? raw.length : blank;
  const header = raw.toString("latin1", 0, end).replace(/(?<!\r)\n/g, " ");
  return Buffer.concat([Buffer.from(header, "latin1"), raw.subarray(end)]);
}

interface LibraryTools {
  getAlignment(fromDomain: string, domains: readonly string[]): { domain: string } | false;
  parseHeaders(header: Buffer): { parsed: { key: string | null; line: Buffer }[] };
  toALabel(domain: string): string;
}

export const libraryTools = createRequire(import.meta.url)("mailauth/lib/tools") as LibraryTools;

export interface LibraryDmarc {
  policy: string;
  verdict: DmarcVerdict;
}

export async function libraryDmarc(
  author: string,
  { spf, dkim }: { spf: readonly string[]; dkim: readonly string[] },
  table: TxtTable,
): Promise<LibraryDmarc> {
  const { resolver } = resolverOf(table);
  const find = async (spfDomains: readonly string[], dkimDomains: readonly string[]): Promise<DMARCResult | false> =>
    author !== "" &&
    dmarc({
      headerFrom: [`author@${author}`],
      spfDomains: [...spfDomains],
      dkimDomains: dkimDomains.map((domain) => ({ domain })),
      resolver,
    });
  const unproven = await find([], []);
  const found = await find(spf, dkim);
  const result = found === false ? "none" : (found.status.result as DmarcVerdict["result"]);
  const isAligned =
    result === "none" && author !== "" && libraryTools.getAlignment(author, [...spf, ...dkim]) !== false;
  const applied = found !== false && result === "fail" ? found.policy : null;
  return {
    policy: policyOf(unproven),
    verdict: { result, isProven: result === "pass" || isAligned, applied: applied as DmarcVerdict["applied"] },
  };
}

function policyOf(found: DMARCResult | false): string {
  if (found === false || found.status.result === "none") return "none";
  return found.status.result === "temperror" ? "unknown" : found.policy;
}
