/** Configuration profiles for Apple's mail programs (`.mobileconfig`), each behind a link that works once. */
import { type IncomingHttpHeaders } from "node:http";
import { product } from "@kauke/contract";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { CoreDeps } from "../../core/core-deps.ts";
import { type MailProfileLogin, takeMailProfile } from "../../core/mail-profile.ts";
import type { MailProgramSettings } from "../../core/mail-program-settings.ts";
import type { Random } from "../../runtime/ports.ts";
import { inXml } from "../response/xml-text.ts";

export const mailProfilePath = (token: string): string => `/mail-profile/${token}`;

const tokenForm = /^[A-Za-z0-9_-]{20,128}$/;
const OVER = "This link was used already, or its time is over. Make a new one in the alias' SMTP settings.\n";

type ProfileDeps = Pick<CoreDeps, "smtpCredentials" | "mailProfileLinks" | "random">;

export function mailProfileRoute(app: FastifyInstance, deps: ProfileDeps, settings: MailProgramSettings): void {
  app.get<{ Params: { token: string } }>(
    mailProfilePath(":token"),
    // HEAD asks for nothing that it could use, and must not use the link up.
    { exposeHeadRoute: false },
    async ({ params: { token }, headers }, reply) => {
      reply.header("cache-control", "no-store");
      const login = tokenForm.test(token) && !isPrefetch(headers) ? await takeMailProfile(deps, token) : null;
      return login === null ? sayOver(reply) : sendProfile(reply, profileXml(login, settings, deps.random));
    },
  );
}

/** A browser that only might follow the link must not use it up. */
const isPrefetch = (headers: IncomingHttpHeaders): boolean =>
  ["sec-purpose", "purpose", "x-purpose", "x-moz"].some((name) =>
    /prefetch|preview|prerender/i.test(String(headers[name])),
  );

const sayOver = (reply: FastifyReply) => reply.code(404).type("text/plain; charset=utf-8").send(OVER);

const sendProfile = (reply: FastifyReply, xml: string) =>
  reply
    .type("application/x-apple-aspen-config")
    .header("content-disposition", 'attachment; filename="kauke.mobileconfig"')
    .send(xml);

type Value = string | number | boolean | readonly Dictionary[];
type Dictionary = { readonly [Key in string]: Value };

/** [Device Management](https://developer.apple.com/documentation/devicemanagement/mail) */
function profileXml(login: MailProfileLogin, { host, ports }: MailProgramSettings, random: Random): string {
  const { username, password, credentialId } = login;
  const identifier = `${host.split(".").toReversed().join(".")}.${credentialId}`;
  const account: Dictionary = {
    PayloadType: "com.apple.mail.managed",
    PayloadVersion: 1,
    PayloadIdentifier: `${identifier}.account`,
    PayloadUUID: random.uuid(),
    PayloadDisplayName: username,
    EmailAccountDescription: username,
    EmailAccountType: "EmailTypePOP",
    EmailAddress: username,
    IncomingMailServerAuthentication: "EmailAuthPassword",
    IncomingMailServerHostName: host,
    IncomingMailServerPortNumber: ports.pop3s,
    IncomingMailServerUseSSL: true,
    IncomingMailServerUsername: username,
    IncomingPassword: password,
    OutgoingMailServerAuthentication: "EmailAuthPassword",
    OutgoingMailServerHostName: host,
    OutgoingMailServerPortNumber: ports.submissions,
    OutgoingMailServerUseSSL: true,
    OutgoingMailServerUsername: username,
    OutgoingPasswordSameAsIncomingPassword: true,
  };
  const profile: Dictionary = {
    PayloadType: "Configuration",
    PayloadVersion: 1,
    PayloadIdentifier: identifier,
    PayloadUUID: random.uuid(),
    PayloadOrganization: product.name,
    PayloadDisplayName: `${product.name}: ${username}`,
    PayloadDescription: `Sends mail as ${username}. Its inbox stays empty: mail to the alias arrives in the mailbox it forwards to.`,
    PayloadContent: [account],
  };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${inPlist(profile)}</plist>
`;
}

function inPlist(dictionary: Dictionary): string {
  const pairs = Object.entries(dictionary).map(([key, value]) => `<key>${key}</key>\n${valueInPlist(value)}\n`);
  return `<dict>\n${pairs.join("")}</dict>\n`;
}

function valueInPlist(value: Value): string {
  if (typeof value === "boolean") return `<${value}/>`;
  if (typeof value === "number") return `<integer>${value}</integer>`;
  if (typeof value === "string") return `<string>${inXml(value)}</string>`;
  return `<array>\n${value.map(inPlist).join("")}</array>`;
}
