/** Reads the query and body of requests from clients compatible with SimpleLogin. */
import { AppError } from "../../../core/app-error.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function queryText(query: unknown, name: string): string | undefined {
  const value = (query as Record<string, string | string[] | undefined>)[name];
  return Array.isArray(value) ? value[0] : value;
}

/** On pages without a host name, clients send an empty value, or `undefined` or `null` as JavaScript writes them. */
export function hostnameOf(query: unknown): string | undefined {
  const text = queryText(query, "hostname")?.trim();
  return text === undefined || ["", "undefined", "null"].includes(text.toLowerCase()) ? undefined : text;
}

export function hasQuery(query: unknown, name: string): boolean {
  return Object.hasOwn(query as object, name);
}

/** Page number, from 0. @throws AppError `invalid` */
export function pageNumberOf(query: unknown): number {
  const text = queryText(query, "page_id");
  if (text === undefined || !/^\d{1,9}$/.test(text))
    throw new AppError("invalid", { message: "page_id must be provided in request query" });
  return Number(text);
}

/** Fields of the body; none if it is empty. @throws AppError `invalid` for JSON that is not an object */
export function fieldsOf(body: unknown): Fields {
  if (body === undefined || body === null) return {};
  if (typeof body !== "object" || Array.isArray(body))
    throw new AppError("invalid", { message: "The body must be a JSON object" });
  return body as Fields;
}

/** @throws AppError `invalid` for an empty body */
export function requiredFields(body: unknown): Fields {
  const fields = fieldsOf(body);
  if (Object.keys(fields).length === 0) throw new AppError("invalid", { message: "request body cannot be empty" });
  return fields;
}

/** @throws AppError `invalid` unless the field is a non-empty string */
export function requiredText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string" || value.trim() === "")
    throw new AppError("invalid", { message: `invalid value for ${name}` });
  return value.trim();
}

/** @throws AppError `invalid` unless the field is a string or null */
export function nullableText(fields: Fields, name: string): string | null {
  const value = fields[name] ?? null;
  if (value === null || typeof value === "string") return value;
  throw new AppError("invalid", { message: `invalid value for ${name}` });
}

/** @throws AppError `invalid` unless the field is a non-empty list of integers */
export function numbersOf(fields: Fields, name: string): number[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw new AppError("invalid", { message: `${name} must be an array of id` });
  if (value.length === 0) throw new AppError("invalid", { message: "At least one mailbox must be selected" });
  if (!value.every((one) => Number.isInteger(one))) throw new AppError("invalid", { message: "Invalid mailbox_id" });
  return [...new Set(value as number[])];
}

/** @returns `null` for a text that is not a client number */
export function numberInPath(params: unknown): number | null {
  const text = (params as { number: string }).number;
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null;
}

/** @throws AppError `invalid` unless the field is a boolean */
export function flagOf(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (typeof value === "boolean") return value;
  throw new AppError("invalid", { message: `invalid value for ${name}` });
}
