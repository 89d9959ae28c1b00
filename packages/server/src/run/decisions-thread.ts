import { parentPort, workerData } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { offer, openCalls, serve } from "@assay/runtime/rpc"
import { openDecisions } from "@assay/stores/open/open-database"
import { journalFolder } from "../decisions/fold.ts"
import { deleteSetAside } from "../decisions/journal-files.ts"
import { tellOnce } from "../decisions/tell-once.ts"
import { reviewQueue } from "../review/review-queue.ts"
import { queuedText } from "../review/queued-decisions.ts"
import { openModels } from "../score/models.ts"
import { decisionsPort, type DecisionsThreadData, type DecisionsWriter } from "./ports.ts"

if (parentPort === null) throw new Error("decisions-thread runs as a thread of the primary process")
const { place, journal, models, reviewDays, workersRun } = workerData as DecisionsThreadData
const channel = threadChannel(parentPort)
const callPrimary = openCalls(channel)(30_000)
const onFolded = tellOnce(async (decisions) => {
  await callPrimary("onFolded", decisions)
})
const toReview = reviewQueue({
  loadModels: () => openModels(models),
  days: reviewDays,
  now: Date.now,
  async add(queued) {
    await callPrimary("addQueued", queuedText(queued))
  },
})

async function open(): Promise<DecisionsWriter> {
  const decisions = await openDecisions(place, {
    connections: 2,
    // A primary that does not answer has nobody to tell; the next failure is reported anew.
    moveFailed: (code) => void callPrimary("moveFailed", code).catch(() => undefined),
  })
  return {
    ...decisions,
    fold: journalFolder({ journal, decisions, onFolded, toReview, workersRun }),
    async forgetBefore(day) {
      deleteSetAside(journal, Date.parse(day))
      return await decisions.forgetBefore(day)
    },
  }
}
serve(channel, offer(decisionsPort, open()))
