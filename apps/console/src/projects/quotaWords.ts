/** Says in words how much of a limit per day is used. */
import { grouped } from "../look/TextFormats.ts"

/** Says how many credits of a limit per day are used, and how many are left. */
export const usedAndLeft = ({ allowed, used }: { readonly allowed: number; readonly used: number }): string =>
  `${grouped(used)} of ${grouped(allowed)} credits used, ${grouped(Math.max(0, allowed - used))} left`

/** Explains that the usage of a day can be more than what a limit has counted. */
export const COUNTED_FROM = "A limit counts from 00:00 UTC, or from when it was set if that was later."
