/**
 * Lets an embedded node lie for a minute, so that an operator sees how a lie is caught. Only nodes whose answers are
 * checked can lie: the lie about a block's state contradicts the block's hash, so no caller gets it.
 */
import * as Integrity from "@plumbline/gateway/integrity/Integrity"
import type { LieDrill, Upstream } from "@plumbline/gateway/networks/Upstream"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import * as Catalogue from "@plumbline/tamper/catalogue/Catalogue"
import * as Tamper from "@plumbline/tamper/tell/Tamper"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

import type { EmbeddedNetwork } from "../config/ServiceSettings.ts"

/** Time for which a node lies, in milliseconds. It ends by itself, whatever happens to the page that began it. */
export const LASTS = 60_000

/** The nodes that lie. */
export interface EmbeddedLies {
  /**
   * Returns a node that lies while it is told to. A call with a false answer is marked with the order. Wrap only nodes
   * whose answers are checked.
   */
  readonly around: (node: EmbeddedNetwork, upstream: Upstream) => Upstream
  /** Lets a node lie from now on, by order of an operator. A node that lies already keeps its earlier order. */
  readonly begin: (node: EmbeddedNetwork, by: string) => void
  /** Returns the milliseconds for which a node still lies; 0 if it is honest. */
  readonly left: (node: EmbeddedNetwork) => number
}

/** The lie: every block has another state. */
const LIE = Catalogue.byName("state-root")!

/** An order, with its end by the monotonic clock. */
interface GivenOrder {
  readonly drill: LieDrill
  readonly end: number
}

export const make: Effect.Effect<EmbeddedLies> = Effect.map(Clock.Clock, (clock) => {
  const orders = new Map<EmbeddedNetwork, GivenOrder>()
  // The clock must be monotonic: if it went back by an hour, a node would lie for an hour longer.
  const now = (): number => Monotonic.millis(clock)
  const left = (node: EmbeddedNetwork): number => Math.max(0, (orders.get(node)?.end ?? 0) - now())
  return {
    begin: (node, by) => {
      if (left(node) > 0) return
      const at = clock.currentTimeMillisUnsafe()
      orders.set(node, { drill: { by, at, until: at + LASTS }, end: now() + LASTS })
    },
    left,
    around: (node, upstream) => {
      const honest = Integrity.transportOf(upstream)
      const call: Upstream["call"] = (method, params) => {
        const order = orders.get(node)
        return order !== undefined && order.end > now() && LIE.methods.includes(method)
          ? Integrity.drillMark.pipe(
              Effect.flatMap((mark) =>
                Tamper.make(LIE, { onTold: () => mark(order.drill) })(honest).call({ method, params })
              ),
              Effect.map((told) => encoder.encode(JSON.stringify(told))),
              // an answer that is no block, such as an error, stays as it is
              Effect.catch(() => upstream.call(method, params))
            )
          : upstream.call(method, params)
      }
      return { ...upstream, call }
    }
  }
})

const encoder = new TextEncoder()
