/** The http listener while https is on: redirects to the public origin, and serves ACME challenges (RFC 8555 §8.3). */
import type { Server } from "node:http";
import type { FastifyInstance } from "fastify";
import { bounds } from "../limits/table.ts";
import { SocketGuard } from "./socket-guard.ts";

/** @returns the proof that this host has the name; `null` for an unknown token */
export type AnswerChallenge = (token: string) => Promise<string | null>;

export interface PlainEntryOptions {
  challenge: AnswerChallenge;
  isReady: () => boolean;
  /** The only redirect target; the Host field is ignored, so nobody is redirected to a foreign host. */
  origin: string;
  isTrustedProxy: false | ((address: string) => boolean);
  hasShares: boolean;
}

const challengePath = /^\/\.well-known\/acme-challenge\/([\w-]{1,256})$/;
const { all, network, block } = bounds.plainSockets;
const rules = { max: all, maxPerNetwork: network, maxPerBlock: block, maxPerBlockWhenCrowded: block };

export function plainEntry(options: PlainEntryOptions): Server {
  const { isTrustedProxy, hasShares } = options;
  const guard = new SocketGuard({ hasShares, isTrustedProxy: isTrustedProxy || (() => false), rules });
  return guard.createServer(({ url = "/" }, response) => {
    void replyTo(url, options).then(({ status, headers, text }) =>
      response.writeHead(status, { "x-content-type-options": "nosniff", ...headers }).end(text),
    );
  });
}

interface PlainReply {
  status: number;
  headers: Record<string, string>;
  text: string;
}

const plainText = { "content-type": "text/plain; charset=utf-8" };

async function replyTo(url: string, { challenge, isReady, origin }: PlainEntryOptions): Promise<PlainReply> {
  // Proxies send absolute URLs (RFC 9112 §3.2.2), of which the origin is dropped.
  const target = url.replace(/^https?:\/\/[^/?]*/i, "");
  const path = target.startsWith("/") ? target : "/";
  if (path === "/healthz") {
    const text = JSON.stringify({ status: isReady() ? "ok" : "unavailable" });
    return { status: isReady() ? 200 : 503, headers: { "content-type": "application/json; charset=utf-8" }, text };
  }
  const token = challengePath.exec(path)?.[1];
  if (token === undefined) return { status: 308, headers: { location: `${origin}${path}` }, text: "" };
  const proof = await challenge(token).catch(() => null);
  return { status: proof === null ? 404 : 200, headers: plainText, text: proof ?? "Not found\n" };
}

/** Serves ACME challenges on an http port that serves the whole app. */
export function challengeRoute(app: FastifyInstance, challenge: AnswerChallenge): void {
  app.get<{ Params: { token: string } }>("/.well-known/acme-challenge/:token", async ({ params }, reply) => {
    const proof = /^[\w-]{1,256}$/.test(params.token) ? await challenge(params.token) : null;
    return proof === null ? reply.callNotFound() : reply.type(plainText["content-type"]).send(proof);
  });
}
