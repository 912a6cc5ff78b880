/** Rules that are stricter than the provider: what a careful client sends. Each breach is reported in a sentence. */
import type { FakeProviderStore, FakeRequest, FakeResponse } from "./fake-forward-email-store.ts";

type Check = (value: unknown) => boolean;

export interface FakeBodyRules {
  fields: Record<string, Check>;
  required: readonly string[];
  /** Breaches that no single field shows. */
  whole?: (body: Record<string, unknown>) => string[];
}

export interface FakeRoute {
  method: string;
  /** Of the path; its groups are the parameters of `carryOut`, decoded. */
  path: RegExp;
  query?: readonly string[];
  /** Fields that may be sent, and those that must be. Without it, no body may be sent. */
  body?: FakeBodyRules;
  carryOut: (store: FakeProviderStore, request: FakeRequest, ...parameters: string[]) => FakeResponse;
}

const address = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/;

export const isText = (value: unknown): value is string => typeof value === "string";
export const isFilled = (value: unknown): value is string => isText(value) && value.trim() !== "";
/** Empty unless it is text. */
export const textOf = (value: unknown): string => (isText(value) ? value : "");
export const isFlag: Check = (value) => typeof value === "boolean";
export const isNumber: Check = (value) => typeof value === "number" && Number.isInteger(value);
export const isAddress = (value: unknown): value is string => isText(value) && address.test(value);
/** A display name before the address is allowed. */
export const isMailbox: Check = (value) => isText(value) && value.includes("@");
export const isTrue: Check = (value) => value === true || value === "true";
export const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);
export const listOf =
  (check: Check, atLeast = 0): Check =>
  (value) =>
    Array.isArray(value) && value.length >= atLeast && value.every(check);
export const oneOrMore =
  (check: Check): Check =>
  (value) =>
    check(value) || listOf(check, 1)(value);

/** @returns a sentence for each breach, e.g. `PUT /v1/…: body.password is not allowed` */
export function violationsOf(
  route: FakeRoute | undefined,
  request: FakeRequest,
  headers: { [name: string]: string | string[] | undefined },
): string[] {
  const at = `${request.method} ${request.path}`;
  if (route === undefined) return [`${at}: no such route`];
  const found: string[] = [];
  if (headers["authorization"] === undefined) found.push("no Authorization");
  if (!/^en\b/.test(textOf(headers["accept-language"]))) found.push("Accept-Language is not English");
  for (const name of request.query.keys())
    if (!(route.query ?? []).includes(name)) found.push(`query.${name} is not allowed`);
  return [...found, ...bodyViolations(route, request.body, headers)].map((text) => `${at}: ${text}`);
}

function bodyViolations(route: FakeRoute, body: unknown, headers: { [name: string]: unknown }): string[] {
  if (route.body === undefined) return body === null ? [] : ["a body is not allowed"];
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return route.body.required.length === 0 && body === null ? [] : ["the body is not an object"];
  const { fields, required, whole } = route.body;
  const isJson = /^application\/json\b/.test(textOf(headers["content-type"]));
  return [
    ...(isJson ? [] : ["Content-Type is not JSON"]),
    ...required.filter((name) => !(name in body)).map((name) => `body.${name} is missing`),
    ...Object.entries(body).flatMap(([name, value]) => {
      const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (check === undefined) return [`body.${name} is not allowed`];
      return check(value) ? [] : [`body.${name} is ${JSON.stringify(value)}`];
    }),
    ...(whole?.({ ...body }) ?? []),
  ];
}
