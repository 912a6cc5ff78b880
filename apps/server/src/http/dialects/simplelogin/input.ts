/** What clients compatible with SimpleLogin send, read from query and body. */
import { AppError } from "../../../core/app-error.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The query of a request; of a parameter that is given several times the first counts. */
export function queryText(query: unknown, name: string): string | undefined {
  const value = (query as Record<string, string | string[] | undefined>)[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Whether a parameter is in the query, with or without a value. */
export function hasQuery(query: unknown, name: string): boolean {
  return Object.hasOwn(query as object, name);
}

/** The number of the page to read, from 0. @throws AppError `invalid` */
export function pageOf(query: unknown): number {
  const text = queryText(query, "page_id");
  if (text === undefined || !/^\d{1,9}$/.test(text))
    throw new AppError("invalid", { message: "page_id must be provided in request query" });
  return Number(text);
}

/** The fields of a body; none if it is empty. @throws AppError `invalid` for JSON that is no object */
export function fieldsOf(body: unknown): Fields {
  if (body === undefined || body === null) return {};
  if (typeof body !== "object" || Array.isArray(body))
    throw new AppError("invalid", { message: "The body must be a JSON object" });
  return body as Fields;
}

/** The fields of a body. @throws AppError `invalid` for an empty body too */
export function requiredFields(body: unknown): Fields {
  const fields = fieldsOf(body);
  if (Object.keys(fields).length === 0) throw new AppError("invalid", { message: "request body cannot be empty" });
  return fields;
}

/** @throws AppError `invalid` unless the field is a text that is not empty */
export function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string" || value.trim() === "")
    throw new AppError("invalid", { message: `invalid value for ${name}` });
  return value.trim();
}

/** A text or null. @throws AppError `invalid` for anything else */
export function nullableText(fields: Fields, name: string): string | null {
  const value = fields[name] ?? null;
  if (value === null || typeof value === "string") return value;
  throw new AppError("invalid", { message: `invalid value for ${name}` });
}

/** Numbers of mailboxes. @throws AppError `invalid` unless they are a list of whole numbers that is not empty */
export function numbersOf(fields: Fields, name: string): number[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw new AppError("invalid", { message: `${name} must be an array of id` });
  if (value.length === 0) throw new AppError("invalid", { message: "At least one mailbox must be selected" });
  if (!value.every((one) => Number.isInteger(one))) throw new AppError("invalid", { message: "Invalid mailbox_id" });
  return [...new Set(value as number[])];
}

/** A number in a path; `null` for anything that no number of ours looks like. */
export function numberInPath(params: unknown): number | null {
  const text = (params as { number: string }).number;
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null;
}

/** @throws AppError `invalid` unless the field is true or false */
export function flagOf(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (typeof value === "boolean") return value;
  throw new AppError("invalid", { message: `invalid value for ${name}` });
}
