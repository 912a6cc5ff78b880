/** Starts `held-bytes-program.testing.ts` and asks it how much memory it holds. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { registerPerson } from "@kauke/testkit/person";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, beforeAll } from "vitest";
import type { HeldClient, HeldPorts, HeldRequest } from "./held-bytes-program.testing.ts";

const program = fileURLToPath(new URL("held-bytes-program.testing.ts", import.meta.url));

/** The program and a person of it with an account, for all tests of a file; call it at the file's top. */
export function heldBytesForFile(): { readonly held: HeldBytes; readonly cookie: string } {
  let held: HeldBytes | null = null;
  let cookie = "";
  beforeAll(async () => {
    held = await HeldBytes.start();
    cookie = (await registerPerson(`http://127.0.0.1:${held.ports.web}`)).cookie;
  });
  afterAll(async () => {
    held?.[Symbol.dispose]();
    await removeDataDirs();
  });
  return {
    get held() {
      if (held === null) throw new Error("it runs only while tests run");
      return held;
    },
    get cookie() {
      return cookie;
    },
  };
}

class HeldBytes implements Disposable {
  readonly ports: HeldPorts;
  readonly dataDir: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, ports: HeldPorts, dataDir: string) {
    this.#child = child;
    this.ports = ports;
    this.dataDir = dataDir;
  }

  static async start(): Promise<HeldBytes> {
    const dataDir = await makeDataDir();
    const child = fork(program, [dataDir], { execArgv: ["--expose-gc"] });
    const [ports] = (await once(child, "message")) as [HeldPorts];
    return new HeldBytes(child, ports, dataDir);
  }

  /** Bytes of the process' heap and buffers after a garbage collection. */
  measure(): Promise<number> {
    return this.#figure("held");
  }

  /** Milliseconds of processor time that the process' thread has used. */
  processorMs(): Promise<number> {
    return this.#figure("processor");
  }

  /** Has a client of ours connect to a port of the test, so many times at once. */
  connect(client: HeldClient, port: number, times: number): void {
    this.#ask({ client, port, times });
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }

  async #figure(measure: "held" | "processor"): Promise<number> {
    this.#ask({ measure });
    const [figure] = (await once(this.#child, "message")) as [number];
    return figure;
  }

  #ask(request: HeldRequest): void {
    this.#child.send(request);
  }
}
