/** Ends what one command wrote to stdout and stderr, where one process runs several; after it the exit code follows. */
export const endMark = "\0end\0";
