import type { PhoneSignalProvider } from "../signals.ts"

export interface ProviderCheck {
  readonly id: string
  /** Why it cannot be spoken to; null where it can. */
  readonly fault: string | null
}

/**
 * Longer than a call for a request may take: a person waits, and slow is another fault than wrong.
 */
const CHECK_MS = 10_000

/** Whether each provider takes our credentials. Names no number to anyone. */
export async function checkProviders(
  providers: readonly PhoneSignalProvider[],
): Promise<ProviderCheck[]> {
  const abort = AbortSignal.timeout(CHECK_MS)
  const faultOf = (provider: PhoneSignalProvider): Promise<string | null> =>
    provider.check(abort).then(
      () => null,
      (error: unknown) => (error as Error).message,
    )
  return await Promise.all(
    providers.map(async (provider) => ({ id: provider.id, fault: await faultOf(provider) })),
  )
}
