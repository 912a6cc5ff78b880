import type * as z from "zod";
import type { KeyScope } from "./api-keys.ts";
import type { Route } from "./first-routes.ts";

export interface EndpointShapes {
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** The request body is `application/octet-stream`, which the handler reads as a stream. */
  bytesBody?: true;
  bodyMaxBytes?: number;
  status: number;
  response: z.ZodType;
  /** Error statuses of the call besides those that follow from access, method, parameters and body. */
  errors?: readonly number[];
  savedAs?: string;
  /** Media types of a downloaded file other than JSON, by the parameter `format`. */
  fileTypes?: Readonly<Record<string, string>>;
  /** All responses of the call have `success`, `false` in errors. */
  hasSuccessField?: true;
}

export interface Endpoint extends Route, EndpointShapes {
  readonly scope?: KeyScope | undefined;
}
