import { readHeader } from "@kauke/mail-rfc";
import { testWholeMessages, type WholeMessage } from "@kauke/mail-rfc/whole-message-cost.testing";
import { readMessageFields } from "./calendar-fields.ts";
import { owner } from "./calendars.testing.ts";
import { findOwnerParts, type OwnerParts, writeOwnerParts } from "./owner-invitations.ts";
import { type CalendarPlan, planCalendars, writeCalendars } from "./rewrite-calendars.ts";

const toAlias = { addressFor: () => "shop@kauke.test", nameFor: (name: string) => name, unreadable: "remove" } as const;
const fieldsOf = ({ header }: WholeMessage) => readMessageFields({ header, fields: readHeader(header).fields });

testWholeMessages({
  *"calendars to be forwarded"({ header, body }) {
    let plan: CalendarPlan = { kind: "keep" };
    yield () => {
      plan = planCalendars(fieldsOf({ header, body }), () => body);
    };
    yield () => (plan.kind === "edit" ? writeCalendars(plan.edits, body, toAlias) : null);
  },
  *"parts that name the owner"({ header, body }) {
    let found: OwnerParts = { edits: [], reports: [] };
    yield () => {
      found = findOwnerParts(fieldsOf({ header, body }), body);
    };
    yield () => writeOwnerParts(body, found, { ...owner, isOwnMailbox: () => true });
  },
});
