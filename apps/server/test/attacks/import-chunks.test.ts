/** Imports whose file arrives in many small chunks: they are gathered before any parser sees them. */
import { connect } from "node:net";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { expect, test } from "vitest";
import { heldBytesForFile } from "./scenes/held-bytes.testing.ts";

const BYTES = rounds(2_000_000, 8_000_000);

const its = heldBytesForFile();

/** Uploads the text in chunks of so many bytes. @returns the response, and processor time of the server */
async function upload(text: string, chunkBytes: number): Promise<{ heard: string; ms: number }> {
  const before = await its.held.processorMs();
  const socket = connect({ port: its.held.ports.web, host: "127.0.0.1" });
  let heard = "";
  socket.on("data", (chunk) => void (heard += chunk.toString())).on("error", () => {});
  const fields = `host: localhost:3000\r\ncookie: ${its.cookie}\r\ncontent-type: application/octet-stream\r\n`;
  const chunks = [`POST /api/imports HTTP/1.1\r\n${fields}transfer-encoding: chunked\r\nconnection: close\r\n\r\n`];
  for (let from = 0; from < text.length; from += chunkBytes) {
    const part = text.slice(from, from + chunkBytes);
    chunks.push(`${part.length.toString(16)}\r\n${part}\r\n`);
  }
  socket.write(`${chunks.join("")}0\r\n\r\n`);
  await new Promise((resolve) => socket.once("close", resolve));
  return { heard, ms: (await its.held.processorMs()) - before };
}

const shapes: Record<string, string> = {
  // Only parsed: the file has no aliases.
  JSON: `{"note":"${"x".repeat(BYTES)}"}`,
  text: `forward-email=a:ann@people.example\n${`${"x".repeat(60)}\n`.repeat(BYTES / 61)}`,
};

test.each(Object.keys(shapes))(
  "a %s file in small chunks costs little more than the same file in large ones",
  async (name) => {
    const text = shapes[name] as string;
    await upload(text, 65_536);
    const whole = await upload(text, 65_536);
    const cut = await upload(text, 64);
    printFigures(name, { "ms whole": Math.round(whole.ms), "ms in chunks of 64 bytes": Math.round(cut.ms) });
    expect(cut.heard.slice(0, 12)).toBe(whole.heard.slice(0, 12));
    expect(cut.ms).toBeLessThan(2 * whole.ms + (BYTES / 64) * 0.0025);
    // Control: the file was read; in chunks of one byte it is not.
    expect(whole.heard).toMatch(/^HTTP\/1\.1 (?:201|400)/);
    expect((await upload(text, 1)).heard).toBe("");
  },
);
