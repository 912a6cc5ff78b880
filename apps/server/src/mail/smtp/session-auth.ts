/** Authentication of a session: the AUTH command, its exchange (RFC 4954 §4), and the submitter who signed in. */
import type { Submitter } from "../../core/smtp-credential/authenticate.ts";
import { reply, type SmtpReply } from "../reply.ts";
import { AuthExchange, type AuthStep } from "./auth-exchange.ts";

export type SignInResult = { submitter: Submitter } | { refusal: SmtpReply };

export interface SignInAttempt {
  username: string;
  password: string;
  clientAddress: string;
}

export type SignIn = (attempt: SignInAttempt) => Promise<SignInResult>;

/** Reply to one step of the authentication, and whether the step counts as an error of the client. */
export interface AuthAnswer {
  answer: SmtpReply;
  isError: boolean;
}

const say = (answer: SmtpReply): AuthAnswer => ({ answer, isError: false });
const fail = (answer: SmtpReply): AuthAnswer => ({ answer, isError: true });

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

  /** Whether the client's next line belongs to an AUTH exchange and is no command. */
  get isPending(): boolean {
    return this.#exchange !== null;
  }

  /** @param argument argument of AUTH: mechanism and optional initial response */
  async begin(argument: string, isSecure: boolean): Promise<AuthAnswer> {
    if (!isSecure) return fail(reply(538, "5.7.11", "Encryption required: send STARTTLS first"));
    if (this.#submitter !== null) return fail(reply(503, "5.5.1", "Already signed in"));
    const [mechanism = "", initial] = argument.split(" ");
    const name = mechanism.toUpperCase();
    if (name !== "PLAIN" && name !== "LOGIN")
      return fail(reply(504, "5.5.4", "Supported mechanisms are PLAIN and LOGIN"));
    this.#exchange = new AuthExchange(name);
    return this.#take(this.#exchange.begin(initial ?? null));
  }

  next(line: string): Promise<AuthAnswer> {
    return this.#take(this.#exchange?.next(line) ?? { kind: "malformed" });
  }

  async #take(step: AuthStep): Promise<AuthAnswer> {
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
