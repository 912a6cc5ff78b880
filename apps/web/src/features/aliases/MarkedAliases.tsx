import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useMarkedAliases } from "../../api/aliases.ts";
import { useUser } from "../../api/session/session.ts";
import { followMarked } from "./delete-aliases.ts";

/** After a reload, and for what another tab deletes, the undo is offered on this page, too. */
export function MarkedAliases() {
  const client = useQueryClient();
  const { id } = useUser();
  const marked = useMarkedAliases(id);
  useEffect(() => {
    if (marked !== undefined) followMarked(client, id, marked);
  }, [client, id, marked]);
  return null;
}
