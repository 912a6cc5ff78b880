import type { NoticeWire } from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "./client.ts";

const queryKey = ["notices"];

export function useNotices() {
  return useQuery({ queryKey, queryFn: async () => (await call("listNotices")).notices });
}

export function useDismissNotice() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (noticeId: string) => call("dismissNotice", { params: { noticeId } }),
    onMutate: (noticeId) => {
      const before = client.getQueryData<NoticeWire[]>(queryKey);
      client.setQueryData<NoticeWire[]>(queryKey, (notices) => notices?.filter((notice) => notice.id !== noticeId));
      return before;
    },
    onError: (_error, _id, before) => client.setQueryData(queryKey, before),
  });
}
