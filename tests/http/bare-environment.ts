/**
 * The environment of a process under test. It holds nothing of ours but the PATH and, if the runner
 * keeps compiled code for all tests, its folder, so that not every process compiles anew.
 */
export function bareEnvironment(): Record<string, string> {
  const { PATH = "", NODE_COMPILE_CACHE: compiledCode } = process.env
  return { PATH, ...(compiledCode !== undefined && { NODE_COMPILE_CACHE: compiledCode }) }
}
