/**
 * Limits by plain function calls, for requests that have no fiber. Counts in memory answer at once; an Effect around each
 * of them costs more than the counting.
 */
import type { Members } from "./KeyLimits.ts"
import type { Reservation } from "./LimiterStore.ts"
import type { LimitExceeded } from "./LimitExceeded.ts"
import type { Limits } from "./Limits.ts"

/**
 * An admitted call. It must be settled when it has ended, whatever its outcome.
 */
export interface Admission {
  readonly _tag: "Admission"
  /** The store's reservation; undefined without a limit, or if the store was down and `whenDown` is `open`. */
  readonly reservation: Reservation | undefined
}

export interface Plain {
  /** Admits or refuses a call as `admit` does; undefined, and nothing is taken, if a store must be asked. */
  readonly admit: (
    project: string,
    limits: Limits,
    credits: number,
    members: Members | undefined
  ) => Admission | LimitExceeded | undefined
  /** Takes one request from the bucket of an address as `admitAddress` does; undefined if a store must be asked. */
  readonly admitAddress: (address: string) => Admission | LimitExceeded | undefined
  /** Settles an admission of this `admit`. */
  readonly settle: (admission: Admission, charged: number) => void
}

/** The functions of a `Limiter` that its plain way stands for. A service with another one of them has no plain way. */
interface Replaced {
  readonly admit: object
  readonly admitAddress: object
  readonly settle: object
}

const ways = new WeakMap<object, { readonly of: Replaced; readonly plain: Plain }>()

/** Remembers the plain way of a service. */
export const set = (of: Replaced, plain: Plain): void => void ways.set(of.admit, { of, plain })

/** Returns the plain way of a service, if it has one. */
export const of = ({ admit, admitAddress, settle }: Replaced): Plain | undefined => {
  const way = ways.get(admit)
  return way?.of.settle === settle && way.of.admitAddress === admitAddress ? way.plain : undefined
}
