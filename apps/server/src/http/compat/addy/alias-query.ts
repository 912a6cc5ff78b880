/** Query strings of addy.io's clients, in which PHP's notation nests values: `filter[search]`, `page[size]`. */
import * as z from "zod";
import { parseBody } from "../../request/parse-body.ts";

const PAGE_SIZE_MAX = 100;
/** The response repeats the page number, so it must fit the integers of Kotlin and Swift. */
const PAGE_NUMBER_MAX = 1_000_000;

const fields = [
  "local_part",
  "domain",
  "email",
  "emails_forwarded",
  "emails_blocked",
  "emails_replied",
  "emails_sent",
  "last_forwarded",
  "last_blocked",
  "last_replied",
  "last_sent",
  "last_used",
  "active",
  "created_at",
  "updated_at",
  "deleted_at",
] as const;
export type SortField = (typeof fields)[number];

const whole = (max: number) =>
  z
    .string()
    .regex(/^\d{1,7}$/, `This must be a whole number from 1 to ${max}`)
    .transform(Number)
    .refine((number) => number >= 1 && number <= max, `This must be a whole number from 1 to ${max}`);
const yesOrNo = z.enum(["true", "false"], "This must be true or false").transform((text) => text === "true");
const id = z.uuid("This must be an id").toLowerCase();
const deletion = z.enum(["with", "without", "only"], "This must be with, without or only");

const pageShape = {
  "page.number": whole(PAGE_NUMBER_MAX).default(1),
  "page.size": whole(PAGE_SIZE_MAX).default(PAGE_SIZE_MAX),
};

const aliasQuery = z.object({
  ...pageShape,
  "filter.deleted": deletion.optional(),
  deleted: deletion.optional(),
  "filter.active": yesOrNo.optional(),
  "filter.pinned": yesOrNo.optional(),
  "filter.search": z
    .string()
    .refine((text) => text.length >= 3 && text.length <= 50, "Please search for 3 to 50 characters")
    .optional(),
  sort: z
    .enum(
      fields.flatMap((field) => [field, `-${field}`] as const),
      "Aliases can't be sorted by this",
    )
    .optional(),
  recipient: id.optional(),
  domain: id.optional(),
  username: id.optional(),
});

export interface PageQuery {
  number: number;
  size: number;
}

export interface AliasQuery {
  page: PageQuery;
  /** The query selects only what Kauke never has: deleted aliases, or those of a user's own domain or user name. */
  isForNone: boolean;
  active: boolean | undefined;
  pinned: boolean | undefined;
  search: string | undefined;
  sort: { field: SortField; isDescending: boolean };
  recipient: string | undefined;
}

type RawQuery = Readonly<Record<string, unknown>>;

/** Ignores unknown parameters. @throws AppError `invalid`, with messages by parameter, e.g. `filter.search` */
export function readAliasQuery(raw: RawQuery): AliasQuery {
  const query = parseBody(aliasQuery, plainQuery(raw));
  const { sort = "-created_at" } = query;
  return {
    page: { number: query["page.number"], size: query["page.size"] },
    isForNone: (query["filter.deleted"] ?? query.deleted) === "only" || Boolean(query.domain ?? query.username),
    active: query["filter.active"],
    pinned: query["filter.pinned"],
    search: query["filter.search"]?.toLowerCase(),
    sort: { field: sort.replace("-", "") as SortField, isDescending: sort.startsWith("-") },
    recipient: query.recipient,
  };
}

export function readPageQuery(raw: RawQuery): PageQuery {
  const query = parseBody(z.object(pageShape), plainQuery(raw));
  return { number: query["page.number"], size: query["page.size"] };
}

const recipientQuery = z.object({
  "filter.verified": yesOrNo.optional(),
  "filter.alias_count": yesOrNo.default(true),
});

export function readRecipientQuery(raw: RawQuery): { isVerified: boolean | undefined; isCounted: boolean } {
  const query = parseBody(recipientQuery, plainQuery(raw));
  return { isVerified: query["filter.verified"], isCounted: query["filter.alias_count"] };
}

/** Flattens PHP's notation; the Android app writes `filter[active]=` as a name. Empty values count as absent. */
export function plainQuery(raw: RawQuery): Record<string, string> {
  const plain = new Map<string, string>();
  for (const [name, value] of Object.entries(raw)) {
    const [, outer = "", inner] = /^(\w+)(?:\[(\w+)\])?/.exec(name) ?? [];
    const last: unknown = Array.isArray(value) ? value.at(-1) : value;
    if (typeof last === "string" && last !== "") plain.set(inner === undefined ? outer : `${outer}.${inner}`, last);
  }
  return Object.fromEntries(plain);
}
