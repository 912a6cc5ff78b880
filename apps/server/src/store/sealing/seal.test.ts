import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openBytes, SEAL_OVERHEAD_BYTES, SealError, sealBytes } from "./seal.ts";

const key = { id: 7, bytes: randomBytes(32) };
const keyById = (id: number) => (id === key.id ? key.bytes : undefined);

describe("a sealed value", () => {
  it("opens to what was sealed, in its own context", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.string(), (plain, context) => {
        const sealed = sealBytes(key, context, plain);
        expect(sealed.length).toBe(plain.length + SEAL_OVERHEAD_BYTES);
        expect(openBytes(keyById, context, sealed).equals(plain)).toBe(true);
      }),
    );
  });

  it("differs each time the same value is sealed", () => {
    const plain = Buffer.from("ann@example.org");
    expect(sealBytes(key, "a", plain).equals(sealBytes(key, "a", plain))).toBe(false);
  });

  it("does not open in another row", () => {
    const sealed = sealBytes(key, "alias:sealed:1", Buffer.from("ann@example.org"));
    expect(() => openBytes(keyById, "alias:sealed:2", sealed)).toThrow(SealError);
  });

  it("does not open after any change of any byte", () => {
    const sealed = sealBytes(key, "c", Buffer.from("ann@example.org"));
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => openBytes(keyById, "c", changed)).toThrow(SealError);
    }
  });

  it("does not open when it was truncated", () => {
    const sealed = sealBytes(key, "c", Buffer.from("ann@example.org"));
    for (let length = 0; length < sealed.length; length += 1)
      expect(() => openBytes(keyById, "c", sealed.subarray(0, length))).toThrow(SealError);
  });

  it("does not open with another key of the same id", () => {
    const sealed = sealBytes(key, "c", Buffer.from("ann@example.org"));
    expect(() => openBytes(() => randomBytes(32), "c", sealed)).toThrow(SealError);
  });
});
