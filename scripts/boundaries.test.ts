import { expect, test } from "vitest";
import { featurePackages, mailRooms } from "./boundaries.ts";
import { breachOf, importedModules } from "./check-boundaries.ts";

const server = "apps/server/src";

test("imports are found in every form and nowhere else", () => {
  const source = `
import { a } from "./a.ts";
import type { B } from "@kauke/contract";
import "./side-effect.ts";
import {
  c,
  d,
} from "node:fs";
export * from './e.ts';
export { f } from "./f.ts";
const g = await import("./g.ts");
/* import { no } from "./no.ts"; */
const text = "import from nowhere";
export const h = fromWhere("x");
`;
  const found = ["./a.ts", "@kauke/contract", "./side-effect.ts", "node:fs", "./e.ts", "./f.ts", "./g.ts"];
  expect(importedModules(source)).toEqual(found);
});

const allowed: readonly (readonly [file: string, imported: string])[] = [
  [`${server}/http/aliases/routes.ts`, "../../core/alias/create-alias.ts"],
  [`${server}/http/aliases/routes.ts`, "@kauke/contract"],
  [`${server}/http/server.ts`, "fastify"],
  [`${server}/mail/message/rewrite.ts`, "@kauke/mail-rfc"],
  [`${server}/mail/message/rewrite.ts`, "node:net"],
  [`${server}/store/alias/alias-store.ts`, "../../core/alias/alias-store.ts"],
  [`${server}/app.ts`, "./http/server.ts"],
  [`${server}/platform/logger.ts`, "../core/app-error.ts"],
  [`${server}/core/alias/create-alias.test.ts`, "@kauke/testkit"],
  ["testkit/src/index.ts", "@kauke/server/src/main.ts"],
  ["apps/web/src/api/client.ts", "@kauke/contract"],
  ["apps/web/vite.config.ts", "node:path"],
  ["packages/mail-rfc/src/address/srs.ts", "node:crypto"],
  [`${server}/crypto/age-worker.ts`, "@kauke/age/node-password-cipher"],
  ["packages/age/src/password/node-password-cipher.ts", "node:crypto"],
  [`${server}/mail/wire.ts`, "@kauke/age/node-encrypter"],
  ["packages/mail-rfc/src/base32.ts", "@scure/base"],
  [`${server}/core/wallet/wallet-signature.ts`, "@scure/base"],
];

test.each(allowed)("%s may import %s", (file, imported) => {
  expect(breachOf(file, imported)).toBeNull();
});

const refused: readonly (readonly [file: string, imported: string])[] = [
  [`${server}/core/alias/create-alias.ts`, "../../http/problem.ts"],
  [`${server}/core/alias/create-alias.ts`, "../../store/open-store.ts"],
  [`${server}/core/alias/create-alias.ts`, "../../settings/config.ts"],
  [`${server}/core/alias/create-alias.ts`, "node:fs/promises"],
  [`${server}/core/alias/create-alias.ts`, "kysely"],
  [`${server}/crypto/age-worker.ts`, "age-encryption"],
  ["apps/web/src/key-vault/worker.ts", "age-encryption"],
  ["apps/web/src/key-vault/worker.ts", "@kauke/age/node-password-cipher"],
  ["apps/web/src/key-vault/worker.ts", "@kauke/age/node-encrypter"],
  ["packages/mail-rfc/src/base32.ts", "@scure/bip39"],
  ["packages/mail-rfc/src/base32.ts", "@scure/base/private"],
  ["packages/mail-rfc/src/base32.ts", "@noble/hashes"],
  [`${server}/core/wallet/wallet-signature.ts`, "age-encryption"],
  [`${server}/http/wallet/routes.ts`, "@scure/base"],
  ["apps/web/src/key-vault/worker.ts", "@scure/base"],
  [`${server}/mail/encrypted-copy.ts`, "@kauke/age/node-encrypter"],
  ["packages/age/src/decrypt.ts", "./password/node-password-cipher.ts"],
  ["packages/age/src/decrypt.ts", "node:crypto"],
  [`${server}/core/alias/create-alias.ts`, "fastify"],
  [`${server}/http/aliases/routes.ts`, "../../mail/reply.ts"],
  [`${server}/http/aliases/routes.ts`, "../../store/open-store.ts"],
  [`${server}/http/aliases/routes.ts`, "@kauke/mail-rfc"],
  [`${server}/mail/reply.ts`, "../http/problem.ts"],
  [`${server}/mail/delivery/deliver-now.ts`, "../../../store/open-store.ts"],
  [`${server}/store/alias/alias-store.ts`, "../../platform/logger.ts"],
  [`${server}/settings/config.ts`, "../core/app-error.ts"],
  [`${server}/core/rule.ts`, "./rule.test.ts"],
  [`${server}/main.ts`, "@kauke/testkit"],
  [`${server}/main.ts`, "../../../packages/contract/src/index.ts"],
  ["apps/web/src/api/client.ts", "@kauke/mail-rfc"],
  ["apps/web/src/api/client.ts", "@kauke/server/src/core/user/user.ts"],
  ["apps/web/src/api/client.ts", "node:buffer"],
  ["packages/contract/src/alias.ts", "@kauke/mail-rfc"],
  ["packages/contract/src/alias.ts", "node:url"],
  ["packages/mail-rfc/src/address/address.ts", "node:dns"],
  ["packages/mail-rfc/src/address/address.ts", "@kauke/contract"],
];

test.each(refused)("%s must not import %s", (file, imported) => {
  expect(breachOf(file, imported)).not.toBeNull();
});

/** Path of a file in a room of the mail path, relative to `apps/server/src`, as files of other rooms import it. */
const loose: Readonly<Record<string, string>> = { "mail/path": "mail/path.ts", "mail/ground": "mail/reply.ts" };
const fileOf = (room: string) => loose[room] ?? `${room}/any.ts`;
const importOf = (from: string, to: string) => `${from in loose ? "../" : "../../"}${fileOf(to)}`;
const pairs = mailRooms.flatMap((upper, at) => mailRooms.slice(at + 1).map((lower) => [upper, lower] as const));

test.each(pairs)("%s may import %s, and not the other way round", (upper, lower) => {
  const upwards = importOf(lower, upper);
  expect(breachOf(`${server}/${fileOf(upper)}`, importOf(upper, lower))).toBeNull();
  expect(breachOf(`${server}/${fileOf(lower)}`, upwards)).toBe(`${lower} must not import ${upper} (${upwards})`);
});

test.each(featurePackages)(
  "%s is imported only where the server is assembled or adapted, and imports no other feature",
  (name) => {
    expect(breachOf(`packages/${name}/src/any.ts`, "@kauke/mail-rfc")).toBeNull();
    expect(breachOf(`${server}/features.ts`, `@kauke/${name}`)).toBeNull();
    for (const part of ["core/any", "http/any", "store/any", "limits/any", "runtime/any", "settings/any", "mail/any"])
      expect(breachOf(`${server}/${part}.ts`, `@kauke/${name}`)).toContain(`must not import ${name}`);
    for (const room of mailRooms) expect(breachOf(`${server}/${fileOf(room)}`, `@kauke/${name}`)).not.toBeNull();
    for (const other of ["mail-rfc", "contract", "age", ...featurePackages.filter((feature) => feature !== name)])
      expect(breachOf(`packages/${other}/src/any.ts`, `@kauke/${name}`)).toBe(
        `${other} must not import ${name} (@kauke/${name})`,
      );
    expect(breachOf("apps/web/src/any.ts", `@kauke/${name}`)).not.toBeNull();
    expect(breachOf(`packages/${name}/src/any.ts`, "@kauke/server/core/app-error")).not.toBeNull();
    expect(breachOf(`packages/${name}/src/any.ts`, "node:fs")).not.toBeNull();
  },
);

test.each(["invitations", "quotes"])("%s needs no adapter", (name) => {
  expect(breachOf(`${server}/platform/any.ts`, `@kauke/${name}`)).not.toBeNull();
});
