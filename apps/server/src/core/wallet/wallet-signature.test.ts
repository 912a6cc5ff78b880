import { makeWalletKey, signText } from "@kauke/testkit/wallet-key";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBase58, isSignedBy, isSmallOrder, readSignature, toBase58, walletKey } from "./wallet-signature.ts";

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

/** Textbook Edwards25519 (RFC 8032 §5.1), slow and independent of any library. */
const P = 2n ** 255n - 19n;
const mod = (a: bigint) => ((a % P) + P) % P;
function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let b = mod(base), e = exponent; e > 0n; e >>= 1n, b = mod(b * b)) if (e & 1n) result = mod(result * b);
  return result;
}
const inverse = (a: bigint) => power(a, P - 2n);
const D = mod(-121665n * inverse(121666n));
type Point = { x: bigint; y: bigint };

function add(a: Point, b: Point): Point {
  const product = mod(D * a.x * b.x * a.y * b.y);
  return {
    x: mod((a.x * b.y + a.y * b.x) * inverse(1n + product)),
    y: mod((a.y * b.y + a.x * b.x) * inverse(1n - product)),
  };
}

/** Decodes a point of the curve (RFC 8032 §5.1.3). @returns `null` when the bytes encode no point */
function decode(bytes: Uint8Array): Point | null {
  const number = BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
  const y = mod(number & (2n ** 255n - 1n));
  const square = mod((y * y - 1n) * inverse(mod(D * y * y + 1n)));
  let x = power(square, (P + 3n) / 8n);
  if (mod(x * x) !== square) x = mod(x * power(2n, (P - 1n) / 4n));
  if (mod(x * x) !== square) return null;
  return { x: (x & 1n) === number >> 255n ? x : mod(-x), y };
}

function isKilledByEight(point: Point): boolean {
  let it = point;
  for (let doubled = 0; doubled < 3; doubled++) it = add(it, it);
  return it.x === 0n && it.y === 1n;
}

const littleEndian = (y: bigint, sign: bigint) =>
  Buffer.from((y | (sign << 255n)).toString(16).padStart(64, "0"), "hex").reverse();

/** A point of order eight; its multiples are all eight points of small order. */
const orderEight = decode(Buffer.from("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "hex"));

describe("keys of small order", () => {
  it("are recognised: all eight, in every encoding", () => {
    const points: Point[] = [{ x: 0n, y: 1n }];
    while (points.length < 8) points.push(add(points.at(-1) as Point, orderEight as Point));
    expect(new Set(points.map(({ x, y }) => `${x} ${y}`)).size).toBe(8);
    for (const { x, y } of points) {
      const key = littleEndian(y, x & 1n);
      expect(isSmallOrder(key)).toBe(true);
      expect(walletKey(toBase58(key))).toBeNull();
      // Other encodings of the same point: y not reduced modulo p, where that fits in 255 bits, and the sign bit set
      // for x = 0.
      if (y + P < 2n ** 255n) expect(isSmallOrder(littleEndian(y + P, x & 1n))).toBe(true);
      if (x === 0n) expect(isSmallOrder(littleEndian(y, 1n))).toBe(true);
    }
  });

  it("are not confused with other points", () => {
    for (let tried = 0; tried < 20; tried++) {
      const { address } = makeWalletKey();
      const raw = walletKey(address)?.export({ format: "der", type: "spki" }).subarray(-32) as Buffer;
      expect(isSmallOrder(raw)).toBe(false);
      expect(isKilledByEight(decode(raw) as Point)).toBe(false);
    }
    expect(isKilledByEight(orderEight as Point)).toBe(true);
  });
});

/** Order of the base point, RFC 8032 §5.1. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

describe("a signature", () => {
  const key = makeWalletKey();
  const text = "a text of several\nlines";
  const signature = signText(key, text);
  const verifies = (it: Uint8Array, said = text) => isSignedBy(walletKey(key.address)!, Buffer.from(said), it);

  it("is valid for its text and key only", () => {
    expect(verifies(signature)).toBe(true);
    expect(verifies(signature, `${text} `)).toBe(false);
    expect(isSignedBy(walletKey(makeWalletKey().address)!, Buffer.from(text), signature)).toBe(false);
  });

  it("is invalid with the group order added to S", () => {
    const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`);
    const malleated = Buffer.concat([signature.subarray(0, 32), littleEndian(s + L, 0n)]);
    expect(verifies(malleated)).toBe(false);
  });

  it("is invalid with any bit changed", () => {
    for (let bit = 0; bit < 512; bit += 7) {
      const changed = Buffer.from(signature);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(verifies(changed), `bit ${bit}`).toBe(false);
    }
  });

  it("is decoded from base58 and from base64", () => {
    expect(readSignature(toBase58(signature))?.equals(signature)).toBe(true);
    expect(readSignature(signature.toString("base64"))?.equals(signature)).toBe(true);
  });

  it.each([
    ["63 bytes", signature.subarray(1).toString("base64")],
    ["65 bytes", Buffer.concat([signature, Buffer.alloc(1)]).toString("base64")],
    ["63 bytes in base58", toBase58(Buffer.concat([Buffer.from([9]), signature.subarray(2)]))],
    ["base64 without padding", signature.toString("base64").slice(0, -2)],
    ["base64 with a line end", `${signature.toString("base64")}\n`],
    ["base64 with bits left over", signature.toString("base64").replace(/.==$/, (end) => (end < "B" ? "B==" : "-=="))],
    ["hexadecimal", signature.toString("hex")],
    ["nothing", ""],
  ])("is not decoded from %s", (_, spelled) => {
    expect(readSignature(spelled)).toBeNull();
  });
});
