/**
 * The environment of a process under test: nothing of ours but where programs are found and, where
 * the runner keeps compiled code for all tests, that place, so that not every process compiles
 * anew.
 */
export function bareEnvironment(): Record<string, string> {
  const { PATH = "", NODE_COMPILE_CACHE: compiledCode } = process.env
  return { PATH, ...(compiledCode !== undefined && { NODE_COMPILE_CACHE: compiledCode }) }
}
