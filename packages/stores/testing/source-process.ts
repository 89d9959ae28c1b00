// How a test starts a process of its own from the sources.

/** For Node: as this process was started, with the libraries that a run of tests has bundled. */
export const sourceArguments: readonly string[] = [
  "--conditions=source",
  ...process.execArgv.filter((argument) => argument.startsWith("--import=")),
]

const { PATH, NODE_COMPILE_CACHE } = process.env

/**
 * A bare environment, with the compiled code that a run of tests keeps: without it, each process
 * would compile everything anew.
 */
export const sourceEnvironment = { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
