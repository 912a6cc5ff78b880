import { expect, it } from "vitest";
import type { CertificateStatus } from "../../platform/acme/certificate-issuer.ts";
import type { OperatorAccess } from "../control/operator-access.ts";
import { certificates } from "./server-steps.ts";
import type { SetupDeps } from "./setup-deps.ts";

const soon = () => new Date(Date.now() + 60_000).toISOString();
const issued = (host: string): CertificateStatus => ({
  hosts: [host],
  leftOut: [],
  validUntil: "2126-01-01T00:00:00Z",
  failure: null,
  nextOrderAt: "2125-11-01T00:00:00Z",
});
const failed = (host: string): CertificateStatus => ({
  ...issued(host),
  leftOut: [host],
  validUntil: null,
  failure: "no_address",
  nextOrderAt: soon(),
});

/** Results of setup's wait for certificates, with what the server says at each look. */
async function waited(...looks: readonly CertificateStatus[][]): Promise<{ states: string[]; looks: number }> {
  let look = 0;
  const access = {
    "certificates-order": async () => true,
    facts: async () => ({ certificates: looks[Math.min(look++, looks.length - 1)] }),
  } as unknown as OperatorAccess;
  const deps = { certificateWait: { limitMs: 120_000, pauseMs: 1 } } as SetupDeps;
  const states: string[] = [];
  for await (const { state, subject } of certificates(access, deps)) states.push(`${state} ${subject}`);
  return { states, looks: look };
}

it("setup waits for the first order, but not for names of mail programs that can't be proven", async () => {
  const first = { ...issued("mail.kauke.example"), validUntil: null, nextOrderAt: soon() };
  const programs = failed("autoconfig.kauke.example");
  const mail = issued("mail.kauke.example");
  expect(await waited([first, programs], [first, programs], [mail, programs])).toEqual({
    states: ["ok mail.kauke.example", "warn autoconfig.kauke.example"],
    looks: 3,
  });
  expect((await waited([failed("mta-sts.kauke.example"), mail])).states[0]).toBe("fix mta-sts.kauke.example");
});
