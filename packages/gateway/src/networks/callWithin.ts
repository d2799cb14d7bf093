/**
 * Calls with a built-in time limit. A time limit around an Effect is two fibers and a timer for each call; a node that
 * has a timer for its calls anyway needs neither.
 */
import type { Upstream } from "./Upstream.ts"

/** Like `call`. After the given milliseconds it fails with `TimedOut`. */
export type CallWithin = (
  method: string,
  params: ReadonlyArray<unknown>,
  millis: number
) => ReturnType<Upstream["call"]>

/** Keyed by the `call` of an upstream, so that replacing `call` replaces both. */
const ways = new WeakMap<Upstream["call"], CallWithin>()

export const set = (call: Upstream["call"], within: CallWithin): void => void ways.set(call, within)

export const of = ({ call }: Upstream): CallWithin | undefined => ways.get(call)
