import type { KeyScope } from "@kauke/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { AppError } from "../../../core/app-error.ts";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { byKey, callerOf } from "../../request/key-caller.ts";

export interface AddyCall {
  userId: string;
  keyId: string;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** @returns the response body; `undefined` for a response without one */
type AddyHandler = (call: AddyCall) => Promise<unknown>;

const PATH = "/api/v1";

/** @param route method and path, e.g. `GET /aliases/:id` */
export type Mount = (
  route: `${"GET" | "POST" | "PATCH" | "DELETE"} /${string}`,
  scope: KeyScope,
  handle: AddyHandler,
) => void;

export function mountOn(app: FastifyInstance, deps: CoreDeps): Mount {
  return (route, scope, handle) => {
    const [method, path] = route.split(" ") as [HTTPMethods, string];
    app.route({
      method,
      url: PATH + path,
      onRequest: byKey(deps, scope),
      handler: async (request, reply) => {
        const { userId, keyId } = callerOf(request);
        const body = await handle({ userId, keyId, request, reply });
        return body === undefined ? reply.code(204).send() : body;
      },
    });
  };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @throws AppError `not_found` for a text that is not a UUID */
export function idOf({ params }: FastifyRequest): string {
  const id = (params as { id: string }).id.toLowerCase();
  if (!UUID.test(id)) throw new AppError("not_found");
  return id;
}

/** URL of the list with its query, from which the links to its other pages are made. */
export const listUrl = ({ url }: FastifyRequest, origin: string): URL => new URL(url, origin);
