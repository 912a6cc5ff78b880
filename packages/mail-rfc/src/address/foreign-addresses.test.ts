/** Laws for other people's addresses: what a host assigned comes back in the very spelling, whatever way it takes. */
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { LOCAL_MAX_OCTETS, parsePath } from "./address.ts";
import { parseAddressList } from "./address-list.ts";
import { foreignLocals } from "./foreign-addresses.testing.ts";
import { formatAddressField } from "./format-address.ts";
import { openCorrespondent, replyAddress, replyToken, sealCorrespondent } from "./reply-address.ts";
import { isSrs, readBoundSrs, srsForward, srsReverse } from "./srs.ts";

const runs = process.env.LONG_ROUNDS === undefined ? 300 : 100_000;
const context = {
  domain: "alias.test",
  isOurDomain: (domain: string) => domain === "alias.test",
  hashes: [(data: string) => createHmac("sha256", "key").update(data).digest()] as const,
  now: new Date("2026-11-27T00:00:00Z"),
};
const subject = { id: "01234567-89ab-cdef-0123-456789abcdef", hint: "aerukz" };
const key = Buffer.alloc(32, 1);

/** @returns `null` when the address would be too long; the server then puts a token in its place */
function forwarded(sender: string, bound: boolean): string | null {
  try {
    return srsForward(sender, context, bound ? subject : undefined);
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError && thrown.reason === "path_too_long") return null;
    throw thrown;
  }
}

describe("any local part that a host assigns", () => {
  it("comes back in the very spelling from MAIL over SRS to a bounce", () => {
    let long = 0;
    fc.assert(
      fc.property(foreignLocals, (local) => {
        const sender = parsePath(`<${local}@Sender.example>`).canonical;
        expect(sender).toBe(`${local}@sender.example`);
        // Another forwarder's SRS is rewritten to ours, and tested by the vectors.
        if (isSrs(local)) return;
        for (const bound of [true, false]) {
          const srs = forwarded(sender, bound);
          if (srs === null) {
            long += 1;
            continue;
          }
          const { canonical, local: ours } = parsePath(`<${srs}>`);
          expect(Buffer.byteLength(ours)).toBeLessThanOrEqual(LOCAL_MAX_OCTETS);
          const back = bound ? readBoundSrs(canonical, context)?.sender : srsReverse(canonical, context);
          expect(back).toBe(sender);
        }
      }),
      { numRuns: runs },
    );
    expect(long).toBeGreaterThan(0);
  });

  it("comes back in the very spelling from From over a reply address to the answer", () => {
    fc.assert(
      fc.property(foreignLocals, fc.constantFrom("Ann", "Lee, Ann", null), (local, name) => {
        const address = `${local}@sender.example`;
        const written = formatAddressField("From", [{ name, address }]);
        const value = written.slice(written.indexOf(":") + 1).replace(/\r\n/g, "");
        expect(parseAddressList(value)).toEqual([{ name, address }]);
        const token = replyToken(key, address);
        expect(replyAddress(token, "alias.test").length).toBeLessThanOrEqual(LOCAL_MAX_OCTETS);
        const correspondent = openCorrespondent(token, sealCorrespondent(token, { address, name }));
        expect(correspondent).toEqual({ address, name });
        expect(parsePath(`<${correspondent?.address}>`).canonical).toBe(address);
      }),
      { numRuns: runs },
    );
  });
});
