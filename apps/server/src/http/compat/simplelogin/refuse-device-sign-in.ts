/**
 * Refuses the sign-in by password of SimpleLogin's clients, which shares its path with Kauke's own sign-in. They name
 * their device and wait for a key in the response (`api_key`), so a login session would leave them waiting. The
 * extension shows "please use API Key to login" at 403, and the iOS app shows the text.
 */
import type { FastifyInstance } from "fastify";

const REFUSAL = "use an API key: you create one on the website, in Settings, “API keys”.";

/** @param app the server itself, since the hook is for a route outside the calls compatible with SimpleLogin */
export function refuseDeviceSignIn(app: FastifyInstance): void {
  app.addHook("preValidation", async (request, reply) => {
    if (request.routeOptions.url !== "/api/auth/login" || !namesDevice(request.body)) return;
    return reply.code(403).send({ error: REFUSAL });
  });
}

const namesDevice = (body: unknown): boolean => typeof body === "object" && body !== null && "device" in body;
