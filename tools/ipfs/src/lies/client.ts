/** The common interface of all clients, so that one run fits them all. */
import type { Seen } from "./seen.ts"
import type { Read } from "./truth.ts"

/** A client, and how it reads. */
export interface Contender {
  readonly title: string
  /** True if the client checks answers: then no false answer may pass. */
  readonly verifies: boolean
  /** Reads from a server until it is done or told to stop. It never fails: an error is a value of `Seen`. */
  readonly perform: (read: Read, url: string, signal: AbortSignal) => Promise<Seen>
}

/** The time that clients wait for a silent server, in milliseconds, if they take such a setting. */
export const PATIENCE = 1000

/** Maximum number of bytes of one answer that clients hold, for clients with such a setting: 1 MiB. */
export const MAX_BYTES = 1024 * 1024
