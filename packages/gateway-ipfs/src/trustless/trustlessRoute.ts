/** The route of the trustless gateway: the paths `/ipfs/<cid>` and `/v3/<key>/ipfs/<cid>`. */
import type { KeyHolder } from "@plumbline/gateway/accounts/Account"
import * as Allowlist from "@plumbline/gateway/accounts/Allowlist"
import {
  type HttpExchange,
  type HttpRoute,
  proceed,
  IPFS_PLACE,
  callerOf,
  type Serving
} from "@plumbline/gateway/GatewayInternals"
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import type { ProjectLimits } from "@plumbline/gateway/limits/ProjectLimits"

import * as CommandRateLimit from "../http/commandRateLimit.ts"
import type { IpfsSettings } from "../IpfsOptions.ts"
import * as TrustlessHeaders from "./trustlessHeaders.ts"
import * as TrustlessServer from "./trustlessServer.ts"

export const make = (
  { budget, exchanges, fork, inFlight, live, pipeline, turns }: Serving,
  settings: IpfsSettings
): HttpRoute => {
  const { access, limits } = settings.gateway
  const server = TrustlessServer.make({ settings, budget, settlement: pipeline.settlement, turns, fork })
  /** The project for all callers without a key; undefined if such callers are refused. */
  const everyone = access === "public" ? publicHolder(limits) : undefined

  const answer = (exchange: HttpExchange, { key, ...target }: KeyedPath) => {
    const { request } = exchange
    // The nodes of this configuration stay open until the request has ended.
    const { users } = live.current
    users.add(exchange)
    exchange.response.once("close", () => users.delete(exchange))
    exchange.common = TrustlessHeaders.COMMON
    if (request.method === "OPTIONS") return exchange.empty(204, TrustlessHeaders.PREFLIGHT)
    const from = live.current.settings.callerOf(request)
    const caller = { ...callerOf(request), key, host: request.headers.host, network: undefined }
    const isPublic = everyone !== undefined && key === undefined && caller.authorization === undefined
    const opened = isPublic
      ? pipeline.openAs(from, everyone, caller, IPFS_PLACE, CommandRateLimit.terms)
      : pipeline.openBasic(from, caller, IPFS_PLACE, CommandRateLimit.terms)
    proceed(fork, exchange, opened, (admitted) => {
      // If the caller disconnected during the lookup of the project, work that starts now would never be interrupted.
      if (exchange.response.destroyed) return
      if (inFlight.size > admitted.config.settings.limits.requests) {
        return exchanges.refuse(exchange, admitted, HttpRefusal.busy)
      }
      server.serve(exchange, admitted, target, isPublic)
    })
  }

  return {
    serve: (exchange, { path, query }) => {
      const keyed = keyedOf(path, query)
      if (keyed === undefined) return false
      answer(exchange, keyed)
      return true
    }
  }
}

/** The target of a request, with the key in its path. */
interface KeyedPath extends TrustlessServer.TrustlessTarget {
  readonly key: string | undefined
}

const PREFIX = "/ipfs/"
const VERSION = "/v3/"

/** Parses a path. Returns undefined if it is not a path of the trustless gateway. */
const keyedOf = (path: string, query: string): KeyedPath | undefined => {
  if (path.startsWith(PREFIX)) return { key: undefined, path: path.slice(PREFIX.length), query }
  if (!path.startsWith(VERSION)) return undefined
  const end = path.indexOf("/", VERSION.length)
  return end !== -1 && path.startsWith(PREFIX, end)
    ? { key: path.slice(VERSION.length, end), path: path.slice(end + PREFIX.length), query }
    : undefined
}

/** Makes the project for callers without a key. It is not in the store, so no request can use its key. */
const publicHolder = (limits: ProjectLimits): KeyHolder => ({
  account: { id: PUBLIC, name: PUBLIC, card: true },
  project: {
    id: PUBLIC,
    account: PUBLIC,
    name: PUBLIC,
    suspended: false,
    secretRequired: false,
    allowlist: Allowlist.none,
    limits
  },
  key: { id: PUBLIC, project: PUBLIC, start: "", createdAt: 0, endsAt: null, label: null, expiresAt: null, limits: {} },
  secretHash: ""
})

const PUBLIC = "public"
