// Loaded before a program that is profiled. It ends its children by closing their channel, at which
// they exit, and never by SIGKILL: only a process that exits writes its profile, and that takes it
// longer than a child is otherwise given.
import { ChildProcess } from "node:child_process"

type Kill = (this: ChildProcess, signal?: NodeJS.Signals | number) => boolean
const { kill } = ChildProcess.prototype as { readonly kill: Kill }

ChildProcess.prototype.kill = function (signal) {
  if (signal !== "SIGKILL") return kill.call(this, signal)
  if (this.connected) this.disconnect()
  return true
}
