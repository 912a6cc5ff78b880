@rem For cmd.exe, which has no exec: the npm scripts begin with it so that npm's signals reach the launcher itself.
@%*
