/** What one API call takes and answers; its method, path and access are in `routes.ts`. */
import type * as z from "zod";
import type { KeyScope } from "./api-keys.ts";
import type { Route } from "./routes.ts";

export interface EndpointShapes {
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Set if the request body is a file, sent as `application/octet-stream`; the handler reads it as a stream. */
  bytesBody?: true;
  /** Maximum size of the request body in octets; default `limits.smallBodyMaxBytes`. */
  bodyMaxBytes?: number;
  /** HTTP status of a successful answer. */
  status: number;
  answer: z.ZodType;
  /** HTTP statuses of errors that do not already follow from the call's access, method, parameters and body. */
  errors?: readonly number[];
  /** Set if the answer is downloaded as a file: this name, followed by the date and `.json`. */
  savedAs?: string;
  /** Set if the response is downloaded as a file other than JSON: media type by the value of the parameter `format`. */
  fileTypes?: Readonly<Record<string, string>>;
  /**
   * Set if all answers of this endpoint have a field `success`, `false` in error answers. Other endpoints have no such
   * field.
   */
  hasSuccessField?: true;
}

export interface Endpoint extends Route, EndpointShapes {
  /** Scope that an API key needs for this call; absent if only a login session may make the call. */
  readonly scope?: KeyScope | undefined;
}
