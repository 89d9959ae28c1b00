// What the standard types leave out: `finally` waits for a promise that its callback returns.
interface Promise<T> {
  finally(onfinally: () => PromiseLike<unknown>): Promise<T>
}
