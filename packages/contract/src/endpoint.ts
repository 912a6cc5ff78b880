/** The shapes of one call: what it takes and what it answers. */
import type * as z from "zod";
import type { Route } from "./routes.ts";

export interface EndpointShapes {
  summary: string;
  params?: z.ZodObject;
  body?: z.ZodType;
  /** `limits.smallBodyMaxBytes` unless said. */
  bodyMaxBytes?: number;
  /** Status of success. */
  status: number;
  answer: z.ZodType;
  /** HTTP statuses of errors, besides those that follow from access, method, parameters and body. */
  errors?: readonly number[];
  /** The answer is a file to keep: this name, the day and `.json`. */
  savedAs?: string;
  /** Answers say in their body whether the call was a success; then every failure says so too: `success: false`. */
  tellsSuccess?: true;
}

export interface Endpoint extends Route, EndpointShapes {}
