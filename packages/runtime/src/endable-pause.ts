/** A pause of a loop, which whoever has news for it can end. */
export interface EndablePause {
  pause(ms: number): Promise<void>
  /** Ends the pause that is under way, if there is one. */
  end(): void
}

export function endablePause(): EndablePause {
  let endNow = (): void => undefined
  return {
    async pause(ms) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms)
        endNow = resolve
      })
      clearTimeout(timer)
    },
    end: () => endNow(),
  }
}
