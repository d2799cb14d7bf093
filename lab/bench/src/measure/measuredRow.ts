/** A row of the table: the same work, done by our code and by other libraries. */

/**
 * Does the work once, and returns its result. Each operation of the run has a number, starting at `first`. Two runs
 * never share a number, so a contender can distinguish its requests.
 */
export type Run = (first: number) => unknown

/** Work that causes cost in other processes, or that needs preparation. */
export interface Metered {
  readonly run: Run
  /** Returns the nanoseconds of processor time that the work has used until now. Default: the time of this process. */
  readonly used?: () => number
  /** Prepares one turn. The preparation is not measured. */
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
  /** Maximum nanoseconds per operation that we want to reach, if the goal is not a ratio. */
  readonly ceiling?: number
  readonly ours: Contender
  readonly peers: Readonly<Record<string, Contender>>
  /** Other work to show beside the row. It is not a peer, and its result is not compared. */
  readonly yardsticks?: Readonly<Record<string, Contender>>
  /**
   * Converts a complete result into a form that is the same for all libraries. All results must be equal before the row
   * is measured.
   */
  readonly show?: (result: any) => string
  /** True if runs are promises. Each run then begins when the previous one has ended. */
  readonly waits?: boolean
  /**
   * The quantity that is compared. Default: processor time, which other programs on the machine change little. `both`
   * makes two lines from the same turns, and the goal then applies to the time on the clock.
   */
  readonly meter?: "processor" | "clock" | "both"
  /** True if the table shows operations per second of one core instead of times. */
  readonly isRate?: boolean
  /** Limits the number of rounds, for long work. */
  readonly rounds?: number
  /**
   * Milliseconds before the first turn, in which connections are made and code is compiled. Default: 150, or 500 for
   * work that waits.
   */
  readonly warmUp?: number
  /** Milliseconds of one turn. Default: 8, or 100 for work that waits. */
  readonly turn?: number
}

export interface Part {
  readonly name: string
  /** Starts the servers that the rows need. */
  readonly open: () => Promise<Opened>
}

export interface Opened {
  readonly rows: ReadonlyArray<Row>
  /** The notes about the source of the inputs, and about missing contenders. */
  readonly notes?: ReadonlyArray<string>
  readonly close?: () => Promise<void>
}

/** Makes a part that needs no servers. */
export const part = (name: string, rows: ReadonlyArray<Row>): Part => ({ name, open: () => Promise.resolve({ rows }) })
