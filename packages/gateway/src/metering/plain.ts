/**
 * Recording by plain function calls, for requests that have no fiber. An Effect around each of them costs more than the
 * recording.
 */
import type * as Exit from "effect/Exit"

import type { MeteringError } from "./MeteringError.ts"
import type { Usage } from "./Usage.ts"

export interface Plain {
  /** Returns the reason why nothing can be recorded now; undefined if usages are taken. */
  readonly obstacle: () => MeteringError | undefined
  /**
   * Records usages as `recordAll` does, and calls back once, perhaps before it returns. Returns false, without a record or
   * a call, if there is no room for them now: `recordAll` waits for it.
   */
  readonly record: (usages: ReadonlyArray<Usage>, told: (exit: Exit.Exit<void, MeteringError>) => void) => boolean
}

/** The parts of a `Metering` that its plain way stands for. A service with another one of them has no plain way. */
interface Replaced {
  readonly ready: object
  readonly recordAll: object
}

const ways = new WeakMap<object, { readonly of: Replaced; readonly plain: Plain }>()

/** Remembers the plain way of a service. */
export const set = (of: Replaced, plain: Plain): void => void ways.set(of.recordAll, { of, plain })

/** Returns the plain way of a service, if it has one. */
export const of = ({ ready, recordAll }: Replaced): Plain | undefined => {
  const way = ways.get(recordAll)
  return way?.of.ready === ready ? way.plain : undefined
}
