/**
 * A test run in which a fake provider forwards instead of our engine (`KAUKE_TEST_FORWARDING=forward-email`): every
 * server of a test gets a provider of its own, unless the test chooses who forwards. docs/testing.md has the command.
 */
import { FakeForwardEmail } from "./fakes/fake-forward-email.ts";

/** The server's default domains, which the account at the provider has too. */
export const providerDomains = ["kauke.test", "slapta.test", "rukas.test", "tyla.test", "vejas.test"];

/** Settings of a system that forwards through `provider`, and whose own messages go to the preview inbox. */
export const forwardThrough = ({ url, key }: Pick<FakeForwardEmail, "url" | "key">) => ({
  KAUKE_FORWARDING: "forward-email",
  KAUKE_PROVIDER_URL: url,
  KAUKE_PROVIDER_KEY: key,
  KAUKE_WEBHOOK_ALLOW: "127.0.0.1",
  KAUKE_DELIVERY: "preview",
});

export const isProviderRun = process.env.KAUKE_TEST_FORWARDING === "forward-email";

/** By data directory: a server that is started again finds its copies. */
const providers = new Map<string, Promise<FakeForwardEmail>>();

/** Settings that make a server forward through a provider; none in other runs, or if `env` has `KAUKE_FORWARDING`. */
export async function providerSettings(
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  if (!isProviderRun || env.KAUKE_FORWARDING !== undefined) return {};
  const domains = [...providerDomains, ...(env.KAUKE_DOMAINS?.split(",").map((domain) => domain.trim()) ?? [])];
  const starting = providers.get(dataDir) ?? FakeForwardEmail.start({ domains: [...new Set(domains)] });
  providers.set(dataDir, starting);
  const { KAUKE_DELIVERY: preview, ...settings } = forwardThrough(await starting);
  const isDeliveryChosen = env.KAUKE_DELIVERY !== undefined || env.KAUKE_RELAY_URL !== undefined;
  const allowed = new Set([...(env.KAUKE_WEBHOOK_ALLOW?.split(",") ?? []), settings.KAUKE_WEBHOOK_ALLOW]);
  return {
    ...settings,
    KAUKE_WEBHOOK_ALLOW: [...allowed].join(","),
    ...(isDeliveryChosen ? {} : { KAUKE_DELIVERY: preview }),
  };
}

/** @param dataDir one of a server that will not be started again; all by default */
export async function closeProviders(dataDir?: string): Promise<void> {
  const over = dataDir === undefined ? [...providers.keys()] : [dataDir];
  for (const one of over) {
    const provider = await providers.get(one);
    providers.delete(one);
    await provider?.close();
  }
}
