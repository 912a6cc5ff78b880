/** The peer replies to a line after the number of milliseconds in it, and never to the line "never". */
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ChannelError, SmtpChannel } from "./smtp-channel.ts";

const peer = createServer((socket) => {
  socket.on("data", (line) => {
    const afterMs = Number(line.toString());
    if (!Number.isNaN(afterMs)) setTimeout(() => socket.write("250 ok\r\n"), afterMs);
  });
  socket.on("error", () => {});
});

beforeAll(() => new Promise<void>((listening) => peer.listen(0, "127.0.0.1", listening)));
afterAll(() => void peer.close());

const open = () => SmtpChannel.open({ host: "127.0.0.1", port: (peer.address() as AddressInfo).port, tls: null }, 5000);

async function replyTo(channel: SmtpChannel, line: string, timeoutMs: number): Promise<number | string> {
  channel.write(line);
  try {
    return (await channel.reply(timeoutMs)).code;
  } catch (thrown) {
    return thrown instanceof ChannelError ? thrown.reason : String(thrown);
  }
}

test("a short wait after a long one ends at its own time", async () => {
  const channel = await open();
  expect(await replyTo(channel, "0", 600_000)).toBe(250);
  expect(await replyTo(channel, "never", 50)).toBe("timed_out");
});

test("a long wait after a short one is not ended by the short one's time", async () => {
  const channel = await open();
  expect(await replyTo(channel, "0", 100)).toBe(250);
  expect(await replyTo(channel, "300", 600_000)).toBe(250);
  expect(await replyTo(channel, "never", 50)).toBe("timed_out");
  expect(channel.isAlive).toBe(false);
});

test("a wait that ends late fails once, and the channel with it", async () => {
  const channel = await open();
  expect(await replyTo(channel, "never", 30)).toBe("timed_out");
  expect(await replyTo(channel, "0", 600_000)).toBe("timed_out");
});
