/** Calls with an API key outside the contract, limited and queued per account as `mount-endpoints.ts` does. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type AsCaller, callerTurn } from "../mount-endpoints.ts";
import type { AccountCalls } from "./account-calls.ts";

interface Options {
  accountCalls: AccountCalls;
  asCaller: AsCaller | undefined;
}

export function runInAccountTurn(
  app: FastifyInstance,
  { accountCalls, asCaller = (_, work) => work() }: Options,
): void {
  const ends = new WeakMap<FastifyRequest, () => void>();
  app.addHook("preHandler", (request, _, done) => {
    if (request.apiKey === null || request.routeOptions.config.isInTable === true) return done();
    const { userId } = request.apiKey;
    const begun = new Promise<void>((begin, refuse) => {
      accountCalls
        .run(userId, () => {
          begin();
          return new Promise<void>((end) => ends.set(request, end));
        })
        .catch(refuse);
    });
    begun.then(() => asCaller(callerTurn(request), done), done);
  });
  app.addHook("onSend", async (request) => ends.get(request)?.());
}
