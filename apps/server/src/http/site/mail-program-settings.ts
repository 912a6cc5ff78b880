/**
 * Settings that mail programs look up: autoconfig (Thunderbird and others) and autodiscover (Outlook). The responses are
 * the same for every address of a domain, so they do not tell which aliases exist.
 */
import { product } from "@kauke/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { clientSettingsHosts } from "../../core/certificate.ts";
import type { MailProgramSettings } from "../../core/mail-program-settings.ts";
import { bounds } from "../../limits/table.ts";
import { autodiscoverPath } from "../compat/client-requests.ts";
import { collectBody } from "../request/read-json.ts";
import { inXml } from "../response/xml-text.ts";
import { respondNotFound } from "./serve-site.ts";

interface Options {
  domains: readonly string[];
  settings: MailProgramSettings;
  /** Page about setting up a mail program. */
  guide: string;
}

/** Paths of one file: on the host `autoconfig.<domain>`, and on the host of the domain itself. */
const autoconfigPaths = ["/mail/config-v1.1.xml", "/.well-known/autoconfig/mail/config-v1.1.xml"] as const;
const xmlType = "application/xml; charset=utf-8";

export function mailProgramRoutes(app: FastifyInstance, options: Options): void {
  const ours = new Set(options.domains);
  for (const path of autoconfigPaths)
    app.get<{ Querystring: { emailaddress?: unknown } }>(path, async (request, reply) => {
      const { emailaddress: asked } = request.query;
      const domain = typeof asked === "string" && asked !== "" ? domainOf(asked) : hostDomain(request);
      if (domain === null || !ours.has(domain)) return respondNotFound(reply);
      return reply.header("cache-control", "no-cache").type(xmlType).send(autoconfigXml(domain, options));
    });
  void app.register(async (scope) => {
    const { bodyBytes: bodyLimit } = bounds.autodiscover;
    scope.removeAllContentTypeParsers();
    // Programs send text/xml, application/xml, or no type.
    scope.addContentTypeParser("*", (request: FastifyRequest, payload, done) =>
      collectBody({ request, payload, bodyLimit }, (failure, body) => done(failure, body.toString("utf8"))),
    );
    scope.route({
      method: ["GET", "POST"],
      url: autodiscoverPath,
      bodyLimit,
      handler: async ({ body }, reply) => {
        reply.header("cache-control", "no-store").type(xmlType);
        const asked = readAutodiscover(typeof body === "string" ? body : "");
        if (asked === null) return reply.send(autodiscoverError(600, "Invalid Request"));
        const { address, isForPhone } = asked;
        if (!ours.has(domainOf(address) ?? "")) return respondNotFound(reply);
        if (isForPhone) return reply.send(autodiscoverError(601, "Provider is not available"));
        return reply.send(autodiscoverXml(address, options.settings));
      },
    });
  });
}

const ADDRESS_MAX = 320;
// An address as programs send it; the local part is never looked at.
const addressForm = /^[^\s@<>"&\p{Cc}]{1,64}@([a-z0-9.-]{1,253})$/iu;

function domainOf(address: string): string | null {
  if (address.length > ADDRESS_MAX) return null;
  return addressForm.exec(address)?.[1]?.toLowerCase().replace(/\.$/, "") ?? null;
}

/** Domain of a request that names no address: that of its host. */
function hostDomain({ hostname }: FastifyRequest): string {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  const domain = host.replace(/^auto(?:config|discover)\./, "");
  return host === domain || clientSettingsHosts(domain).includes(host) ? domain : host;
}

const addressElement = /<(?:[\w-]{1,32}:)?EMailAddress\s*>\s*([^<>&\s]{3,320})\s*<\//i;

/**
 * Finds the address in a request of Outlook ([MS-OXDSCLI] §2.2.3). No XML parser runs: there are no entities, no document type,
 * and an address with a reference in it is refused.
 */
export function readAutodiscover(body: string): { address: string; isForPhone: boolean } | null {
  const address = addressElement.exec(body)?.[1];
  if (address === undefined || domainOf(address) === null) return null;
  return { address, isForPhone: /autodiscover\/mobilesync\//i.test(body) };
}

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';

function autoconfigXml(domain: string, { settings: { host, ports }, guide }: Options): string {
  const server = (element: string, type: string, port: number, socketType: string) =>
    `    <${element} type="${type}">
      <hostname>${inXml(host)}</hostname>
      <port>${port}</port>
      <socketType>${socketType}</socketType>
      <authentication>password-cleartext</authentication>
      <username>%EMAILADDRESS%</username>
    </${element}>
`;
  return `${XML}<clientConfig version="1.1">
  <emailProvider id="${inXml(domain)}">
    <domain>${inXml(domain)}</domain>
    <displayName>${product.name} (${inXml(domain)})</displayName>
    <displayShortName>${product.name}</displayShortName>
${server("incomingServer", "pop3", ports.pop3s, "SSL")}${server("outgoingServer", "smtp", ports.submissions, "SSL")}${server("outgoingServer", "smtp", ports.submission, "STARTTLS")}    <documentation url="${inXml(guide)}">
      <descr lang="en">The inbox stays empty: mail to an alias arrives in the mailbox it forwards to.</descr>
    </documentation>
  </emailProvider>
</clientConfig>
`;
}

const outer = 'xmlns="http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006"';
const inner = 'xmlns="http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a"';

function autodiscoverXml(address: string, { host, ports }: MailProgramSettings): string {
  const protocol = (type: string, port: number, more: string) => `      <Protocol>
        <Type>${type}</Type>
        <Server>${inXml(host)}</Server>
        <Port>${port}</Port>
        <DomainRequired>off</DomainRequired>
        <LoginName>${inXml(address)}</LoginName>
        <SPA>off</SPA>
        <SSL>on</SSL>
        <Encryption>SSL</Encryption>
        <AuthRequired>on</AuthRequired>
${more}      </Protocol>
`;
  const sameLogin = "        <UsePOPAuth>on</UsePOPAuth>\n        <SMTPLast>off</SMTPLast>\n";
  return `${XML}<Autodiscover ${outer}>
  <Response ${inner}>
    <Account>
      <AccountType>email</AccountType>
      <Action>settings</Action>
${protocol("POP3", ports.pop3s, "")}${protocol("SMTP", ports.submissions, sameLogin)}    </Account>
  </Response>
</Autodiscover>
`;
}

function autodiscoverError(code: number, message: string): string {
  return `${XML}<Autodiscover ${outer}>
  <Response>
    <Error Time="00:00:00.0000000" Id="0">
      <ErrorCode>${code}</ErrorCode>
      <Message>${message}</Message>
      <DebugData />
    </Error>
  </Response>
</Autodiscover>
`;
}
