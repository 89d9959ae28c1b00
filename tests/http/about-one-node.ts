import { basename } from "node:path"
import { severalNodes } from "./shared-stores.ts"

/**
 * The files of this folder that start a service and are by their nature about one node, with what
 * in them is. With ASSAY_TEST_NODES they are not run; all others are.
 */
export const FILES_ABOUT_ONE_NODE: Readonly<Record<string, string>> = {
  "compilers.test.ts": "it compares what the compilers of one process make of the code",
  "context.test.ts": "it kills and searches the files of one data directory",
  "crash.test.ts": "nodes.test.ts and nodes-under-load.test.ts kill several",
  "decisions-crash.test.ts": "it looks at the processes and the journal of one node",
  "decisions.test.ts": "it reads, damages and starts anew on the files of one node",
  "descriptors.test.ts": "it looks at the files and processes of one node",
  "drop-canaries.test.ts": "the drop stays on one host",
  "drop-demo.test.ts": "the drop stays on one host",
  "drop-plain-hang-up.test.ts": "the drop stays on one host",
  "drop-plain.test.ts": "the drop stays on one host",
  "drop-recipients.test.ts": "the drop stays on one host",
  "drop.test.ts": "the drop stays on one host",
  "every-operation.test.ts": "it sends what is no HTTP, which a balancer answers itself",
  "hardening.test.ts": "it sends what is no HTTP, which a balancer answers itself",
  "hostile.test.ts": "it measures the processes of one node",
  "imports-engines.test.ts": "it chooses the engines itself",
  "imports-held.test.ts": "it stops and measures the processes of one node",
  "limits-attack.test.ts": "it stops the primary of one node",
  "lists-overrides.test.ts": "lists are files of each node",
  "lists.test.ts": "lists are files of each node",
  "models.test.ts": "models are files of each node",
  "network.test.ts": "what was learnt of mail servers is a file of each node",
  "nodes-counted.test.ts": "it starts its nodes itself",
  "nodes-first-upgrade.test.ts": "it starts its nodes itself",
  "nodes-matrix.test.ts": "it starts its nodes itself",
  "nodes-segments.test.ts": "it starts its nodes itself",
  "nodes-upgrade.test.ts": "it starts its nodes itself",
  "nodes.test.ts": "it starts its nodes itself",
  "nodes-under-load.test.ts": "it starts its nodes itself",
  "oidc-faults.test.ts": "each node remembers for itself what the provider said, or that it failed",
  "older-data.test.ts": "it starts on data directories of older versions",
  "people-crash.test.ts": "it chooses the engines itself",
  "people-privacy.test.ts": "it backs up and searches the files of one data directory",
  "policy-running.test.ts": "it chooses the engines itself and looks at the processes of one node",
  "postgres.test.ts": "it chooses the engines itself",
  "redis.test.ts": "it chooses the engines itself",
  "reload.test.ts": "it has the workers of one node replaced",
  "service-levels.test.ts": "figures are measured by each node for itself",
  "sign-up-crash.test.ts": "it chooses the engines itself",
  "sinks-crash.test.ts": "it chooses the engines itself",
  "sources.test.ts": "it writes to the index of a data directory",
  "start.test.ts": "it is about one data directory and its first start",
  "webhooks-crash.test.ts": "it chooses the engines itself",
  "workers.test.ts": "it looks at the processes of one node",
}

/** Why a file is about one node; null where it may be about several. */
export function aboutOneNode(file: string): string | null {
  return FILES_ABOUT_ONE_NODE[basename(file)] ?? null
}

/** For the `skip` of a single test that is about one node, in a file that is otherwise not. */
export function ofOneNode(reason: string): string | false {
  return severalNodes && `about one node: ${reason}`
}
