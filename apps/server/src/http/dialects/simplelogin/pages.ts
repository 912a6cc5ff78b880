/** Redirects the pages of SimpleLogin's website that its clients link to, to the corresponding pages of this server. */
import type { FastifyInstance } from "fastify";

const pages: Readonly<Record<string, string>> = {
  "/dashboard/": "/dashboard",
  "/dashboard/api_key": "/settings#api-keys",
  "/dashboard/pricing": "/dashboard",
  "/auth/register": "/register",
  "/auth/login": "/auth",
  "/auth/proton/login": "/auth",
  "/onboarding": "/docs/clients",
  "/onboarding/final": "/dashboard",
};

export function pageRoutes(app: FastifyInstance): void {
  for (const [url, to] of Object.entries(pages)) app.get(url, (_, reply) => reply.redirect(to, 302));
}
