/** Written to stdout and stderr after the output of each command of `kauke-process.ts`; on stdout the exit code follows. */
export const endMark = "\0end\0";
