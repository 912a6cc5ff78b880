/** State of a password manager's export from the chosen file to the choice of addresses. It is kept in memory only. */
import { useState } from "react";
import { useDomains } from "../../../api/domains.ts";
import { groupLogins, type LoginGroup } from "../export-file/login-groups.ts";
import { problemText } from "../export-file/problem-text.ts";
import { readExportFile } from "../export-file/read-export-file.ts";

interface ReadExport {
  program: string;
  entries: number;
  groups: LoginGroup[];
}

export function useExportFile() {
  const { data: domains = [] } = useDomains();
  const [isReading, setIsReading] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [read, setRead] = useState<ReadExport | null>(null);
  const onFile = async (file: File) => {
    setIsReading(true);
    setError(null);
    const answer = await readExportFile(file);
    setIsReading(false);
    if ("problem" in answer) return setError(problemText(answer.problem, answer.program, file.name));
    const { program, entries, logins } = answer.result;
    const groups = groupLogins(logins, { domains });
    if (groups.length === 0) return setError(`No login in “${file.name}” has an e-mail address that needs a change.`);
    setRead({ program, entries, groups });
  };
  const clear = () => {
    setRead(null);
    setError(null);
  };
  return { isReading, error, read, onFile: (file: File) => void onFile(file), clear };
}
