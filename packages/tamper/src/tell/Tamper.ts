/** Tells lies through a transport to a true node, for tests of clients. */
import type { Middleware, Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import { oneByOne } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Effect from "effect/Effect"

import type { Lie } from "../lie/Lie.ts"

/** A lie that was told. */
export interface ToldLie {
  readonly lie: string
  readonly method: string
  readonly truth: unknown
  readonly told: unknown
}

/** The share of answers that are lies, the seed, and a listener for lies. */
export interface TamperOptions {
  /** The share of answers that are lies, from 0 to 1. Default: 1. */
  readonly rate?: number | undefined
  /** The seed for choosing answers. The same seed chooses the same answers. Default: 1. */
  readonly seed?: number | undefined
  /**
   * Called for each lie that was told. It is not called for an answer that stays true because it has nothing to change.
   */
  readonly onTold?: ((told: ToldLie) => void) | undefined
}

/** The defaults of the options. */
export const defaults: { readonly rate: number; readonly seed: number } = { rate: 1, seed: 1 }

/**
 * Returns the middleware that tells a lie. Faults of the connection need a server, so with such a fault this middleware
 * leaves every answer true.
 *
 * ```ts import.meta.vitest
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Catalogue, Tamper } from "@plumbline/tamper"
 * import { Effect } from "effect"
 *
 * const call: Transport.Transport["Service"]["call"] = () => Effect.succeed("0x5")
 * const liar = Tamper.make(Catalogue.byName("balance")!)({ call, callAll: Transport.oneByOne(call) })
 * await Effect.runPromise(liar.call({ method: "eth_getBalance", params: [] })) // => "0xffffffffffffffffff"
 * await Effect.runPromise(liar.call({ method: "eth_gasPrice", params: [] })) // => "0x5"
 * ```
 */
export const make = (lie: Lie, options?: TamperOptions): Middleware => random([lie], options)

/**
 * Returns a middleware for several lies. In each answer it tells one lie, which it chooses from the lies that change
 * the method.
 *
 * ```ts import.meta.vitest
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Catalogue, Tamper } from "@plumbline/tamper"
 * import { Effect } from "effect"
 *
 * const call: Transport.Transport["Service"]["call"] = () => Effect.succeed("0x5")
 * const liar = Tamper.random(Catalogue.lies, { seed: 7 })({ call, callAll: Transport.oneByOne(call) })
 * const balance = await Effect.runPromise(liar.call({ method: "eth_getBalance", params: ["0x1", "latest"] }))
 * balance === "0x5" // => false
 * ```
 */
export const random =
  (lies: ReadonlyArray<Lie>, { onTold, rate = defaults.rate, seed = defaults.seed }: TamperOptions = {}): Middleware =>
  (node) => {
    const next = numbers(seed)
    const counts = new Map<string, number>()
    const ask = (method: string, params: ReadonlyArray<unknown>) => node.call({ method, params })
    const call: Transport["Service"]["call"] = (call) => {
      const { method, params } = call
      const possible = lies.filter(({ methods }) => methods.includes(method))
      const lie = possible[Math.floor(next() * possible.length)]
      if (lie === undefined || lie.how._tag === "Line" || next() >= rate) return node.call(call)
      const { how, name } = lie
      return Effect.flatMap(node.call(call), (truth) => {
        const count = counts.get(name) ?? 0
        counts.set(name, count + 1)
        return Effect.tap(how.tell(truth, { method, params, count, ask }), (told) =>
          Effect.sync(() => differs(truth, told) && onTold?.({ lie: name, method, truth, told }))
        )
      })
    }
    return { call, callAll: oneByOne(call) }
  }

/**
 * True if two JSON values are not the same. The order of members counts, because a lie keeps the parts that it does not
 * change.
 */
const differs = (a: unknown, b: unknown): boolean => a !== b && JSON.stringify(a) !== JSON.stringify(b)

/** Returns a generator of numbers from 0 up to, not including, 1 (mulberry32). */
const numbers = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
