/** Keeps a run from holding the event loop, and ends a run that is cancelled or has become useless. */

/** A run that was cancelled, or a probe that ran long enough. */
export class RunStopped {
  readonly why: "cancelled" | "probe"
  constructor(why: "cancelled" | "probe") {
    this.why = why
  }
}

/** Milliseconds that a run works before it lets others run. */
const SLICE = 8

/** The number of turns that a run goes on after its first missing read, to find further ones. */
const PROBE_TURNS = 20_000

export interface Pace {
  /** Called wherever a run has worked a little, or is about to. Returns a promise if it is others' turn. */
  readonly turn: () => Promise<void> | undefined
}

/** `isProbe` is true once a read was missing. */
export const make = (signal: AbortSignal, isProbe: () => boolean): Pace => {
  let since = performance.now()
  let probed = 0
  return {
    turn: () => {
      if (isProbe() && ++probed > PROBE_TURNS) throw new RunStopped("probe")
      if (performance.now() - since < SLICE) return undefined
      return pause().then(() => {
        since = performance.now()
        if (signal.aborted) throw new RunStopped("cancelled")
      })
    }
  }
}

/** A turn of the event loop, in which timers and sockets run. Timers of browsers wait 4 ms; a message waits less. */
const pause = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener("message", () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(null)
  })
