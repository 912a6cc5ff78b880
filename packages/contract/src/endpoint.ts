/** What the route table says of one call. */
import type * as z from "zod";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Endpoint {
  method: Method;
  /** Fastify form: `/api/aliases/:userId`. */
  path: string;
  summary: string;
  /** `user`: a signed-in person only. */
  access: "anyone" | "user";
  params?: z.ZodObject;
  body?: z.ZodType;
  /** `limits.smallBodyMaxBytes` unless said. */
  bodyMaxBytes?: number;
  /** Status of success. */
  status: number;
  answer: z.ZodType;
  /** The answer is a file to keep: this name, the day and `.json`. */
  savedAs?: string;
  /** Answers say in their body whether the call was a success; then every failure says so too: `success: false`. */
  tellsSuccess?: true;
}
