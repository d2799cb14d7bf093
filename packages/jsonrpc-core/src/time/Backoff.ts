/**
 * Waits that grow from failure to failure.
 */

/**
 * The wait before the next try. `initial` and `max` are milliseconds; each failure multiplies the wait by `factor`, and
 * a random part of up to `jitter` (0.5 is half) is taken off.
 */
export interface Backoff {
  readonly initial: number
  readonly factor: number
  readonly max: number
  readonly jitter: number
}

/**
 * Returns the wait in milliseconds after some earlier failures: `initial` after none. `random` is from 0 to 1, and
 * decides the part that is taken off.
 *
 * ```ts import.meta.vitest
 * import { Backoff } from "@plumbline/jsonrpc-core"
 *
 * const backoff = { initial: 100, factor: 2, max: 5000, jitter: 0.5 }
 * Backoff.delay(backoff, 0, 0) // => 100
 * Backoff.delay(backoff, 2, 1) // => 200
 * Backoff.delay(backoff, 1000, 0) // => 5000
 * ```
 */
export const delay = ({ factor, initial, jitter, max }: Backoff, failures: number, random: number): number =>
  Math.min(max, initial * factor ** failures) * (1 - jitter * random)
