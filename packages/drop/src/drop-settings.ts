import type { LogLevel } from "@assay/runtime/log"
import type { DropConfig } from "./drop-config.ts"

/** All that the process of the drop knows of the service: it reads no settings itself. */
export interface DropSettings {
  readonly drop: DropConfig
  /** null: 127.0.0.1 and ::1. */
  readonly host: string | null
  /** The drop's own, in the data directory. */
  readonly folder: string
  readonly stopSeconds: number
  readonly logLevel: LogLevel
  /** Of the program, as its digest names it. */
  readonly version: string
}
