import type * as z from "zod";
import type { KeyScope } from "./api-keys.ts";
import type { Route } from "./routes.ts";

export interface EndpointShapes {
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** `application/octet-stream`; the handler reads it as a stream. */
  bytesBody?: true;
  /** Octets of the request body; default `limits.smallBodyMaxBytes`. */
  bodyMaxBytes?: number;
  status: number;
  response: z.ZodType;
  /** Besides those that follow from access, method, parameters and body. */
  errors?: readonly number[];
  /** The response is saved under this name, followed by the date and `.json`. */
  savedAs?: string;
  /** Downloaded as another file than JSON: media type by the parameter `format`. */
  fileTypes?: Readonly<Record<string, string>>;
  /** All responses of the call have `success`, `false` in errors. */
  hasSuccessField?: true;
}

export interface Endpoint extends Route, EndpointShapes {
  /** Scope of an API key; absent if only a login session may make the call. */
  readonly scope?: KeyScope | undefined;
}
