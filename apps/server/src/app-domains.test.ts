import { type FakeDnsServer, type FakeDnsZone, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { afterAll, beforeAll, expect, it } from "vitest";
import { domainDns } from "./app-domains.ts";

const mailHost = "mail.kauke.test";
const zone: FakeDnsZone = { [mailHost]: { a: ["192.0.2.1"], aaaa: ["2001:db8::1"] } };
let server: FakeDnsServer;
beforeAll(async () => {
  server = await startFakeDnsServer(zone);
});
afterAll(() => server[Symbol.asyncDispose]());

const begin = (host = mailHost) => domainDns({ dnsServers: [server.address], mailHost: host }).begin();

it("reads TXT records with their strings joined, and MX records as they are", async () => {
  const long = `v=DKIM1; k=rsa; p=${"A".repeat(400)}`;
  zone["own.example"] = { txt: [long, "other"], mx: [[10, mailHost]] };
  zone["null.example"] = { mx: [[0, ""]] };
  const lookUps = begin();
  expect(await lookUps.txt("own.example")).toEqual({ kind: "found", records: [long, "other"] });
  expect(await lookUps.mx("own.example")).toEqual({ kind: "found", records: [{ exchange: mailHost, priority: 10 }] });
  expect(await lookUps.mx("null.example")).toEqual({ kind: "found", records: [{ exchange: "", priority: 0 }] });
  expect(await lookUps.txt("null.example")).toEqual({ kind: "no_record" });
  expect(await lookUps.txt("_kauke.own.example")).toEqual({ kind: "no_name" });
});

it("a check sees what was published after the one before it", async () => {
  expect(await begin().txt("_kauke.fresh.example")).toEqual({ kind: "no_name" });
  zone["_kauke.fresh.example"] = { txt: ["kauke-domain=x"] };
  expect(await begin().txt("_kauke.fresh.example")).toEqual({ kind: "found", records: ["kauke-domain=x"] });
});

it("name servers that fail or stay silent leave a record unread, and the check ends", async () => {
  zone["fails.example"] = { fails: true };
  zone["silent.example"] = { isSilent: true };
  const lookUps = begin();
  const found = await Promise.all([
    lookUps.txt("fails.example"),
    lookUps.mx("silent.example"),
    lookUps.mailHostPassesSpf("silent.example"),
  ]);
  expect(found).toMatchObject([{ kind: "failed" }, { kind: "failed" }, null]);
});

it("SPF is evaluated for every address of the mail host", async () => {
  zone["_spf.kauke.test"] = { txt: ["v=spf1 ip4:192.0.2.1 ip6:2001:db8::1 -all"] };
  zone["included.example"] = { txt: ["v=spf1 include:_spf.kauke.test -all"] };
  zone["half.example"] = { txt: ["v=spf1 ip4:192.0.2.1 -all"] };
  zone["broken.example"] = { txt: ["v=spf1 include:fails.example -all"] };
  zone["fails.example"] = { fails: true };
  expect(await begin().mailHostPassesSpf("included.example")).toBe(true);
  expect(await begin().mailHostPassesSpf("half.example")).toBe(false);
  expect(await begin().mailHostPassesSpf("none.example")).toBe(false);
  expect(await begin().mailHostPassesSpf("broken.example")).toBeNull();
  expect(await begin("no-address.kauke.test").mailHostPassesSpf("included.example")).toBeNull();
});
