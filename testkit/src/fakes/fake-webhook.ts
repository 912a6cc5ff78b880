/** A webhook endpoint: stores every request, answers with the given statuses and then with 200. Verifies nothing. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

export interface WebhookRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface FakeWebhookOptions {
  tls?: { key: string; cert: string };
  /** Statuses of the first responses, in order. */
  statuses?: number[];
  /** Writes the whole response itself; if given, `statuses` is not used. */
  respond?: (request: WebhookRequest, response: ServerResponse) => void;
}

export class FakeWebhook implements AsyncDisposable {
  readonly requests: WebhookRequest[] = [];
  /** Behaviour of the endpoint; may be changed at any time. */
  options: FakeWebhookOptions;
  readonly #firstOptions: FakeWebhookOptions;
  readonly #server: Server;
  #arrivals: (() => void)[] = [];

  private constructor(options: FakeWebhookOptions) {
    this.options = options;
    this.#firstOptions = options;
    this.#server = options.tls === undefined ? createServer() : createTlsServer(options.tls);
    this.#server.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { method = "", url = "", headers } = request;
        this.#received({ method, path: url, headers, body: Buffer.concat(chunks) }, response);
      });
    });
  }

  static async start(options: FakeWebhookOptions = {}): Promise<FakeWebhook> {
    const webhook = new FakeWebhook(options);
    await new Promise<void>((done) => webhook.#server.listen(0, "127.0.0.1", done));
    return webhook;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** URL by IP address; a test that needs a name adds one to its DNS zone. */
  get url(): string {
    return `${this.options.tls === undefined ? "http" : "https"}://127.0.0.1:${this.port}/hook`;
  }

  /** Resolves when `count` requests have been received in total. */
  async waitForRequests(count: number): Promise<readonly WebhookRequest[]> {
    while (this.requests.length < count) await new Promise<void>((done) => this.#arrivals.push(done));
    return this.requests;
  }

  /** Forgets the requests received so far, and behaves again as when it was started. */
  reset(): void {
    this.requests.length = 0;
    this.options = this.#firstOptions;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((done) => this.#server.close(() => done()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #received(request: WebhookRequest, response: ServerResponse): void {
    this.requests.push(request);
    for (const arrived of this.#arrivals.splice(0)) arrived();
    if (this.options.respond !== undefined) return this.options.respond(request, response);
    response.writeHead(this.options.statuses?.shift() ?? 200).end("ok");
  }
}
