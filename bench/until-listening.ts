/** Waits until a program accepts connections. */
import { connect } from "node:net";
import { sleep } from "./table.ts";

/** @throws when nothing listens on a port of 127.0.0.1 after 20 seconds */
export async function untilListening(port: number): Promise<void> {
  for (const giveUpAt = Date.now() + 20_000; ; await sleep(20)) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1").on("error", () => resolve(false));
      socket.on("connect", () => {
        socket.destroy();
        resolve(true);
      });
    });
    if (isUp) return;
    if (Date.now() > giveUpAt) throw new Error(`nothing listens on port ${port}`);
  }
}
