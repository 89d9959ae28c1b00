/**
 * Runs the steps one after the other, whether or not earlier ones failed, and throws the first
 * error at the end. `onFault` gets each error when it happens: a later step may take long.
 */
export async function everyStep(
  steps: readonly (() => unknown)[],
  onFault: (error: unknown) => void,
): Promise<void> {
  const faults: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      faults.push(error)
      onFault(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}
