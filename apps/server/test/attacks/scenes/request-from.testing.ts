/** One HTTP request from an address of 127.0.0.0/8, on a connection of its own. */
import { request } from "node:http";

export interface RequestFrom {
  method?: string;
  path?: string;
  cookie?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

const none = { status: 0, text: "", cookies: [] };

/** @returns status 0 if the connection was closed without a response */
export function requestFrom(
  port: number,
  localAddress: string,
  { method = "GET", path = "/", cookie, headers = {}, body }: RequestFrom,
): Promise<{ status: number; text: string; cookies: string[] }> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve) => {
    const sent = request(
      {
        port,
        host: "127.0.0.1",
        localAddress,
        method,
        path: encodeURI(path),
        agent: false,
        headers: {
          ...(cookie === undefined ? {} : { cookie }),
          ...(payload === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        const cookies = (response.headers["set-cookie"] ?? []).map((it) => it.split(";", 1)[0] ?? "");
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8"), cookies }),
        );
        response.on("error", () => resolve(none));
      },
    );
    sent.on("error", () => resolve(none));
    sent.end(payload);
  });
}
