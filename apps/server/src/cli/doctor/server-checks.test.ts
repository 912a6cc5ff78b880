import { expect, it } from "vitest";
import { limitNames } from "../../limits/named-limits.ts";
import { isOpenToStrangers } from "../../settings/open-registration.ts";
import { readConfig } from "../../settings/read-config.ts";
import { checkPages, checkRegistration, exampleLinks } from "./server-checks.ts";

const linksOf = (env: Record<string, string>) => readConfig(env, "/tmp", limitNames).config.links;
const others = ["KAUKE_LINK_SOCIAL", "KAUKE_LINK_VIDEO", "KAUKE_LINK_REVIEWS", "KAUKE_LINK_FEEDBACK"];

it("by default the guide links point to pages of this server, and the other links are reported as examples", () => {
  expect(linksOf({})).toMatchObject({ docs: "/docs", smtpGuide: "/docs/smtp" });
  expect(exampleLinks(linksOf({}))).toEqual(others);
  expect(exampleLinks(linksOf({ KAUKE_LINK_VIDEO: "https://video.example.org/" }))).toEqual(
    others.filter((it) => it !== "KAUKE_LINK_VIDEO"),
  );
});

it("names the settings to set, and is ok once they are set", () => {
  const [links, logs] = checkPages({ exampleLinks: others, logDaysGiven: false });
  expect(links).toMatchObject({ state: "warn", says: expect.stringContaining("KAUKE_LINK_REVIEWS") });
  expect(logs).toMatchObject({ state: "warn", says: expect.stringContaining("KAUKE_LOG_DAYS") });
  const states = checkPages({ exampleLinks: [], logDaysGiven: true }).map(({ state }) => state);
  expect(states).toEqual(["ok", "ok"]);
});

it.each([
  ["nothing", {}, "ok"],
  ["a listener on every interface", { KAUKE_HOST: "::" }, "warn"],
  ["a public URL in front of a listener on loopback", { KAUKE_PUBLIC_URL: "https://kauke.example" }, "warn"],
  ["a public URL on loopback", { KAUKE_PUBLIC_URL: "http://127.0.0.1:3000" }, "ok"],
  ["invitations", { KAUKE_HOST: "::", KAUKE_REGISTRATION: "invite" }, "ok"],
  ["closed registration", { KAUKE_HOST: "::", KAUKE_REGISTRATION: "closed" }, "ok"],
])("with %s set, the check of registration says %3$s", (_, env, state) => {
  const { config } = readConfig(env, "/tmp", limitNames);
  const found = checkRegistration({ ...config, isOpenToStrangers: isOpenToStrangers(config) });
  expect(found).toMatchObject({ state, says: expect.stringMatching(/\.$/) });
});
