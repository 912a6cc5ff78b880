import { expect, test } from "vitest";
import { accept, reject, reply } from "../reply.ts";
import { outgoingMail, sendingBy } from "./outgoing-mail.testing.ts";
import { ownDomainTransport } from "./own-domain.ts";
import { outcomeOnly } from "./transport.ts";

const recipients = {
  reply: accept({ kind: "reply" }),
  alias: accept({ kind: "alias" }),
  unknown: reject("alias_not_found"),
};

test.each([
  ["reply", true, "inbound"],
  ["alias", true, "outside"],
  ["unknown", true, "outside"],
  ["reply", false, "inbound"],
  ["alias", false, "inbound"],
] as const)("mail to a recipient of kind %s; a provider forwards: %s; it goes %s", async (name, onlyReplies, way) => {
  const ways: string[] = [];
  const inbound = {
    resolve: async () => recipients[name] as never,
    receive: async () => {
      ways.push("inbound");
      return reply(250, "2.0.0", "OK");
    },
  };
  const outside = {
    send: async () => {
      ways.push("outside");
      return outcomeOnly({ kind: "taken" });
    },
    close: async () => {},
  };
  const budget = { take: () => true, give: () => {} };
  const domains = new Set(["kauke.test"]);
  const transport = ownDomainTransport(outside, { inbound, domains, onlyReplies, mailHost: "mx.kauke.test", budget });
  const mail = outgoingMail({ rcptTo: "somebody@kauke.test" });
  expect(await sendingBy(transport).send(mail)).toEqual({ kind: "taken" });
  expect(await sendingBy(transport).send(outgoingMail())).toEqual({ kind: "taken" });
  const handedOver = outgoingMail({ rcptTo: "somebody@kauke.test", lastFailure: "at_provider" });
  expect(await sendingBy(transport).send(handedOver)).toEqual({ kind: "taken" });
  expect(ways).toEqual([way, "outside", "outside"]);
});
