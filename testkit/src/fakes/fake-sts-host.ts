/** An HTTPS server with the test certificate that serves the MTA-STS policy of every domain a test points at it. */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { testCertificate, testKey } from "../test-certificate.ts";

export interface FakeStsHost extends AsyncDisposable {
  port: number;
  /** `Host` header field and path of every request. */
  requests: string[];
  /** Response to every request; may be changed at any time. */
  answer: { status?: number; type?: string; location?: string; file: string; hangs?: boolean };
  close(): Promise<void>;
}

/** Builds a policy, e.g. `stsFile("enforce", ["mx.example.test"])`. */
export function stsFile(mode: string, hosts: readonly string[], maxAgeSeconds = 86_400): string {
  const lines = ["version: STSv1", `mode: ${mode}`, ...hosts.map((host) => `mx: ${host}`), `max_age: ${maxAgeSeconds}`];
  return `${lines.join("\r\n")}\r\n`;
}

export async function startFakeStsHost(file = ""): Promise<FakeStsHost> {
  const server = createServer({ key: testKey, cert: testCertificate }, (request, response) => {
    host.requests.push(`${request.headers.host?.split(":")[0]} ${request.url}`);
    const { status = 200, type = "text/plain; charset=utf-8", location, file: text, hangs } = host.answer;
    if (hangs === true) return;
    response.writeHead(status, { "content-type": type, ...(location === undefined ? {} : { location }) }).end(text);
  });
  const host: FakeStsHost = {
    port: 0,
    requests: [],
    answer: { file },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
    [Symbol.asyncDispose]: () => host.close(),
  };
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  host.port = (server.address() as AddressInfo).port;
  return host;
}
