/**
 * Takes the steps one after the other, each whatever became of those before it, and throws the
 * first fault at the end. `onFault` hears of each fault when it happens: a later step may take
 * long.
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
