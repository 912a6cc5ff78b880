/** AUTH PLAIN and LOGIN (RFC 4954, RFC 4616), one client line at a time. Pure: credentials are checked elsewhere. */
export type AuthStep =
  /** Text to send base64-encoded as `334 …`. */
  | { kind: "challenge"; text: string }
  | { kind: "credentials"; username: string; password: string }
  | { kind: "cancelled" }
  | { kind: "malformed" };

export type AuthMechanism = "PLAIN" | "LOGIN";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const TEXT_MAX_CHARS = 512;

export class AuthExchange {
  readonly #mechanism: AuthMechanism;
  #username: string | null = null;

  constructor(mechanism: AuthMechanism) {
    this.#mechanism = mechanism;
  }

  /** @param initial initial response of the AUTH command; `null` when there was none, `=` when it is empty */
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

/** Parses authorization id, NUL, user name, NUL, password. A different authorization id is not supported. */
function readPlain(text: string): AuthStep {
  const [actFor, username, password, ...more] = text.split("\0");
  if (username === undefined || password === undefined || more.length > 0) return { kind: "malformed" };
  if (actFor !== "" && actFor !== username) return { kind: "malformed" };
  return { kind: "credentials", username, password };
}
