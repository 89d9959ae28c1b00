import type { BlockParser, RowSink } from "./format.ts"

const LF = 10

/** Lines of an address and a password; whatever follows the first delimiter is the password. */
export function combolistParser(delimiter: string): BlockParser {
  return {
    parse(block: Buffer, sink: RowSink): number {
      let line = 0
      for (let at = 0; at < block.length;) {
        const end = block.indexOf(LF, at)
        const stop = end === -1 ? block.length : end
        line++
        const text = block.toString("latin1", at, stop)
        at = stop + 1
        const cut = text.indexOf(delimiter)
        if (cut === -1) {
          sink.reject(line, "no-delimiter")
          continue
        }
        sink.row(line, {
          subject: "email",
          identity: text.slice(0, cut),
          secret: text.slice(cut + delimiter.length),
          secretClass: null,
          secretIsHash: false,
          kind: null,
          hours: null,
          item: null,
          confidence: null,
          classes: NO_CLASSES,
          value: null,
        })
      }
      return line
    },
  }
}

const NO_CLASSES: readonly never[] = []
