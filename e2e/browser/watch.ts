/**
 * Records everything in a browser context that a healthy page never does. A test declares beforehand, by path, what it
 * expects to be refused or to fail; that covers the browser's own message too, and a declared refusal that did not
 * happen is a finding itself.
 */
import type { BrowserContext, ConsoleMessage, Request } from "playwright-core";
import { inFlightIn, seeEnd } from "./requests-done.ts";

export type FindingKind =
  | "console error"
  | "page error"
  | "crash"
  | "CSP violation"
  | "failed request"
  | "refused request"
  | "other origin"
  | "not needed";

export interface PageFinding {
  kind: FindingKind;
  text: string;
}

export interface Watch {
  /** Allows the server to answer this status at this path (exact, or matching), and the console to report it. */
  expectRefusal(status: number, path: string | RegExp): void;
  /**
   * Allows a request of this path to get no response at all, because the test cuts it off. For an error status use
   * `expectRefusal`.
   */
  expectFailure(path: string | RegExp): void;
  /**
   * Allows all requests to get no response from now on, because the server is stopped. The returned function ends that,
   * after those in flight.
   */
  expectNoServer(): () => Promise<void>;
  /** Allows navigation to this origin, but no other requests. */
  expectVisitTo(origin: string): void;
  /** Allows this error on the console, because the test breaks the page. */
  expectError(text: RegExp): void;
  /** All findings so far, in order. */
  findings(): Promise<PageFinding[]>;
  /** Fails the test if there is any finding. */
  expectClean(): Promise<void>;
}

interface Exception {
  status: number | "failed";
  path: string | RegExp;
  used: boolean;
  needed: boolean;
}

const cspBinding = "reportCspViolation";
const cspScript = `document.addEventListener("securitypolicyviolation", (event) => {
  window.${cspBinding}(event.effectiveDirective + " " + (event.blockedURI || "inline") + " " + event.sample);
});`;

/** The browser's own console message about every response of 400 or above, and about every failed request. */
const resourceLine = /^Failed to load resource: (?:the server responded with a status of (\d+)|net::ERR_)/;
/** Error of requests that the browser aborts when their page is left or the response is a download. */
const abortedByPage = "net::ERR_ABORTED";

export async function watchContext(context: BrowserContext, origin: string): Promise<Watch> {
  const found: PageFinding[] = [];
  const visited = new Set<string>();
  const exceptions: Exception[] = [
    // The app checks the session on loading; without a signed-in person the answer is 401.
    { status: 401, path: "/api/auth/session", used: false, needed: false },
    // The document of a signed-in page asks for the list together with that check.
    { status: 401, path: "/api/aliases/me", used: false, needed: false },
    { status: 401, path: "/api/aliases/me/with-smtp", used: false, needed: false },
    // The request that counts visits may fail: the app ignores that, so it is not reported as a finding.
    { status: "failed", path: "/api/analytics", used: false, needed: false },
    // So may the event stream, which is opened again later, and is refused after the session has ended.
    { status: "failed", path: "/api/events", used: false, needed: false },
    { status: 401, path: "/api/events", used: false, needed: false },
  ];
  const expectedErrors: { text: RegExp; used: boolean }[] = [];
  const overtaken = new Set<Request>();
  const add = (kind: FindingKind, text: string) => void found.push({ kind, text });
  let isServerStopped = false;
  const isExpected = (status: number | "failed", url: string) => {
    if (status === "failed" && isServerStopped) return true;
    const hits = exceptions.filter((allowed) => allowed.status === status && matches(allowed.path, url, origin));
    for (const hit of hits) hit.used = true;
    return hits.length > 0;
  };

  await context.exposeBinding(cspBinding, (_, text: string) => add("CSP violation", text));
  await context.addInitScript(cspScript);
  const isExpectedLine = (status: number | "failed", url: string) =>
    isExpected(status, url) || (status === 401 && [...overtaken].some((request) => request.url() === url));
  const isExpectedError = (line: ConsoleMessage) => {
    const hits = expectedErrors.filter(({ text }) => text.test(line.text()));
    for (const hit of hits) hit.used = true;
    return hits.length > 0;
  };
  context.on("console", (line) => {
    if (isConsoleError(line, isExpectedLine) && !isExpectedError(line)) add("console error", placed(line));
  });
  context.on("weberror", (error) => add("page error", String(error.error())));
  context.on("page", (page) => page.on("crash", () => add("crash", page.url())));
  context.on("request", (request) => {
    if (endsSession(request, origin))
      for (const earlier of inFlightIn(context)) if (earlier !== request) overtaken.add(earlier);
    const isVisit = request.isNavigationRequest() && visited.has(new URL(request.url()).origin);
    if (isForeign(request, origin) && !isVisit) add("other origin", named(request));
  });
  context.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    if (reason === abortedByPage || isExpected("failed", request.url())) return;
    add("failed request", `${named(request)} ${reason}`);
  });
  context.on("response", (response) => {
    const status = response.status();
    if (status < 400 || isExpected(status, response.url())) return;
    if (status === 401 && overtaken.has(response.request())) return;
    add("refused request", `${status} ${named(response.request())}`);
  });

  const findings = async () => {
    await settled(context);
    const unused = exceptions.filter(({ needed, used }) => needed && !used);
    const missing = expectedErrors.filter(({ used }) => !used);
    const notNeeded = [
      ...unused.map(({ status, path }) => `${status} ${path}`),
      ...missing.map(({ text }) => String(text)),
    ];
    return [...found, ...notNeeded.map((text): PageFinding => ({ kind: "not needed", text }))];
  };
  const except = (status: Exception["status"], path: string | RegExp) =>
    void exceptions.push({ status, path, used: false, needed: true });
  return {
    expectRefusal: except,
    expectFailure: (path) => except("failed", path),
    expectNoServer() {
      isServerStopped = true;
      return async () => {
        await seeEnd(context);
        await settled(context);
        isServerStopped = false;
      };
    },
    expectVisitTo: (other) => void visited.add(other),
    expectError: (text) => void expectedErrors.push({ text, used: false }),
    findings,
    async expectClean() {
      const all = await findings();
      if (all.length > 0) throw new Error(`the visit had findings:\n${all.map(lineOf).join("\n")}`);
    },
  };
}

function isConsoleError(
  line: ConsoleMessage,
  isExpected: (status: number | "failed", url: string) => boolean,
): boolean {
  if (line.type() !== "error") return false;
  const resource = resourceLine.exec(line.text());
  if (resource === null) return true;
  return !isExpected(resource[1] === undefined ? "failed" : Number(resource[1]), line.location().url);
}

/** What is in flight when somebody signs out or deletes the account may be refused by then. */
function endsSession(request: Request, origin: string): boolean {
  const ends = `${request.method()} ${request.url()}`;
  return ends === `POST ${origin}/api/auth/logout` || ends === `DELETE ${origin}/api/account`;
}

function isForeign(request: Request, origin: string): boolean {
  const url = new URL(request.url());
  return (url.protocol === "http:" || url.protocol === "https:") && url.origin !== origin;
}

function matches(path: string | RegExp, url: string, origin: string): boolean {
  if (!url.startsWith(origin)) return false;
  const { pathname } = new URL(url);
  return typeof path === "string" ? pathname === path : path.test(pathname);
}

/** Waits until all events that the page caused earlier have arrived: they are delivered in order. */
async function settled(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.evaluate("0").catch(() => {})));
}

const named = (request: Request) => `${request.method()} ${request.url()}`;
const placed = (line: ConsoleMessage) => `${line.text()} (${line.location().url})`;
const lineOf = ({ kind, text }: PageFinding) => `  ${kind}: ${text}`;
