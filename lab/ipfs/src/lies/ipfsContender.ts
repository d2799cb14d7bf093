/** The common interface of all clients, so that the same code runs all of them. */
import type { Seen } from "./ipfsObservation.ts"
import type { Read } from "./trueContent.ts"

/** A client with its reads. */
export interface Contender {
  readonly title: string
  /** True if the client checks answers. Such a client must accept no false answer. */
  readonly verifies: boolean
  /** Reads from a server until it is done or aborted. It never fails: an error is a value of `Seen`. */
  readonly perform: (read: Read, url: string, signal: AbortSignal) => Promise<Seen>
}

/** The time in milliseconds that clients wait for a silent server, for clients with such a setting. */
export const PATIENCE = 1000

/** Maximum number of bytes of one answer that clients hold, for clients with such a setting: 1 MiB. */
export const MAX_BYTES = 1024 * 1024
