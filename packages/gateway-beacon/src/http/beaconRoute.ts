/** The route of the beacon API: `/<name>/v3/<key>/eth/v1/...`, or `/v3/<key>/eth/v1/...` at the host of a network. */
import * as BeaconApi from "@plumbline/beacon-light-client/api/BeaconApi"
import * as Redaction from "@plumbline/gateway/errors/Redaction"
import {
  type AdmittedCaller,
  callerOf,
  type HttpExchange,
  type HttpRoute,
  membersOf,
  proceed,
  type ProductTerms,
  type Serving,
  type WorkOutcome
} from "@plumbline/gateway/GatewayInternals"
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import * as LimitExceeded from "@plumbline/gateway/limits/LimitExceeded"
import * as Usage from "@plumbline/gateway/metering/Usage"
import * as Effect from "effect/Effect"

import type { BeaconArchive } from "../archive/BeaconArchive.ts"
import * as BeaconCalls from "./beaconCalls.ts"
import * as HeadEvents from "./headEvents.ts"

/** The terms of refusals: those of JSON-RPC calls, in words that clients of the beacon API can show. */
const terms: ProductTerms = {
  product: "rpc",
  limit: (project, costs) => ({ project, credits: costs.charged(0, 400) }),
  credits: (costs, status) => costs.charged(0, status),
  notListed: HttpRefusal.make(
    403,
    "rejected due to project ID settings: the project's allowlist of networks lacks this network"
  ),
  exceeded: (status, { message }, headers) => HttpRefusal.make(status, message, headers)
}

const ALLOW = "GET, HEAD, OPTIONS"

const PREFLIGHT = [
  "access-control-allow-origin",
  "*",
  "access-control-allow-methods",
  ALLOW,
  "access-control-allow-headers",
  "accept, authorization, x-request-id, traceparent",
  "access-control-max-age",
  "600"
]

export const make = (
  { budget, exchanges, fork, inFlight, isDraining, live, pipeline }: Serving,
  byName: ReadonlyMap<string, BeaconArchive>
): HttpRoute => {
  const events = HeadEvents.make({ fork, isDraining })

  /** Runs an admitted call. It is recorded and charged before its answer is sent. */
  const run = (
    exchange: HttpExchange,
    { config, holder, place, rules }: AdmittedCaller,
    archive: BeaconArchive,
    call: BeaconCalls.BeaconCall
  ): Effect.Effect<BeaconCalls.BeaconAnswer> => {
    const { costs, wording } = config.settings
    const { headers, method: verb = "" } = exchange.request
    const method = nameOf(call)
    const cost = call._tag === "Invalid" ? costs.charged(0, 400) : costs.call(place, method)
    const outcome = (
      answer: BeaconCalls.BeaconAnswer,
      how?: Usage.UsageOutcome
    ): WorkOutcome<BeaconCalls.BeaconAnswer> => ({
      answer,
      usages: [
        {
          project: holder.project.id,
          product: terms.product,
          network: place,
          method,
          status: answer.status,
          key: holder.key.id,
          calls: 1,
          credits: costs.charged(cost, answer.status),
          bytesIn: exchange.bytesIn,
          bytesOut: verb === "HEAD" ? 0 : answer.body.length,
          outcome: how
        }
      ]
    })
    const unavailable = () => outcome(BeaconCalls.failure(503, HttpRefusal.unavailable.text, ["retry-after", "1"]))
    const work = Effect.suspend(() => {
      const refused = refusalOf(verb, rules, method)
      if (refused !== undefined) return Effect.succeed(refused)
      if (call._tag === "Events") {
        return Effect.succeed(events.hasRoom(holder.project.id) ? BeaconCalls.streamed : BeaconCalls.busy)
      }
      return read(archive, call, headers.accept ?? "", (bytes) => budget.raise(exchange, bytes))
    })
    return pipeline.settlement.run({
      project: holder.project,
      users: config.users,
      credits: cost,
      members: membersOf(holder, 1),
      work: () => Effect.map(work, (answer) => outcome(answer)),
      exceeded: (exceeded) => {
        const { error, headers, status } = LimitExceeded.answer(exceeded, wording)
        return outcome(BeaconCalls.failure(status, error.message, headers), Usage.overLimit(exceeded.limit))
      },
      closed: unavailable,
      unmetered: unavailable
    })
  }

  const serve = (exchange: HttpExchange, { call, chain, key, place }: FoundCall) => {
    const { request } = exchange
    if (request.method === "OPTIONS") return exchange.empty(204, PREFLIGHT)
    const from = live.current.settings.callerOf(request)
    const caller = { ...callerOf(request), key, host: request.headers.host, network: undefined }
    const opened = pipeline.openBasic(from, caller, place, terms, call && nameOf(call))
    proceed(fork, exchange, opened, (admitted) => {
      // If the caller disconnected during the lookup of the project, nothing is recorded or charged.
      if (exchange.response.destroyed) return
      if (call === undefined) return exchanges.refuse(exchange, admitted, HttpRefusal.notFound)
      if (inFlight.size > admitted.config.settings.limits.requests) {
        return exchanges.refuse(exchange, admitted, HttpRefusal.busy)
      }
      exchange.isAccountedFor = true
      proceed(fork, exchange, run(exchange, admitted, chain, call), (ended) => {
        const isStream = call._tag === "Events" && ended.status === 200 && request.method === "GET"
        if (isStream && events.begin(exchange, chain, call, admitted.holder.project.id)) return
        const { body, headers, status } = isStream ? BeaconCalls.busy : ended
        exchange.send(status, [], headers, body)
      })
    })
  }

  return {
    name: "beacon",
    serve: (exchange, { host, path, query }) => {
      const keyed = keyedOf(path)
      if (keyed === undefined) return false
      const place = keyed.name ?? live.current.route(host ?? exchange.request.headers.host).name
      const chain = byName.get(place)
      if (chain === undefined) return false
      serve(exchange, { place, chain, key: keyed.key, call: callOf(keyed.call, query) })
      return true
    }
  }
}

interface FoundCall {
  readonly place: string
  readonly chain: BeaconArchive
  readonly key: string
  /** Undefined for a path that is no call of light clients. */
  readonly call: BeaconCalls.BeaconCall | undefined
}

/** An invalid call is recorded as one that the API does not have. */
const nameOf = (call: BeaconCalls.BeaconCall): string =>
  call._tag === "Invalid" ? Usage.UNKNOWN_METHOD : BeaconCalls.NAMES[call._tag]

const callOf = (path: string, query: string): BeaconCalls.BeaconCall | undefined => {
  if (path !== "events") return BeaconApi.parse(path, query)
  const parsed = HeadEvents.parse(query)
  return typeof parsed === "string" ? { _tag: "Invalid", problem: parsed } : parsed
}

const PATH = /^(?:\/([^/]+))?\/v3\/([^/]+)\/eth\/v1\/(.+)$/u

/** Parses the name of a chain, the key and the call of a path. Returns undefined for every other path. */
const keyedOf = (path: string) => {
  const found = PATH.exec(path)
  return found === null ? undefined : { name: found[1], key: found[2]!, call: found[3]! }
}

/** Returns the refusal of a call by its verb or by the project's allowlist. */
const refusalOf = (
  verb: string,
  rules: AdmittedCaller["rules"],
  method: string
): BeaconCalls.BeaconAnswer | undefined => {
  if (verb !== "GET" && verb !== "HEAD") return BeaconCalls.failure(405, "method not allowed", ["allow", ALLOW])
  if (rules.call(method, [])) return undefined
  const text = `rejected due to project ID settings: the project's allowlist of methods lacks ${method}`
  return BeaconCalls.failure(403, text)
}

const read = (
  archive: BeaconArchive,
  call: Parameters<typeof BeaconCalls.answer>[1],
  accept: string,
  hasRoom: (bytes: number) => boolean
): Effect.Effect<BeaconCalls.BeaconAnswer> =>
  Effect.catch(BeaconCalls.answer(archive, call, accept, hasRoom), (error) =>
    Effect.as(
      Effect.logWarning("light client data cannot be read", Redaction.text(error.message)),
      BeaconCalls.failure(503, HttpRefusal.unavailable.text, ["retry-after", "1"])
    )
  )
