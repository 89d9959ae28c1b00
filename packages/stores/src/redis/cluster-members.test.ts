import assert from "node:assert/strict"
import { test } from "node:test"
import { readMembers } from "./cluster-members.ts"

test("members of a cluster are read with their role, their state and how much they have", () => {
  const text = [
    "07c3 10.0.0.2:6379@16379,host-b slave e7d1 0 1426238317239 4 connected",
    "67ed 10.0.0.3:6379@16379 master,fail - 1426238316232 1426238316232 2 disconnected 5461-10922",
    "e7d1 10.0.0.1:6379@16379 myself,master - 0 0 1 connected 0-5460 [93-<-67ed]",
    "9a12 10.0.0.4:6379@16379 master - 0 1426238316232 3 connected 10923 10925-16383",
    "",
  ].join("\n")
  assert.deepEqual(readMembers(text), [
    { address: "10.0.0.1:6379", role: "primary", isWell: true, parts: 5461 },
    { address: "10.0.0.2:6379", role: "replica", isWell: true, parts: 0 },
    { address: "10.0.0.3:6379", role: "primary", isWell: false, parts: 5462 },
    { address: "10.0.0.4:6379", role: "primary", isWell: true, parts: 5460 },
  ])
})
