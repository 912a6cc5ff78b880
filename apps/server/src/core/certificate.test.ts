import { expect, it } from "vitest";
import { wantedCertificates } from "./certificate.ts";

const names = {
  publicUrl: "https://kauke.example",
  publicUrlGiven: true,
  mailHost: "mail.kauke.example",
  domains: ["kauke.example", "second.example"],
};
const hosts = (change: object) => {
  const forwarding = { kind: "engine" };
  return wantedCertificates({ ...names, forwarding, ...change }).map((one) => one.hosts.join(" "));
};

it("this server has certificates for its mail host, its site and each domain's policy", () => {
  expect(hosts({})).toEqual([
    "mail.kauke.example kauke.example smtp.kauke.example",
    "mta-sts.kauke.example",
    "mta-sts.second.example",
  ]);
});

it("with a forwarding provider only the site needs one, whose name is in DNS", () => {
  const forwarding = { kind: "forward-email" };
  expect(hosts({ forwarding })).toEqual(["kauke.example"]);
  expect(hosts({ forwarding, publicUrlGiven: false })).toEqual([]);
});
