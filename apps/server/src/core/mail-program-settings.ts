/** What a mail program must know to send as an alias. Its incoming server has an empty mailbox. */
export interface MailProgramSettings {
  host: string;
  ports: { submission: number; submissions: number; pop3s: number };
}

export const usualMailPorts = { submission: 587, submissions: 465, pop3s: 995 } as const;
