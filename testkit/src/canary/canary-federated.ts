/**
 * Plants canaries in federated sign-in: claims about a person, codes, tokens, and the secrets of completed, refused and
 * abandoned sign-ins.
 */
import { googleFailureHash } from "@kauke/contract";
import type { FakeIssuer } from "../fakes/fake-issuer.ts";
import type { Canaries } from "./canary-scan.ts";

interface Browser {
  origin: string;
  issuer: FakeIssuer;
}

/**
 * Signs in through the issuer with canaries in all claims. @throws when a sign-in that should succeed does not lead to
 * the dashboard
 */
export async function plantFederated(canaries: Canaries, { origin, issuer }: Browser): Promise<void> {
  const word = (label: string) => canaries.word(label);
  issuer.claims = {
    sub: word("google-subject"),
    email: `${word("google-account")}@${word("google-domain")}.example`,
    email_verified: true,
    given_name: word("google-given-name"),
    family_name: word("google-family-name"),
    picture: `https://${word("google-picture-host")}.example/${word("google-picture")}`,
  };
  await signIn(canaries, { origin, issuer }, "/dashboard");
  issuer.claims = { sub: word("google-subject-unverified"), email: `${word("google-unverified")}@people.example` };
  await signIn(canaries, { origin, issuer }, `/auth${googleFailureHash}`);
  issuer.refusal = word("google-error");
  await signIn(canaries, { origin, issuer }, `/auth${googleFailureHash}`);
  issuer.refusal = null;
  // A sign-in that is abandoned at the issuer: its row exists for ten minutes.
  await begin(canaries, origin);
  const made = { code: issuer.codes, verifier: issuer.verifiers, token: issuer.tokens };
  for (const [label, values] of Object.entries(made)) {
    if (values.length === 0) throw new Error(`no ${label} was made`);
    for (const value of values) canaries.watch(`google-${label}`, value);
  }
}

async function signIn(canaries: Canaries, { origin }: Browser, end: string): Promise<void> {
  const { url, cookie } = await begin(canaries, origin);
  const consented = await fetch(url, { redirect: "manual" });
  const headers = { cookie, "user-agent": canaries.word("google-user-agent") };
  const back = await fetch(consented.headers.get("location") ?? "", { redirect: "manual", headers });
  const location = back.headers.get("location");
  if (location !== end) throw new Error(`the sign-in led to ${location}`);
  for (const setCookie of back.headers.getSetCookie())
    if (setCookie.startsWith("sid=")) canaries.watch("google-session", valueOf(setCookie));
}

async function begin(canaries: Canaries, origin: string): Promise<{ url: string; cookie: string }> {
  const begun = await fetch(`${origin}/api/auth/google`, { redirect: "manual" });
  const url = begun.headers.get("location") ?? "";
  for (const name of ["state", "nonce", "code_challenge"])
    canaries.watch(`google-${name}`, new URL(url).searchParams.get(name) ?? "");
  const cookie = begun.headers.getSetCookie()[0] ?? "";
  canaries.watch("google-cookie", valueOf(cookie));
  return { url, cookie: cookie.split(";", 1)[0] ?? "" };
}

const valueOf = (cookie: string) => cookie.slice(cookie.indexOf("=") + 1).split(";", 1)[0] ?? "";
