import fc from "fast-check";
import { decodeQR } from "qr/decode.js";
import { expect, test } from "vitest";
import { qrPath } from "./QrCode.tsx";

const PIXELS = 4;

/** Draws the rectangles of the QR code's SVG path into a bitmap, as a browser does. */
function paint({ size, path }: ReturnType<typeof qrPath>) {
  const width = size * PIXELS;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let row = Number(y) * PIXELS; row < (Number(y) + 1) * PIXELS; row++) {
      const from = (row * width + Number(x) * PIXELS) * 4;
      for (let at = from; at < from + Number(length) * PIXELS * 4; at++) if (at % 4 !== 3) data[at] = 0;
    }
  }
  return { width, height: width, data };
}

test("a QR reader reads the drawn code back as its text", () => {
  const text = `https://mail.kauke.example:8443|kauke${"aZ09".repeat(11)}xyz`;
  expect(decodeQR(paint(qrPath(text)))).toBe(text);
  const key = fc.stringMatching(/^kauke[A-Za-z0-9]{47}$/);
  fc.assert(
    fc.property(key, (secret) => {
      const whole = `https://kauke.example|${secret}`;
      expect(decodeQR(paint(qrPath(whole)))).toBe(whole);
    }),
    { numRuns: 10 },
  );
});

test("four light modules surround the code", () => {
  const { size, path } = qrPath("https://kauke.example|kauke");
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    expect(Math.min(Number(x), Number(y))).toBeGreaterThanOrEqual(4);
    expect(Math.max(Number(x) + Number(length), Number(y) + 1)).toBeLessThanOrEqual(size - 4);
  }
});
