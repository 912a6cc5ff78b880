/**
 * A person with an account, as an API client: registers, signs in, makes aliases. Follows the contract and stores its
 * own cookie.
 */
import type { AliasWire, CreateAliasBody, NoticeWire, UserWire } from "@kauke/contract";
import type { TalkLogin } from "./smtp-talk.ts";

export interface Person {
  user: UserWire;
  email: string;
  password: string;
  cookie: string;
  createAlias(alias: Partial<CreateAliasBody> & { forwardTo: string }): Promise<AliasWire>;
  /** Creates an alias whose owner may write to its send addresses, `alias+person=host.example@domain`. */
  createAliasToWriteBy(alias: { forwardTo: string }): Promise<AliasWire>;
  /** Makes the credential with which a mail program submits mail as the alias. */
  createSmtpCredential(aliasId: string): Promise<TalkLogin & { id: string }>;
  listAliases(): Promise<AliasWire[]>;
  notices(): Promise<NoticeWire[]>;
  /** Makes any call to the API; returns the parsed body and the status. */
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
}

let made = 0;

/** Registers an account with a new e-mail address unless one is given. @param url origin of the server */
export async function registerPerson(url: string, email?: string): Promise<Person> {
  const address = email ?? `person${++made}.${process.pid}@people.example`;
  const password = "correct horse battery";
  const answer = await fetch(`${url}/api/auth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: address, password }),
  });
  if (answer.status !== 201) throw new Error(`register answered ${answer.status}: ${await answer.text()}`);
  const cookie = (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const { user } = (await answer.json()) as { user: UserWire };

  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { cookie, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : (JSON.parse(text) as unknown) };
  }

  async function expectCall<T>(status: number, method: string, path: string, body?: unknown): Promise<T> {
    const result = await call(method, path, body);
    if (result.status !== status)
      throw new Error(`${method} ${path} answered ${result.status}: ${JSON.stringify(result.body)}`);
    return result.body as T;
  }

  const createAlias: Person["createAlias"] = (alias) =>
    expectCall<AliasWire>(201, "POST", `/api/aliases/${user.id}`, {
      alias: `a${++made}-${process.pid}`,
      domain: "kauke.test",
      ...alias,
    });

  return {
    user,
    email: address,
    password,
    cookie,
    call,
    createAlias,
    createAliasToWriteBy: async (alias) => {
      const { id } = await createAlias(alias);
      return expectCall<AliasWire>(200, "PUT", `/api/aliases/${id}`, { writeByAddress: true });
    },
    createSmtpCredential: async (aliasId) =>
      (await expectCall<{ credential: TalkLogin & { id: string } }>(201, "POST", "/api/smtp-credentials", { aliasId }))
        .credential,
    listAliases: async () =>
      (await expectCall<{ aliases: AliasWire[] }>(200, "GET", `/api/aliases/${user.id}`)).aliases,
    notices: async () => (await expectCall<{ notices: NoticeWire[] }>(200, "GET", "/api/notices")).notices,
  };
}
