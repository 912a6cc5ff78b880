/** Routes of the account and of domains. */
import { blank } from "./fake-forward-email-aliases.ts";
import type { FakeRoute } from "./fake-forward-email-rules.ts";
import { isAddress, isFilled, isFlag, isNumber, isText, oneOf, textOf } from "./fake-forward-email-rules.ts";
import type { FakeDomain, FakeProviderStore } from "./fake-forward-email-store.ts";
import { newId, pageOf, Refusal } from "./fake-forward-email-store.ts";

const plans = ["free", "enhanced_protection", "team"];

const settings = {
  has_adult_content_protection: isFlag,
  has_phishing_protection: isFlag,
  has_executable_protection: isFlag,
  has_virus_protection: isFlag,
  has_recipient_verification: isFlag,
  ignore_mx_check: isFlag,
  retention_days: isNumber,
  bounce_webhook: isText,
};

const single = /^\/v1\/domains\/([^/]+)$/;

export const domainRoutes: readonly FakeRoute[] = [
  {
    method: "GET",
    path: /^\/v1\/account$/,
    carryOut: ({ account: { id, email, plan } }) => ({ status: 200, body: { object: "user", id, email, plan } }),
  },
  {
    method: "GET",
    path: /^\/v1\/domains$/,
    query: ["q", "name", "sort", "page", "limit"],
    carryOut: (store, request) => {
      const part = request.query.get("name") ?? request.query.get("q") ?? "";
      const found = store.domains.filter(({ name }) => name.includes(part.trim().toLowerCase()));
      const { shown: items, headers } = pageOf(request, found, { usual: 1000, max: store.maxPageSize });
      return { status: 200, body: items.map((domain) => shown(domain)), headers };
    },
  },
  {
    method: "POST",
    path: /^\/v1\/domains$/,
    body: {
      fields: { ...settings, domain: isFilled, plan: oneOf(...plans), catchall: oneOf(false) },
      required: ["domain", "catchall"],
    },
    carryOut: (store, { body }) => {
      const sent = (body ?? {}) as Record<string, unknown>;
      const name = textOf(sent["domain"]).trim().toLowerCase();
      if (!isAddress(`x@${name}`)) throw new Refusal(400, "domainInvalid");
      if (store.findDomain(name) !== undefined) throw new Refusal(400, "domainExists");
      store.count("createDomain");
      const domain = store.addDomain(name, false);
      const wanted = plans.indexOf(textOf(sent["plan"] ?? store.account.plan));
      domain.plan = plans[Math.min(wanted, plans.indexOf(store.account.plan))] ?? "free";
      applySettings(domain, sent);
      if (sent["catchall"] !== false) addCatchAll(store, domain, sent["catchall"]);
      return { status: 200, body: shownWhole(store, domain) };
    },
  },
  {
    method: "GET",
    path: single,
    carryOut: (store, _request, at) => ({ status: 200, body: shownWhole(store, known(store, at)) }),
  },
  {
    method: "PUT",
    path: single,
    body: { fields: { ...settings, smtp_port: isText }, required: [] },
    carryOut: (store, { body }, at) => {
      const domain = known(store, at);
      if (domain.plan === "free") throw new Refusal(402, "plan");
      applySettings(domain, (body ?? {}) as Record<string, unknown>);
      return { status: 200, body: shownWhole(store, domain) };
    },
  },
  {
    method: "GET",
    path: /^\/v1\/domains\/([^/]+)\/verify-records$/,
    carryOut: (store, _request, at) => {
      const { has_mx_record, has_txt_record } = known(store, at);
      if (!has_mx_record || !has_txt_record) throw new Refusal(400, "records");
      return { status: 200, body: "The records are as they should be." };
    },
  },
  {
    method: "GET",
    path: /^\/v1\/domains\/([^/]+)\/verify-smtp$/,
    carryOut: (store, _request, at) => {
      const { has_dkim_record, has_return_path_record, has_dmarc_record } = known(store, at);
      if (!has_dkim_record || !has_return_path_record || !has_dmarc_record) throw new Refusal(400, "records");
      return { status: 200, body: "The records for sending are as they should be." };
    },
  },
];

function known(store: FakeProviderStore, idOrName = ""): FakeDomain {
  const domain = store.findDomain(idOrName);
  if (domain === undefined) throw new Refusal(404, "domainUnknown");
  return domain;
}

function applySettings(domain: FakeDomain, sent: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(sent))
    if (Object.hasOwn(settings, name) || name === "smtp_port") domain.settings[name] = value;
  if (sent["has_recipient_verification"] !== undefined)
    domain.has_recipient_verification = sent["has_recipient_verification"] === true;
}

/** The account's address always is a recipient; text, even the word `false`, is read as further ones. */
function addCatchAll(store: FakeProviderStore, domain: FakeDomain, sent: unknown): void {
  const further = typeof sent === "string" ? sent.split(/[\s,]+/).filter(Boolean) : [];
  const now = new Date(store.now());
  const made = { id: newId(), name: "*", domain: domain.name, createdAt: now, updatedAt: now };
  store.saveAlias({ ...blank, ...made, recipients: [store.account.email, ...further] });
}

function shown({ settings: chosen, createdAt, max_recipients_per_alias, ...domain }: FakeDomain) {
  return {
    object: "domain",
    smtp_port: "25",
    retention_days: 0,
    ignore_mx_check: false,
    ...chosen,
    ...domain,
    max_recipients_per_alias: max_recipients_per_alias || 10,
    link: `https://provider.example/my-account/domains/${domain.name}`,
    created_at: createdAt.toISOString(),
  };
}

function shownWhole(store: FakeProviderStore, domain: FakeDomain) {
  const { id, email } = store.account;
  return { ...shown(domain), members: [{ user: { id, email }, group: "admin" }], invites: [] };
}
