/** The AUTH command: PLAIN or LOGIN (RFC 4954, RFC 4616), and who signed in. */
import type { Submitter } from "../../core/smtp-credential.ts";
import { reply, type SmtpReply } from "../reply.ts";

export type SignInResult = { submitter: Submitter } | { refusal: SmtpReply };

export interface SignInAttempt {
  username: string;
  password: string;
  clientAddress: string;
}

export type SignIn = (attempt: SignInAttempt) => Promise<SignInResult>;

export interface AuthReply {
  reply: SmtpReply;
  isError: boolean;
}

const say = (text: SmtpReply): AuthReply => ({ reply: text, isError: false });
const fail = (text: SmtpReply): AuthReply => ({ reply: text, isError: true });

export class SessionAuth {
  readonly #signIn: SignIn;
  readonly #clientAddress: string;
  #exchange: AuthExchange | null = null;
  #submitter: Submitter | null = null;

  constructor(signIn: SignIn, clientAddress: string) {
    this.#signIn = signIn;
    this.#clientAddress = clientAddress;
  }

  get submitter(): Submitter | null {
    return this.#submitter;
  }

  /** The client's next line belongs to an AUTH exchange and is no command. */
  get isPending(): boolean {
    return this.#exchange !== null;
  }

  /** @param argument mechanism and optional initial response */
  async begin(argument: string, isSecure: boolean): Promise<AuthReply> {
    if (!isSecure) return fail(reply(538, "5.7.11", "Encryption required: send STARTTLS first"));
    if (this.#submitter !== null) return fail(reply(503, "5.5.1", "Already signed in"));
    const [mechanism = "", initial] = argument.split(" ");
    const name = mechanism.toUpperCase();
    if (name !== "PLAIN" && name !== "LOGIN")
      return fail(reply(504, "5.5.4", "Supported mechanisms are PLAIN and LOGIN"));
    this.#exchange = new AuthExchange(name);
    return this.#take(this.#exchange.begin(initial ?? null));
  }

  next(line: string): Promise<AuthReply> {
    return this.#take(this.#exchange?.next(line) ?? { kind: "malformed" });
  }

  async #take(step: AuthStep): Promise<AuthReply> {
    if (step.kind === "challenge") return say(reply(334, null, step.text));
    this.#exchange = null;
    if (step.kind === "cancelled") return say(reply(501, "5.7.0", "Cancelled"));
    if (step.kind === "malformed") return fail(reply(501, "5.5.2", "Not a valid response"));
    const { username, password } = step;
    const result = await this.#signIn({ username, password, clientAddress: this.#clientAddress });
    if ("refusal" in result) return fail(result.refusal);
    this.#submitter = result.submitter;
    return say(reply(235, "2.7.0", "Welcome"));
  }
}

type AuthStep =
  | { kind: "challenge"; text: string }
  | { kind: "credentials"; username: string; password: string }
  | { kind: "cancelled" }
  | { kind: "malformed" };

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const TEXT_MAX_CHARS = 512;

export class AuthExchange {
  readonly #mechanism: "PLAIN" | "LOGIN";
  #username: string | null = null;

  constructor(mechanism: "PLAIN" | "LOGIN") {
    this.#mechanism = mechanism;
  }

  /** @param initial `null` without an initial response, `=` for an empty one */
  begin(initial: string | null): AuthStep {
    if (initial !== null) return this.next(initial === "=" ? "" : initial);
    return { kind: "challenge", text: this.#mechanism === "PLAIN" ? "" : "VXNlcm5hbWU6" };
  }

  next(line: string): AuthStep {
    if (line === "*") return { kind: "cancelled" };
    if (!BASE64.test(line)) return { kind: "malformed" };
    const text = Buffer.from(line, "base64").toString("utf8");
    if (text.length > TEXT_MAX_CHARS) return { kind: "malformed" };
    return this.#mechanism === "PLAIN" ? readPlain(text) : this.#nextOfLogin(text);
  }

  #nextOfLogin(text: string): AuthStep {
    if (this.#username !== null) return { kind: "credentials", username: this.#username, password: text };
    this.#username = text;
    return { kind: "challenge", text: "UGFzc3dvcmQ6" };
  }
}

/** Authorization id, NUL, user name, NUL, password (RFC 4616). Refuses a different authorization id. */
function readPlain(text: string): AuthStep {
  const [actFor, username, password, ...more] = text.split("\0");
  if (username === undefined || password === undefined || more.length > 0) return { kind: "malformed" };
  if (actFor !== "" && actFor !== username) return { kind: "malformed" };
  return { kind: "credentials", username, password };
}
