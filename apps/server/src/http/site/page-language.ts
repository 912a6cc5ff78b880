/** The language of a page: the person's choice in a cookie, else the browser's preference (RFC 9110 §12.5.4). */
import { isLanguage, type Language, languageCookie } from "@kauke/contract";
import type { FastifyRequest } from "fastify";

/** Languages read from the header, so that its length does not matter. */
const READ_MAX = 20;

export function pageLanguage({ cookies, headers }: Pick<FastifyRequest, "cookies" | "headers">): Language {
  const chosen = cookies[languageCookie] ?? "";
  return isLanguage(chosen) ? chosen : preferredLanguage(headers["accept-language"] ?? "");
}

/** @example preferredLanguage("fr, de-AT;q=0.8, en;q=0.5") // "de" */
export function preferredLanguage(header: string): Language {
  const wanted = header.split(",", READ_MAX).map((range) => {
    const [tag = "", weight = "q=1"] = range.toLowerCase().replaceAll(/\s/g, "").split(";", 2);
    return { tag: tag.split("-", 1)[0] ?? "", weight: Number(/^q=([01](?:\.\d{0,3})?)$/.exec(weight)?.[1] ?? 0) };
  });
  const best = wanted
    .filter(({ tag, weight }) => isLanguage(tag) && weight > 0)
    .reduce((one, other) => (other.weight > one.weight ? other : one), { tag: "en", weight: 0 });
  return isLanguage(best.tag) ? best.tag : "en";
}
