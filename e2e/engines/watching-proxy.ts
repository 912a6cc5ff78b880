/**
 * A proxy between a browser and the server that reports what a healthy page never causes: refused requests, reports of
 * the Content Security Policy, exceptions and errors on the console. Not every driver can report these from the first
 * script on, so the proxy inserts a script at the top of every page, from the page's own origin, and names itself in
 * `report-uri`. Everything else is forwarded unchanged.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const OWN_PATH = "/.engine-watch";

export interface WatchingProxy {
  /** Origin of the proxy, e.g. `http://127.0.0.1:40123`. */
  origin: string;
  /** Server that requests are forwarded to. */
  target: URL;
  /** Globals to remove from pages loaded from now on, as in an older engine. */
  missingGlobals: readonly string[];
  /** Allows the server to answer this status at this path. */
  expectRefusal(status: number, path: string): void;
  /** Returns the findings since the last call, and ends all declared expectations. */
  takeFindings(): string[];
  close(): Promise<void>;
}

/** Expression evaluated in the page before it is left; its promise resolves when the proxy has every report. */
export const allReportedExpression = "window.engineWatch.told()";

const pageScript = (missingGlobals: readonly string[]): string => `(() => {
  for (const name of ${JSON.stringify(missingGlobals)}) delete window[name];
  const send = window.fetch.bind(window);
  const under = new Set();
  let isLeft = false;
  addEventListener("beforeunload", () => { isLeft = true; });
  const tell = (kind, text) => {
    // The browser cancels the running requests of a page that is left.
    if (isLeft) return;
    const sent = send("${OWN_PATH}/finding", { method: "POST", keepalive: true, body: kind + ": " + text }).catch(() => {});
    under.add(sent);
    sent.finally(() => under.delete(sent));
  };
  window.engineWatch = { told: () => Promise.all(under).then(() => true) };
  addEventListener("error", (event) => {
    const { target, message, filename, lineno } = event;
    tell("page error", target === window ? message + " " + filename + ":" + lineno : "not loaded: " + (target.src ?? target.href));
  }, true);
  addEventListener("unhandledrejection", ({ reason }) => tell("page error", reason + " " + (reason?.stack ?? "")));
  document.addEventListener("securitypolicyviolation", (event) =>
    tell("CSP violation", [event.effectiveDirective, event.blockedURI || "inline", event.sourceFile, event.sample].join(" ")));
  const logError = console.error;
  console.error = (...all) => {
    tell("console error", all.map(String).join(" "));
    logError.apply(console, all);
  };
})();`;

export async function startWatchingProxy(): Promise<WatchingProxy> {
  let findings: string[] = [];
  let expected: { status: number; path: string; used: boolean }[] = [];
  const server = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith(OWN_PATH)) void answerOwn(incoming, outgoing);
    else pass(incoming, outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answerOwn(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of incoming) body += String(chunk);
    if (incoming.url === `${OWN_PATH}/finding`) findings.push(body);
    if (incoming.url === `${OWN_PATH}/report`) findings.push(`CSP report: ${body}`);
    outgoing.writeHead(200, { "content-type": "text/javascript", "cache-control": "no-store" });
    outgoing.end(incoming.url === `${OWN_PATH}/page.js` ? pageScript(proxy.missingGlobals) : "");
  }

  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { hostname, port } = proxy.target;
    const headers = { ...incoming.headers };
    // A page must arrive whole and as text to have a script inserted.
    if (isForPage(headers)) for (const name of ["accept-encoding", "if-none-match"]) delete headers[name];
    const onward = request({ hostname, port, path: incoming.url ?? "/", method: incoming.method ?? "GET", headers });
    onward.on("response", (answer) => {
      note(incoming, answer.statusCode ?? 0);
      void deliver(answer, outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  }

  function note({ method, url = "/" }: IncomingMessage, status: number): void {
    if (status < 400) return;
    const path = url.split("?", 1)[0] ?? "";
    // The app checks the session on loading; without a signed-in person the answer is 401.
    if (status === 401 && path === "/api/auth/session") return;
    const exceptions = expected.filter((refusal) => refusal.status === status && refusal.path === path);
    for (const exception of exceptions) exception.used = true;
    if (exceptions.length === 0) findings.push(`refused request: ${status} ${method} ${path}`);
  }

  const proxy: WatchingProxy = {
    origin,
    target: new URL(origin),
    missingGlobals: [],
    expectRefusal: (status, path) => void expected.push({ status, path, used: false }),
    takeFindings() {
      const unused = expected.filter(({ used }) => !used).map(({ status, path }) => `not refused: ${status} ${path}`);
      const all = [...findings, ...unused];
      [findings, expected] = [[], []];
      return all;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}

const isForPage = (headers: IncomingMessage["headers"]): boolean => headers.accept?.includes("text/html") ?? false;

async function deliver(answer: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const headers = { ...answer.headers };
  const policy = headers["content-security-policy"];
  if (typeof policy === "string") headers["content-security-policy"] = `${policy}; report-uri ${OWN_PATH}/report`;
  // Sandboxed pages, that is the HTML of messages, run no script.
  const isPage = headers["content-type"]?.startsWith("text/html") && !String(policy).includes("sandbox");
  if (!isPage) {
    outgoing.writeHead(answer.statusCode ?? 502, headers);
    answer.on("error", () => outgoing.destroy());
    answer.pipe(outgoing);
    return;
  }
  let html = "";
  try {
    for await (const chunk of answer.setEncoding("utf8")) html += String(chunk);
  } catch {
    outgoing.destroy();
    return;
  }
  delete headers["content-length"];
  outgoing.writeHead(answer.statusCode ?? 502, headers);
  outgoing.end(html.replace(/<head[^>]*>/, `$&<script src="${OWN_PATH}/page.js"></script>`));
}
