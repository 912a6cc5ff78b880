import {
  type Endpoint,
  type EndpointName,
  endpoints,
  errorCodes,
  keyScopes,
  LIVE_LATER,
  LIVE_PATH,
  liveKinds,
  product,
  walletChallenge,
} from "@kauke/contract";
import * as z from "zod";

const problem = {
  type: "object",
  required: ["message", "code"],
  properties: {
    success: { const: false, description: "Present on calls whose responses have a success property" },
    message: { type: "string", description: "A sentence to show" },
    code: { enum: [...errorCodes] },
    errors: {
      type: "object",
      description: "Messages by field name",
      additionalProperties: { type: "array", items: { type: "string" } },
    },
    places: {
      type: "array",
      description: "Where in a text that was sent something is wrong, in UTF-16 units",
      items: {
        type: "object",
        properties: { field: { type: "string" }, start: { type: "integer" }, end: { type: "integer" } },
      },
    },
    rateLimited: { const: true },
    resetTime: { type: "string", format: "date-time", description: "When the limit allows the next request" },
    challenge: { ...schemaOf(walletChallenge, "output"), description: "What a wallet has to sign" },
  },
};

const bearerText = `An API key from the settings page. Its scopes (${keyScopes.join(", ")}) say which calls it may make; calls that name no scope need a login session. Cookies of a request with an Authorization or Authentication header are ignored.`;

const errorTexts: Record<number, string> = {
  400: "The body is not valid (`errors` says which fields), or its content can't be accepted",
  401: "Not signed in, the credentials are wrong, or the API key is unknown, revoked or expired",
  403: "Another user's id in the path, a request from another site, a sign-in too old for this call, an API key that lacks the scope (`key_scope`), or an account that may not be created (`invite_required`, `registration_closed`)",
  404: "Unknown, or not yours",
  409: "Conflicts with the current state, e.g. taken, in use, or changed in the meantime",
  413: "The body is too large",
  415: "The body is not application/json",
  422: "The key is not protected by a master password",
  429: "Too many requests; `rateLimited`, `resetTime` and the Retry-After header say when to try again",
  500: "Unexpected error; the message contains an incident id",
  503: "Not possible now; try again later",
};

const redirect = (operationId: string, summary: string, description: string) => ({
  get: { operationId, summary, security: [], parameters: [], responses: { 302: { description } } },
});

/** Federated sign-in is not in the contract, since its redirects return no JSON. */
const redirects = {
  "/api/auth/google": redirect(
    "beginGoogleSignIn",
    "Begins a federated sign-in",
    "To the issuer's page, or to /auth when federated sign-in is not configured or the issuer is unreachable",
  ),
  "/api/auth/google/callback": redirect(
    "finishGoogleSignIn",
    "The redirect URI to register at the issuer",
    "To /dashboard, signed in, or to /auth when the sign-in failed",
  ),
};

/** Not in the contract either: its response is a stream. */
const liveOperation = {
  operationId: "streamEvents",
  summary: "Tells what has changed in the account, as Server-Sent Events",
  description: `The data of an event is kinds, separated by spaces: ${liveKinds.join(", ")}. \`${LIVE_LATER}\`, before the server ends the stream, asks to come back after minutes.`,
  security: [{ loginSession: [] }],
  parameters: [],
  responses: {
    200: { description: "Done", content: { "text/event-stream": { schema: { type: "string" } } } },
    ...Object.fromEntries([401, 403, 500].map((status) => [status, problemResponse(status)])),
  },
};

export function openApiDocument(origin: string, cookieName: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, endpoint] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(name, endpoint) };
  }
  paths[LIVE_PATH] = { get: liveOperation };
  for (const [path, operations] of Object.entries(redirects)) paths[path] = { ...paths[path], ...operations };
  return {
    openapi: "3.1.0",
    info: { title: product.name, version: product.version },
    servers: [{ url: origin }],
    paths,
    components: {
      schemas: { Problem: problem },
      securitySchemes: {
        loginSession: { type: "apiKey", in: "cookie", name: cookieName },
        apiKey: { type: "http", scheme: "bearer", description: bearerText },
      },
    },
  };
}

function operation(name: EndpointName, endpoint: Endpoint): object {
  const statuses = errorStatuses(endpoint);
  return {
    operationId: name,
    summary: endpoint.summary,
    security: securityOf(endpoint),
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint)],
    ...(endpoint.bytesBody && { requestBody: { required: true, content: { "application/octet-stream": {} } } }),
    ...(endpoint.body && { requestBody: { required: true, content: json(schemaOf(endpoint.body, "input")) } }),
    responses: {
      [endpoint.status]: { description: "Done", content: responseContent(endpoint) },
      ...Object.fromEntries(statuses.map((status) => [status, problemResponse(status)])),
    },
  };
}

/** For schemes other than OAuth, a security requirement of OpenAPI 3.1 lists roles: the needed scope of the API key. */
function securityOf({ access, scope }: Endpoint): Record<string, string[]>[] {
  if (access === "anyone") return [];
  return scope === undefined ? [{ loginSession: [] }] : [{ loginSession: [] }, { apiKey: [scope] }];
}

function errorStatuses({ access, body, errors = [], method, params }: Endpoint): number[] {
  const found = new Set([500, ...errors]);
  if (access === "user") found.add(401).add(403);
  if (params !== undefined) found.add(404);
  if (method !== "GET") found.add(403).add(413).add(415);
  if (body !== undefined) found.add(400);
  if (params !== undefined && "userId" in params.shape) found.add(403);
  return [...found].sort((a, b) => a - b);
}

function pathParameters({ params }: Endpoint): object[] {
  return Object.entries(params?.shape ?? {}).map(([name, shape]) => {
    const schema = shape instanceof z.ZodEnum ? schemaOf(shape, "input") : { type: "string", format: "uuid" };
    return { name, in: "path", required: true, schema };
  });
}

function queryParameters({ query }: Endpoint): object[] {
  return Object.entries(query?.shape ?? {}).map(([name, shape]) => {
    return { name, in: "query", required: false, schema: schemaOf(shape as z.ZodType, "input") };
  });
}

function responseContent({ response, fileTypes }: Endpoint): object {
  if (fileTypes === undefined) return json(schemaOf(response, "output"));
  return Object.fromEntries(Object.values(fileTypes).map((type) => [type, { schema: { type: "string" } }]));
}

function problemResponse(status: number): object {
  return { description: errorTexts[status], content: json({ $ref: "#/components/schemas/Problem" }) };
}

function json(schema: object): object {
  return { "application/json": { schema } };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): object {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io });
  return plain;
}
