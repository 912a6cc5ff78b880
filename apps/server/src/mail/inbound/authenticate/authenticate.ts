/**
 * SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 7489) and ARC (RFC 8617), concurrently and with one deadline. Unfinished
 * checks are `temperror`, and may defer a message (docs/decisions/2026-11-22-dmarc-and-slow-dns.md).
 */

import type { Vouchers } from "@kauke/mail-rfc";
import type { AuthResult } from "../../../core/message/message.ts";
import { bounds } from "../../../limits/table.ts";
import type { Resolver } from "../../dns/resolver.ts";
import type { BodyHashes } from "../../message/message-signer.ts";
import type { AuthorInstruction } from "../../transaction.ts";
import { DmarcJudge, type DmarcVerdict, readInstruction, readShownAuthor, type ShownAuthor } from "./author.ts";
import { checkSignatures } from "./check-signatures.ts";
import { checkSpf } from "./check-spf.ts";
import { type Authentication, type ChecksFound, conclude } from "./conclude-checks.ts";
import { MessageDns } from "./message-dns.ts";

export interface ToAuthenticate {
  raw: Buffer;
  envelopeFrom: string;
  clientAddress: string;
  helo: string;
  /** True if a recipient is a reply or send address: then it matters whether the author wrote to it. */
  mayInstruct?: boolean;
}

export interface Authenticated extends Authentication {
  /** `null` unless the mail may be an owner's instruction. */
  instruction: AuthorInstruction | null;
}

export interface AuthenticateDeps {
  resolver: Resolver;
  /** The authserv-id in Authentication-Results. */
  mailHost: string;
  trustedArcSigners: ReadonlySet<string>;
  timeoutMs: number;
  bodyHashes: Pick<BodyHashes, "remember">;
}

export async function authenticate(mail: ToAuthenticate, deps: AuthenticateDeps): Promise<Authenticated> {
  const dns = new MessageDns(deps.resolver, deps.timeoutMs);
  try {
    const { judge, shown, ...checks } = await check(mail, dns, deps);
    const authentication = conclude(checks, deps);
    if (mail.mayInstruct !== true) return { ...authentication, instruction: null };
    const isProven = (vouchers: Vouchers) => judgeSafely(judge, vouchers);
    const instruction = await readInstruction(
      { ...checks, shown, isUnfinished: authentication.isUnfinished },
      isProven,
    );
    return { ...authentication, instruction };
  } finally {
    dns.close();
  }
}

interface Checked extends ChecksFound {
  judge: DmarcJudge;
  shown: ShownAuthor;
}

async function check(mail: ToAuthenticate, dns: MessageDns, deps: AuthenticateDeps): Promise<Checked> {
  const shown = readShownAuthor(mail);
  const judge = new DmarcJudge(shown.domain, dns);
  const proof = new Proof(judge, () => dns.endIn(bounds.messageChecks.graceMs));
  const policy = judge.policy().catch(() => "unknown" as const);
  const spf = checkSpf(mail, dns).catch(() => null);
  void spf.then((found) => found?.result === "pass" && proof.add({ spf: [found.domain], dkim: [] }));
  const signatures = checkSignatures(
    { ...mail, shown },
    {
      dns,
      bodyHashes: deps.bodyHashes,
      onSignature: ({ result, domain }) => result === "pass" && proof.add({ spf: [], dkim: [domain] }),
    },
  );
  const [dkim, arc] = [signatures.dkim.catch(() => null), signatures.arc.catch(() => null)];
  const { domain: author, isPlain: isAuthorPlain } = shown;
  const found = { author, isAuthorPlain, policy: await policy, spf: await spf, dkim: await dkim, arc: await arc };
  const verdict = shown.isPlain ? await proof.verdict() : unproven(await proof.verdict());
  const { wasCut } = dns;
  const hypothetical = verdict.isProven || !shown.isPlain ? null : await judgeSafely(judge, possibleVouchers(found));
  const couldBeProven = hypothetical !== null && (hypothetical.isProven || hypothetical.result === "temperror");
  return { ...found, verdict, couldBeProven, wasCut, judge, shown };
}

/** A From that mail programs parse differently fails, because they may display another author. */
function unproven(verdict: DmarcVerdict): DmarcVerdict {
  return { ...verdict, isProven: false, result: verdict.result === "pass" ? "fail" : verdict.result };
}

/** Domains that would pass if every unfinished check passed; for a check that threw, the author's own. */
function possibleVouchers({ author, spf, dkim }: Pick<ChecksFound, "author" | "spf" | "dkim">): Vouchers {
  const isOpen = ({ result }: { result: AuthResult }) => result === "temperror" || result === "pass";
  const own = { result: "temperror", domain: author } as const;
  return {
    spf: [spf ?? own].filter(isOpen).map(({ domain }) => domain),
    dkim: (dkim ?? [own]).filter(isOpen).map(({ domain }) => domain),
  };
}

/** Applies DMARC whenever a check passes, so that a proven message does not wait for the remaining checks. */
class Proof {
  readonly #judge: DmarcJudge;
  readonly #onProven: () => void;
  readonly #vouchers = { spf: [] as string[], dkim: [] as string[] };
  #judging: Promise<void> = Promise.resolve();
  #proven: DmarcVerdict | null = null;

  constructor(judge: DmarcJudge, onProven: () => void) {
    this.#judge = judge;
    this.#onProven = onProven;
  }

  add({ spf, dkim }: Vouchers): void {
    this.#vouchers.spf.push(...spf);
    this.#vouchers.dkim.push(...dkim);
    this.#judging = this.#judging.then(() => this.#judgeNow());
  }

  async verdict(): Promise<DmarcVerdict> {
    await this.#judging;
    return this.#proven ?? judgeSafely(this.#judge, this.#vouchers);
  }

  async #judgeNow(): Promise<void> {
    if (this.#proven !== null) return;
    const verdict = await judgeSafely(this.#judge, this.#vouchers);
    if (!verdict.isProven) return;
    this.#proven = verdict;
    this.#onProven();
  }
}

/** An unexpected exception counts as `temperror`, never as proof. */
async function judgeSafely(judge: DmarcJudge, vouchers: Vouchers): Promise<DmarcVerdict> {
  return judge.judge(vouchers).catch(() => ({ result: "temperror", isProven: false, applied: null }));
}
