import { said } from "../texts/said.ts";
import { ApiError } from "./api-error.ts";

/** The text shown to a person for any failure; `fallback` unless the error is an `ApiError`. */
export function messageOf(error: unknown, fallback: string): string {
  return error instanceof ApiError && error.message !== "" ? said(error.message) : fallback;
}

export function fieldMessages(error: unknown): [field: string, message: string][] {
  if (!(error instanceof ApiError) || error.errors === undefined) return [];
  return Object.entries(error.errors).flatMap(([field, texts]) => {
    const first = Array.isArray(texts) ? texts[0] : undefined;
    return typeof first === "string" ? [[field, said(first)]] : [];
  });
}
