/**
 * Who asked something, and hears once of the answer or of the failure: before the call returns, or
 * later where something has to be waited for. The hot path uses it instead of promises, which cost
 * a turn of their queue at every step, also where the value is there.
 */
export interface Asker<T> {
  // Neither may throw: what tells several askers would leave out the rest.
  answered(value: T): void
  failed(error: unknown): void
}

/** For callers that wait anyway. */
export function asked<T>(ask: (asker: Asker<T>) => void): Promise<T> {
  return new Promise((answered, failed) => ask({ answered, failed }))
}

/** An asker of something that another answer is made of. */
export function afterwards<T, U>(
  answer: (value: T) => U,
  { answered, failed }: Asker<U>,
): Asker<T> {
  return {
    answered(value) {
      let made: U
      try {
        made = answer(value)
      } catch (error) {
        failed(error)
        return
      }
      answered(made)
    },
    failed,
  }
}
