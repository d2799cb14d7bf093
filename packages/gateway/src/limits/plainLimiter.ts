/**
 * Applies limits with plain functions, for requests without a fiber. Counts in memory need no waiting, and an Effect
 * would cost more than the counting.
 */
import type { LimitedMembers } from "./KeyLimits.ts"
import type { Reservation } from "./LimiterStore.ts"
import type { LimitExceeded } from "./LimitExceeded.ts"
import type { ProjectLimits } from "./ProjectLimits.ts"

/**
 * An admitted call. It must be settled after its end, even if it failed.
 */
export interface LimiterAdmission {
  readonly _tag: "Admission"
  /** The store's reservation. Undefined if there is no limit, or if the store was down and `whenDown` is `open`. */
  readonly reservation: Reservation | undefined
}

export interface PlainLimiter {
  /**
   * Does the same as `Limiter.admit`. If a store outside this process must be asked, takes nothing and returns
   * undefined.
   */
  readonly admit: (
    project: string,
    limits: ProjectLimits,
    credits: number,
    members: LimitedMembers | undefined
  ) => LimiterAdmission | LimitExceeded | undefined
  /** Does the same as `Limiter.admitAddress`; undefined if a store outside this process must be asked. */
  readonly admitAddress: (address: string) => LimiterAdmission | LimitExceeded | undefined
  /** Settles an admission that this `admit` returned. */
  readonly settle: (admission: LimiterAdmission, charged: number) => void
}

/**
 * The functions of a `Limiter` that plain functions can replace. If a service has replaced one of the three, its plain
 * functions are not used.
 */
interface Replaced {
  readonly admit: object
  readonly admitAddress: object
  readonly settle: object
}

const ways = new WeakMap<object, { readonly of: Replaced; readonly plain: PlainLimiter }>()

/** Stores the plain functions of a service. */
export const set = (of: Replaced, plain: PlainLimiter): void => void ways.set(of.admit, { of, plain })

/** Returns the plain functions of a service; undefined if it has none. */
export const of = ({ admit, admitAddress, settle }: Replaced): PlainLimiter | undefined => {
  const way = ways.get(admit)
  return way?.of.settle === settle && way.of.admitAddress === admitAddress ? way.plain : undefined
}
