/** What every client is made to look like, so that one run fits them all. */
import type { Seen } from "./seen.ts"
import type { Read } from "./truth.ts"

/** A client, and how it reads. */
export interface Contender {
  readonly title: string
  /** Whether it checks what it is told: then no false answer may pass. */
  readonly verifies: boolean
  /** Reads from a server until it is done or told to stop. It never fails: what goes wrong is seen. */
  readonly perform: (read: Read, url: string, signal: AbortSignal) => Promise<Seen>
}

/** How long clients shall wait for a silent server, in milliseconds, where they can be told. */
export const PATIENCE = 1000

/** The most that clients shall hold of one answer, where they can be told: 1 MiB. */
export const MAX_BYTES = 1024 * 1024
