/**
 * Records usage by plain function calls, for requests that have no fiber. An Effect around each call would cost more
 * than the recording.
 */
import type * as Exit from "effect/Exit"

import type { MeteringError } from "./MeteringError.ts"
import type { Usage } from "./Usage.ts"

export interface PlainMetering {
  /** Returns the reason why nothing can be recorded now; undefined if usages are accepted. */
  readonly obstacle: () => MeteringError | undefined
  /**
   * Records usages as `recordAll` does. Calls `told` once, perhaps before `record` returns. If the open batch has no
   * room, it returns false, records nothing and does not call `told`; then use `recordAll`, which waits for room.
   */
  readonly record: (usages: ReadonlyArray<Usage>, told: (exit: Exit.Exit<void, MeteringError>) => void) => boolean
}

/**
 * The functions of a `Metering` that `PlainMetering` replaces. If a service has replaced one of them, its `PlainMetering` is not used.
 */
interface Replaced {
  readonly ready: object
  readonly recordAll: object
}

const ways = new WeakMap<object, { readonly of: Replaced; readonly plain: PlainMetering }>()

/** Registers the plain functions of a service. */
export const set = (of: Replaced, plain: PlainMetering): void => void ways.set(of.recordAll, { of, plain })

/** Returns the plain functions of a service, if it has them. */
export const of = ({ ready, recordAll }: Replaced): PlainMetering | undefined => {
  const way = ways.get(recordAll)
  return way?.of.ready === ready ? way.plain : undefined
}
