import { parentPort, workerData } from "node:worker_threads"
import { journalFolder } from "../decisions/fold.ts"
import { deleteSetAside } from "../decisions/journal-files.ts"
import { tellOnce } from "../decisions/tell-once.ts"
import type { DecisionErasure, Decisions } from "@assay/stores/decisions"
import { openDecisions } from "@assay/stores/open/open-database"
import { threadChannel } from "@assay/runtime/channels"
import type { DecisionsThreadData } from "./decisions-place.ts"
import { serve, openCalls } from "@assay/runtime/rpc"

const { place, journal } = workerData as DecisionsThreadData

if (parentPort === null) throw new Error("decisions-thread runs as a thread of the primary process")
const channel = threadChannel(parentPort)
const callPrimary = openCalls(channel)(30_000)
const onFolded = tellOnce(async (decisions) => {
  await callPrimary("onFolded", decisions)
})

/** Calls wait for the opening, so its failure reaches whoever called first. */
const opening = openDecisions(place, { connections: 2 })
const folding = opening.then((decisions) => journalFolder({ journal, decisions, onFolded }))
serve(channel, {
  fold: async () => await (await folding)(),
  async forgetBefore(day: string) {
    deleteSetAside(journal, Date.parse(day))
    return await (await opening).forgetBefore(day)
  },
  ofIdentity: async (query: Parameters<Decisions["ofIdentity"]>[0]) =>
    await (await opening).ofIdentity(query),
  eraseIdentity: async (erasure: DecisionErasure) => await (await opening).eraseIdentity(erasure),
  close: async () => await (await opening).close(),
})
// Told to the first caller; until there is one, it must not end the process as unhandled.
folding.catch(() => undefined)
