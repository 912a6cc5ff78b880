/** An API client whose requests have a canary in every header field whose value a client may choose. */
import { request } from "node:http";
import type { Canaries } from "./canary-scan.ts";

/** Source address of all requests and mail; none of our processes may store it. */
export const canaryAddress = "127.77.88.199";

export interface CanaryCall {
  method: string;
  path: string;
  /** Request body; text is sent unchanged, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface CanaryAnswer {
  status: number;
  text: string;
  cookie: string | null;
}

export interface CanaryAccount {
  id: string;
  /** Header with the session cookie of the account. */
  headers: { cookie: string };
  /** Calls the API as this account. @throws if the status is not a success */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  statusOf(method: string, path: string, body: unknown): Promise<number>;
}

export class CanaryClient {
  readonly #canaries: Canaries;
  readonly #port: number;
  readonly #headers: Record<string, string>;

  constructor(canaries: Canaries, port: number) {
    this.#canaries = canaries;
    this.#port = port;
    this.#headers = {
      "user-agent": canaries.word("user-agent"),
      referer: `http://localhost/${canaries.word("referer")}`,
      "x-forwarded-for": "203.0.113.77",
      "x-request-id": canaries.word("request-id"),
    };
    canaries.watch("forwarded-for", "203.0.113.77");
    canaries.watch("client-address", canaryAddress);
  }

  send({ method, path, body, headers = {} }: CanaryCall): Promise<CanaryAnswer> {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const sent = request({
      port: this.#port,
      host: "127.0.0.1",
      localAddress: canaryAddress,
      method,
      path,
      headers: { ...this.#headers, ...type, ...headers },
    });
    return new Promise((resolve, reject) => {
      sent.on("error", reject);
      sent.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => {
          const cookie = response.headers["set-cookie"]?.[0]?.split(";", 1)[0] ?? null;
          resolve({ status: response.statusCode ?? 0, text, cookie });
        });
      });
      sent.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
    });
  }

  /** Registers an account, and watches the token of its session. */
  async register(email: string, password: string): Promise<CanaryAccount> {
    const answer = await this.send({ method: "POST", path: "/api/auth/register", body: { email, password } });
    if (answer.status !== 201 || answer.cookie === null) throw new Error(`register answered ${answer.status}`);
    const { user } = JSON.parse(answer.text) as { user: { id: string } };
    const token = answer.cookie.slice(answer.cookie.indexOf("=") + 1);
    this.#canaries.watch(`session of ${email}`, token);
    const headers = { cookie: answer.cookie };
    return {
      id: user.id,
      headers,
      call: async <T>(method: string, path: string, body?: unknown): Promise<T> => {
        const { status, text } = await this.send({ method, path, body, headers });
        if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
        return JSON.parse(text) as T;
      },
      statusOf: async (method, path, body) => (await this.send({ method, path, body, headers })).status,
    };
  }
}
