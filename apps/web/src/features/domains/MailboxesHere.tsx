import type { AccountDomainWire } from "@kauke/contract";
import { TriangleAlert } from "lucide-react";
import { useMailboxes } from "../../api/mailboxes.ts";
import { t } from "../../texts/texts.ts";
import { mailboxesHere } from "./mailboxes-here.ts";

export function MailboxesHere({ domain }: { domain: AccountDomainWire }) {
  const { data = [] } = useMailboxes();
  const here = mailboxesHere(domain, data);
  if (here.length === 0) return null;
  return (
    <div className="note" role="status">
      <TriangleAlert className="i" aria-hidden />
      <div className="min-w-0">
        {t(
          "Your aliases forward to mailboxes on this domain: {addresses}. With its MX record, mail for the domain comes to this server, where only aliases get it, so choose other mailboxes.",
          { addresses: here.join(", ") },
        )}
      </div>
    </div>
  );
}
