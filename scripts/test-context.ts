// Run before a test file, see run-tests.ts. node:test asks which test a promise or an error belongs
// to by a hook that is called for every promise there is and for its collection: a fifth of the
// processor time of a file that sends requests. AsyncLocalStorage knows without hooks, and
// node:test, which takes these functions once when it is loaded, is given it instead. Who loads
// them later has Node's own.
import hooks, { AsyncLocalStorage } from "node:async_hooks"
import { createRequire } from "node:module"
import { isMainThread } from "node:worker_threads"

type Init = (id: number, type: string, trigger: number, resource: object) => void

/** Threads and processes of a test begin with this too, and need no tests. */
const isTestFile = /(?:\.test\.m?[jt]s|run-file-group\.ts)$/.test(process.argv[1] ?? "")
if (isMainThread && isTestFile) giveContext()

function giveContext(): void {
  const { AsyncResource, createHook, executionAsyncId } = hooks
  const current = new AsyncLocalStorage<number>()
  let made: Init = () => undefined
  class Scope extends AsyncResource {
    constructor(type: string) {
      super(type)
      made(this.asyncId(), type, this.triggerAsyncId(), this)
    }
    override runInAsyncScope<This, Result>(
      run: (this: This, ...given: unknown[]) => Result,
      that?: This,
      ...given: unknown[]
    ): Result {
      const id = this.asyncId()
      return super.runInAsyncScope(() =>
        current.run(id, () => Reflect.apply(run, that, given) as Result),
      )
    }
  }
  Object.assign(hooks, {
    AsyncResource: Scope,
    // Of all that is made, only tests themselves are told.
    createHook: ({ init }: { readonly init: Init }) => ({
      enable: () => void (made = init),
      disable: () => undefined,
    }),
    executionAsyncId: () => current.getStore() ?? executionAsyncId(),
  })
  createRequire(import.meta.url)("node:test")
  Object.assign(hooks, { AsyncResource, createHook, executionAsyncId })
}
