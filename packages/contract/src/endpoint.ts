/** The type of an entry of the route table. */
import type * as z from "zod";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Endpoint {
  method: Method;
  /** Path in Fastify's syntax, e.g. `/api/aliases/:userId`. */
  path: string;
  summary: string;
  /** `user` requires a signed-in user. */
  access: "anyone" | "user";
  params?: z.ZodObject;
  body?: z.ZodType;
  /** Maximum size of the request body in octets; default `limits.smallBodyMaxBytes`. */
  bodyMaxBytes?: number;
  /** HTTP status of a successful answer. */
  status: number;
  answer: z.ZodType;
  /** Set if the answer is downloaded as a file: this name, followed by the date and `.json`. */
  savedAs?: string;
  /** The body of every answer has a field `success`, which is `false` in error answers. */
  tellsSuccess?: true;
}
