import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBase58, toBase58 } from "./base58.ts";

const vectors: [hex: string, text: string][] = [
  ["61", "2g"],
  ["626262", "a3gV"],
  ["636363", "aPEr"],
  ["73696d706c792061206c6f6e6720737472696e67", "2cFupjhnEsSn59qHXstmK2ffpLv2"],
  ["00eb15231dfceb60925886b67d065299925915aeb172c06647", "1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L"],
  ["516b6fcd0f", "ABnLTmg"],
  ["bf4f89001e670274dd", "3SEo3LWLoPntC"],
  ["572e4794", "3EFU7m"],
  ["ecac89cad93923c02321", "EJDM8drfXA6uyA"],
  ["10c8511e", "Rt5zm"],
  ["00000000000000000000", "1111111111"],
];

describe("base58", () => {
  it.each(vectors)("encodes %s as %s and decodes it again", (hex, text) => {
    const bytes = Buffer.from(hex, "hex");
    expect(toBase58(bytes)).toBe(text);
    expect(fromBase58(text, bytes.length)?.toString("hex")).toBe(hex);
  });

  it("decodes any 32 or 64 bytes it encoded, in 32 to 44 or 64 to 88 characters", () => {
    for (const length of [32, 64])
      fc.assert(
        fc.property(fc.uint8Array({ minLength: length, maxLength: length }), fc.nat({ max: length }), (raw, zeros) => {
          const bytes = Buffer.from(raw).fill(0, 0, zeros);
          const text = toBase58(bytes);
          expect(text.length).toBeGreaterThanOrEqual(length);
          expect(text.length).toBeLessThanOrEqual(length === 32 ? 44 : 88);
          expect(fromBase58(text, length)?.equals(bytes)).toBe(true);
        }),
      );
  });

  it("decodes the longest encodings", () => {
    for (const length of [32, 64]) {
      const bytes = Buffer.alloc(length, 0xff);
      expect(fromBase58(toBase58(bytes), length)?.equals(bytes)).toBe(true);
    }
  });

  it("encodes whatever it decoded to the same text", () => {
    const sign = fc.constantFrom(..."123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl +/=é");
    fc.assert(
      fc.property(fc.string({ unit: sign, minLength: 30, maxLength: 46 }), (text) => {
        const bytes = fromBase58(text, 32);
        if (bytes !== null) expect(toBase58(bytes)).toBe(text);
      }),
    );
  });

  const address = "GPo3Hyze6UhF6FoDuBpcGhqLkcqtHLEMSyhqbnLFGRqn";

  it.each([
    ["another length of bytes", address, 31],
    ["less than 32 characters", address.slice(13), 32],
    ["one sign more", `1${address}`, 32],
    ["a sign that is none", address.replace("G", "0"), 32],
    ["a space around it", ` ${address}`, 32],
    ["a line end", `${address}\n`, 32],
    ["nothing", "", 32],
    ["more than 32 bytes hold", "z".repeat(44), 32],
    ["a text far too long", "1".repeat(1_000_000), 32],
  ])("refuses %s", (_, text, length) => {
    expect(fromBase58(address, 32)).not.toBeNull();
    expect(fromBase58(text, length)).toBeNull();
  });
});
