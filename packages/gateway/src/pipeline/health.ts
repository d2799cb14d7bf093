/** The paths `/health` and `/ready`. */
import { Buffer } from "node:buffer"

import type * as Effect from "effect/Effect"

import { JSON_TYPE } from "../http/exchange.ts"
import { type Fork, proceed } from "../http/fork.ts"
import * as Refusal from "../http/Refusal.ts"
import type { Route } from "../http/route.ts"
import type { Status } from "./status.ts"

/** The route of both paths. */
export const make = (options: {
  readonly status: Effect.Effect<Status>
  readonly isDraining: () => boolean
  readonly fork: Fork
}): Route => {
  const { fork, isDraining, status } = options
  return {
    serve: (exchange, { path }) => {
      const asked = path === "/health" ? "Health" : path === "/ready" ? "Ready" : undefined
      if (asked === undefined) return false
      const { method } = exchange.request
      if (method === "GET" || method === "HEAD") {
        proceed(fork, exchange, status, (found) => {
          const { body, code } = answer(asked, found, isDraining())
          exchange.send(code, JSON_TYPE, NO_STORE, Buffer.from(JSON.stringify(body)))
        })
      } else {
        exchange.refuse(Refusal.methodNotAllowed("GET, HEAD"))
      }
      return true
    }
  }
}

const NO_STORE: ReadonlyArray<string> = ["cache-control", "no-store"]

/** A JSON object and its HTTP status. */
export interface Answer {
  readonly code: 200 | 503
  readonly body: object
}

/**
 * Returns the answer of a path. `/health` is for supervisors and people: 200 as long as the process answers, with a
 * list of everything degraded. It is 503 only during shutdown, as load balancers without `/ready` expect. `/ready` is
 * for load balancers: 503 during shutdown, and while no call could be answered.
 */
export const answer = (asked: "Health" | "Ready", status: Status, draining: boolean): Answer => {
  const degraded = degradedOf(status)
  if (asked === "Ready") {
    const isReady = !draining && canServe(status)
    return {
      code: isReady ? 200 : 503,
      body: { status: isReady ? "ready" : draining ? "draining" : "unavailable", ...(isReady ? {} : { degraded }) }
    }
  }
  const word = draining ? "draining" : degraded.length > 0 ? "degraded" : "ok"
  return { code: draining ? 503 : 200, body: { status: word, degraded, ...status } }
}

/** Returns the degraded parts, a sentence each. Names of networks and nodes are the operator's, and no secrets. */
export const degradedOf = ({ limiter, metering, networks }: Status): ReadonlyArray<string> => [
  ...networks.flatMap(({ name, upstream, upstreams = [] }) => {
    const nodes = upstreams.flatMap(({ name: node, problem, state }) =>
      state === "down" || state === "wrong"
        ? [`network ${name}: ${node} ${problem === undefined ? "is down" : `gets no calls: ${problem}`}`]
        : []
    )
    return upstream === "down" || upstream === "wrong" ? [`network ${name}: no node answers`, ...nodes] : nodes
  }),
  ...(limiter.store === "down"
    ? [`limits: the store is down, calls are ${limiter.whenDown === "open" ? "let through uncounted" : "refused"}`]
    : []),
  ...(metering.store === "down" ? ["usage: the store is down"] : [])
]

/**
 * False if no network has a node that answers. A node without probes of its own always counts as answering: its state
 * comes from calls alone, so if callers stayed away, no call would ever show that it is back. The stores do not count:
 * all processes share them, so sending callers to another process would not help.
 */
const canServe = ({ networks }: Status): boolean =>
  networks.some(
    ({ upstreams }) => upstreams === undefined || upstreams.some(({ state }) => state === "up" || state === "untried")
  )
