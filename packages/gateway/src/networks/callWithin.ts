/**
 * Calls with a built-in time limit. A time limit around an Effect costs two fibers and a timer for each call. A node
 * that already has a timer for each call needs no second limit.
 */
import type { Upstream } from "./Upstream.ts"

/** Makes a call like `call`. It fails with `TimedOut` after the given number of milliseconds. */
export type CallWithin = (
  method: string,
  params: ReadonlyArray<unknown>,
  millis: number
) => ReturnType<Upstream["call"]>

/**
 * The `CallWithin` of each upstream, keyed by the upstream's `call`. If a program replaces `call`, the `CallWithin` is
 * not found, and so not used.
 */
const ways = new WeakMap<Upstream["call"], CallWithin>()

export const set = (call: Upstream["call"], within: CallWithin): void => void ways.set(call, within)

export const of = ({ call }: Upstream): CallWithin | undefined => ways.get(call)
