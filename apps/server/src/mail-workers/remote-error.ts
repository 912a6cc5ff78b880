/** Errors as data that one process of the server sends to another. Message texts of libraries are left out. */
import { AppError, type ErrorDetails } from "../core/app-error.ts";

export type RemoteError = { code: AppError["code"]; details: ErrorDetails } | { className: string };

export function errorToData(thrown: unknown): RemoteError {
  if (thrown instanceof AppError) return { code: thrown.code, details: thrown.details };
  return { className: thrown instanceof Error ? thrown.name : typeof thrown };
}

export function errorFromData(error: RemoteError): Error {
  if ("code" in error) return new AppError(error.code, error.details);
  const remote = new Error("failed in the owner process");
  remote.name = error.className;
  return remote;
}
