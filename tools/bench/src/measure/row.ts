/** A row of the table: the same work by us and by others. */

/**
 * Does the work once, and returns a value that shows it. Each operation of the run has a number, beginning with
 * `first`. No two runs share a number, so a contender can tell its requests apart.
 */
export type Run = (first: number) => unknown

/** Work that causes cost in other processes, or that needs preparation. */
export interface Metered {
  readonly run: Run
  /** Returns the nanoseconds of processor time that the work has used so far. Default: those of this process. */
  readonly used?: () => number
  /** Prepares one turn, unmeasured. */
  readonly before?: () => Promise<void>
  /** Returns the nanoseconds within which 99 of 100 requests of the turn were answered. */
  readonly tail?: () => number
}

export type Contender = Run | Metered

export interface Row {
  readonly name: string
  /** The number of operations in one run; times are per operation. Default 1. */
  readonly operations?: number
  /** The ratio to the best peer that we want to reach. */
  readonly goal?: number
  /** Nanoseconds per operation that we want to stay below, where the goal is not a ratio. */
  readonly ceiling?: number
  readonly ours: Contender
  readonly peers: Readonly<Record<string, Contender>>
  /** Other work to compare with: not a peer, and its result is not compared. */
  readonly yardsticks?: Readonly<Record<string, Contender>>
  /** Makes the whole result comparable across libraries. All must be the same before anything is measured. */
  readonly show?: (result: any) => string
  /** True if runs are promises: each begins when the one before has ended. */
  readonly waits?: boolean
  /**
   * The quantity that is compared. Default: processor time, which the work of other programs changes little. `both`
   * makes two lines from the same turns, and the goal applies to the clock.
   */
  readonly meter?: "processor" | "clock" | "both"
  /** True if the table shows operations per second of one core instead of times. */
  readonly isRate?: boolean
  /** Limits the number of rounds, for work that is long. */
  readonly rounds?: number
  /** Milliseconds before the first turn, in which connections are made and code is compiled. Default 150, or 500. */
  readonly warmUp?: number
  /** Milliseconds of one turn. Default 8, and 100 for work that waits. */
  readonly turn?: number
}

export interface Part {
  readonly name: string
  /** Starts what the rows need. */
  readonly open: () => Promise<Opened>
}

export interface Opened {
  readonly rows: ReadonlyArray<Row>
  /** Says where the inputs come from, and what is missing. */
  readonly notes?: ReadonlyArray<string>
  readonly close?: () => Promise<void>
}

/** Makes a part that needs no servers. */
export const part = (name: string, rows: ReadonlyArray<Row>): Part => ({ name, open: () => Promise.resolve({ rows }) })
