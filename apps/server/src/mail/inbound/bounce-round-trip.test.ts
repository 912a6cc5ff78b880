/** From MAIL over the envelope sender of the copy to the recipient of a bounce, for any address that a host assigns. */
import { createHmac } from "node:crypto";
import { type MailPath, parsePath, readHeader } from "@kauke/mail-rfc";
import { foreignLocals } from "@kauke/mail-rfc/foreign-addresses.testing";
import { rounds } from "@kauke/testkit/long-rounds";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { BounceSender } from "../../core/bounce-sender.ts";
import { domainsOf } from "../../core/domain/mail-domains.testing.ts";
import { BounceSenders } from "../message/bounce-address.ts";
import { rewrite } from "../message/rewrite.ts";
import { type ResolveDeps, resolve } from "./resolve.ts";

const aliasId = "9f3c1a77-5d1e-4c0b-8a55-0123456789ab";
const domains = domainsOf(["kauke.test"]);
const srsHash = (data: string) => createHmac("sha256", "key").update(data).digest();
const now = new Date("2026-11-27T12:00:00Z");
const clock = { now: () => now, steadyMs: () => 0 };
const wire = Buffer.from("Subject: hi\r\n\r\nbody\r\n");

function memoryStore() {
  const rows = new Map<string, string>();
  const keyOf = (of: Pick<BounceSender, "aliasId" | "token">) => `${of.aliasId} ${of.token.toString("hex")}`;
  return {
    rows,
    ensure: async (senders: readonly BounceSender[]) => {
      for (const sender of senders) rows.set(keyOf(sender), sender.sender);
    },
    find: async (of: Pick<BounceSender, "aliasId" | "token">) => rows.get(keyOf(of)) ?? null,
  };
}

function copyFor(envelopeFrom: string) {
  const envelope = { envelopeFrom, helo: "x", clientAddress: "192.0.2.1", protocol: "ESMTP" as const };
  return rewrite(
    {
      messageId: "m",
      envelope: { ...envelope, receivedAt: now, eightBit: false, smtpUtf8: false },
      wire,
      header: readHeader(wire),
      aliasAddress: "shop@kauke.test",
      aliasId,
      replyKey: null,
      mayNameSender: true,
    },
    { mailHost: "mx.kauke.test", domains, srsHash },
  );
}

/** @returns who is notified of a bounce to this address; the verdict if it is refused */
async function bounceTo(path: MailPath, bounceSenders: ResolveDeps["bounceSenders"]) {
  const aliases = { findIdsBetween: async () => [aliasId] };
  const deps = { domains, srsHash, aliases, bounceSenders, now: () => now } as unknown as ResolveDeps;
  const verdict = await resolve(path, true, deps);
  return verdict.verdict === "accept" && verdict.value.kind === "bounce" ? verdict.value.sender : verdict;
}

test("a bounce of any sender's mail reaches the sender in the very spelling", async () => {
  const store = memoryStore();
  const book = new BounceSenders(store, clock, null);
  const seen = { srs: 0, token: 0, chain: 0 };
  const law = fc.asyncProperty(
    foreignLocals,
    fc.constantFrom("sender.example", "a.b.example"),
    async (local, domain) => {
      const sender = `${local}@${domain}`;
      const { envelopeFrom, bounceSender } = copyFor(sender);
      const path = parsePath(`<${envelopeFrom}>`);
      expect(Buffer.byteLength(path.local)).toBeLessThanOrEqual(64);
      expect(envelopeFrom).toMatch(/^[\x21-\x7e ]+$/);
      // The chain of two forwarders keeps our part only; the vectors of SRS show it.
      if (bounceSender === null && /^"?SRS[01]/i.test(local)) return void seen.chain++;
      seen[bounceSender === null ? "srs" : "token"]++;
      if (bounceSender !== null) await book.keep([{ ...bounceSender, userId: "account" }], now);
      expect(await bounceTo(path, store)).toBe(sender);
      // Hosts may change the case of what they return; a token doesn't depend on it.
      if (bounceSender !== null)
        expect(await bounceTo(parsePath(`<${envelopeFrom.toUpperCase()}>`), store)).toBe(sender);
    },
  );
  await fc.assert(law, { numRuns: rounds(300, 100_000) });
  expect(seen.srs).toBeGreaterThan(rounds(30, 10_000));
  expect(seen.token).toBeGreaterThan(rounds(30, 10_000));
});

test("a bounce whose sender is not stored reaches nobody but the alias, and a forged or expired address is refused", async () => {
  const { envelopeFrom } = copyFor(`${"x".repeat(100)}@sender.example`);
  const path = parsePath(`<${envelopeFrom}>`);
  expect(await bounceTo(path, memoryStore())).toBeNull();
  const forged = parsePath(`<${envelopeFrom.replace(/.@/, (end) => (end === "b@" ? "c@" : "b@"))}>`);
  expect(await bounceTo(forged, memoryStore())).toMatchObject({ verdict: "reject", code: "alias_not_found" });
});
