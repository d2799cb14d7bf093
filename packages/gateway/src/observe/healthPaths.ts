/** The paths `/health`, `/livez` and `/readyz`. `/ready` is the older name of `/readyz`. */
import { Buffer } from "node:buffer"

import * as Effect from "effect/Effect"

import { JSON_TYPE } from "../http/exchange.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import type { HttpRoute } from "../http/httpRoute.ts"
import { type SpawnFiber, proceed } from "../http/requestFibers.ts"
import type { ServiceStatus } from "../pipeline/serviceStatus.ts"
import * as ServiceProblems from "./ServiceProblems.ts"

/** Makes the route of these paths. */
export const make = (options: {
  readonly status: Effect.Effect<ServiceStatus>
  /** Adds what only `/health` tells, because finding it out may take seconds. */
  readonly detailed: (status: ServiceStatus) => Effect.Effect<ServiceStatus>
  readonly isDraining: () => boolean
  readonly fork: SpawnFiber
}): HttpRoute => {
  const { detailed, fork, isDraining, status } = options
  return {
    name: "probes",
    serve: (exchange, { path }) => {
      const asked = paths.get(path)
      if (asked === undefined) return false
      // no CORS: the names of networks and nodes are for programs, not for pages of other sites
      exchange.common = []
      const send = ({ body, code }: HealthAnswer) =>
        exchange.send(code, JSON_TYPE, NO_STORE, Buffer.from(JSON.stringify(body)))
      const { method } = exchange.request
      if (method !== "GET" && method !== "HEAD") exchange.refuse(HttpRefusal.methodNotAllowed("GET, HEAD"))
      else if (asked === "Alive") send(alive)
      else {
        const found = asked === "Health" ? Effect.flatMap(status, detailed) : status
        proceed(fork, exchange, found, (status) => send(answer(asked, status, isDraining())))
      }
      return true
    }
  }
}

const paths: ReadonlyMap<string, HealthPath | "Alive"> = new Map([
  ["/health", "Health"],
  ["/ready", "Ready"],
  ["/readyz", "Readiness"],
  ["/livez", "Alive"]
])

/** A path whose answer depends on the state of the service. */
export type HealthPath = "Health" | "Ready" | "Readiness"

const NO_STORE: ReadonlyArray<string> = ["cache-control", "no-store"]

/** A JSON object and its HTTP status. */
export interface HealthAnswer {
  readonly code: 200 | 503
  readonly body: object
}

/**
 * The answer of `/livez`, for supervisors that restart a hanging process. The answer does not depend on any state. So
 * it is also given while the service drains and while nodes and stores are down, when a restart would not help.
 */
export const alive: HealthAnswer = { code: 200, body: { status: "alive" } }

/**
 * Returns the answer of a path.
 *
 * - `/health` is for people. It is 200 and lists every degraded part. During shutdown it is 503, as load balancers
 *   without `/readyz` expect.
 * - `/readyz` is for load balancers. It is 503, with the reasons, during shutdown and while no call could be answered.
 * - `/ready` is the older form of `/readyz`.
 */
export const answer = (asked: HealthPath, status: ServiceStatus, draining: boolean): HealthAnswer => {
  const degraded = degradedOf(status)
  if (asked === "Health") {
    const { cache: _, ...open } = status
    const word = draining ? "draining" : degraded.length > 0 ? "degraded" : "ok"
    return { code: draining ? 503 : 200, body: { status: word, degraded, ...open, networks: shown(status) } }
  }
  const isReady = !draining && canServe(status)
  const word = isReady ? "ready" : draining ? "draining" : "unavailable"
  const reasons = [...(draining ? ["the service is shutting down"] : []), ...(isReady ? [] : degraded)]
  return {
    code: isReady ? 200 : 503,
    body: asked === "Readiness" ? { status: word, reasons } : { status: word, ...(isReady ? {} : { degraded }) }
  }
}

/**
 * This path is open to everyone, so it leaves out counts, times and errors of nodes, which are for operators. Lies are
 * included, because they concern everyone.
 */
const shown = ({ networks }: ServiceStatus) =>
  networks.map(({ upstreams, ...network }) =>
    upstreams === undefined
      ? network
      : {
          ...network,
          upstreams: upstreams.map(({ behind, lies, name, problem, state }) => ({
            name,
            state,
            ...(problem === undefined ? {} : { problem }),
            behind,
            ...(lies === undefined ? {} : { lies })
          }))
        }
  )

/**
 * Returns a sentence for each degraded part. Networks and nodes appear with the operator's names, which hold no
 * secrets.
 */
export const degradedOf = ({
  accounts,
  beacon = [],
  ipfs,
  limiter,
  metering,
  networks,
  workers
}: ServiceStatus): ReadonlyArray<string> => [
  ...(workers === undefined || workers.running === workers.wanted
    ? []
    : [`workers: ${workers.running} of ${workers.wanted} run`]),
  ...(workers === undefined || workers.outdated === 0
    ? []
    : [`workers: ${workers.outdated} of ${workers.wanted} follow an earlier configuration`]),
  ...networks.flatMap(({ name, trust, unproven, upstream, upstreams: nodes = [] }) =>
    ServiceProblems.ofNetwork({ upstream, nodes, unproven, warnings: trust?.problems }).map(
      (problem) => `network ${name}: ${problem}`
    )
  ),
  ...(ipfs?.nodes ?? []).flatMap(({ name, state }) => {
    if (state === "down") return [`IPFS: node ${name} is down`]
    return state === "lies" ? [`IPFS: node ${name} lies: its bytes did not match their CID, and it is asked last`] : []
  }),
  ...(ipfs?.cache?.problem === undefined
    ? []
    : [`IPFS: the folder of the cache cannot be used: ${ipfs.cache.problem}`]),
  ...beacon.flatMap(({ name, state }) => {
    if (state === "following") return []
    return state === "behind"
      ? [`beacon ${name}: no beacon node can be followed, only kept data is served`]
      : [`beacon ${name}: two valid updates contradict each other; it follows nothing until the next start`]
  }),
  ...ServiceProblems.ofStores({ accounts, limiter, metering })
]

/**
 * False if no network has a node that gets calls and answers, or if the store of projects is down: then no key can be looked up.
 *
 * A node that lies counts unless it is set aside: it gets calls, and each answer is checked.
 *
 * A node without probes always counts as answering: its state comes from calls alone, so if callers stayed away, no
 * call would ever show that it is up again. An archive of light client data does not count: it also serves what it has
 * while it follows nothing, and all processes share it. The stores of limits and of usage do not count: their state comes from
 * calls too, and all processes share them, so sending callers to another process would not help.
 */
const canServe = ({ accounts, networks }: ServiceStatus): boolean =>
  accounts.store === "up" &&
  networks.some(
    ({ upstreams }) =>
      upstreams === undefined ||
      upstreams.some(
        ({ isAside = false, state }) => state === "up" || state === "untried" || (state === "lies" && !isAside)
      )
  )
