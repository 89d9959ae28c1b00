import assert from "node:assert/strict"
import type { Cluster, Worker } from "node:cluster"
import { join } from "node:path"
import { test } from "node:test"
import { readConfig } from "../base/config.ts"
import { lockDataDirectory } from "@assay/runtime/data-directory"
import { openLog } from "@assay/runtime/log"
import { temporaryDirectory } from "@assay/stores/testing/second-process-suite"
import type { Program } from "./drop-child.ts"
import { startService } from "./primary.ts"
import { TestWorker } from "../../testing/run/test-worker.ts"

/** A worker whose pipe cannot be closed. */
class StuckWorker extends TestWorker {
  override disconnect(): void {
    throw new Error("the pipe is gone")
  }
}

test("if one part fails to stop, all others are stopped and then the error is thrown", async (t) => {
  const path = join(await temporaryDirectory(t), "data")
  const fork = (): Worker => new StuckWorker(1) as unknown as Worker
  const config = readConfig({ ASSAY_DATA: path, DROP: "off" }, "1")
  const said: string[] = []
  const log = openLog("info", { write: (line) => void said.push(line) })
  const cluster = { fork, setupPrimary: () => undefined } as unknown as Cluster
  const service = await startService(config, log, cluster, { execArgv: [] } as unknown as Program)
  assert.equal(lockDataDirectory(path), null, "the service has the directory")
  await assert.rejects(service.stop(), /the pipe is gone/)
  const lock = lockDataDirectory(path)
  assert.ok(lock, "the directory is free for the next service")
  lock.release()
  assert.ok(said.some((line) => line.includes('"stopped"')))
})
