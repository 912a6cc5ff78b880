import { expect, it } from "vitest";
import { wantedCertificates } from "./certificate.ts";

const names = {
  publicUrl: "https://kauke.example",
  publicUrlGiven: true,
  mailHost: "mail.kauke.example",
  domains: ["kauke.example", "second.example"],
  pop3s: { host: "::", port: 995 },
};
const hosts = (change: object) => {
  const forwarding = { kind: "engine" };
  return wantedCertificates({ ...names, forwarding, ...change }).map((one) => one.hosts.join(" "));
};

const mailAndPolicies = [
  "mail.kauke.example kauke.example smtp.kauke.example",
  "mta-sts.kauke.example",
  "mta-sts.second.example",
];

it("mail host and site share a certificate; policies and settings of mail programs have one for each name", () => {
  expect(hosts({})).toEqual([
    ...mailAndPolicies,
    "autoconfig.kauke.example",
    "autodiscover.kauke.example",
    "autoconfig.second.example",
    "autodiscover.second.example",
  ]);
  expect(hosts({ pop3s: null })).toEqual(mailAndPolicies);
});

it("with a forwarding provider only the site needs one, whose name is in DNS", () => {
  const forwarding = { kind: "forward-email" };
  expect(hosts({ forwarding })).toEqual(["kauke.example"]);
  expect(hosts({ forwarding, publicUrlGiven: false })).toEqual([]);
});
