/** The handlers of the admin API for the service itself. */
import type { Accounts } from "@plumbline/gateway/accounts/Accounts"
import type { SettingError } from "@plumbline/gateway/errors/SettingError"
import type { UnauthorizedRequests } from "@plumbline/gateway/Gateway"
import type { NetworkDetails, ServiceStatus } from "@plumbline/gateway/GatewayInternals"
import type { Limiter } from "@plumbline/gateway/limits/Limiter"
import type { Metering } from "@plumbline/gateway/metering/Metering"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"

import { noService } from "./accountHandlers.ts"
import * as AdminApi from "./AdminApi.ts"
import * as AdminError from "./AdminError.ts"
import { Caller, visible } from "./adminIdentity.ts"
import type { Collection, NodeStatus, Reloaded } from "./AdminModel.ts"
import type { LieRow } from "./adminTables.ts"
import type { AuditedChanges } from "./auditedChanges.ts"
import type { NodeLieCount, NodeLies } from "./nodeLies.ts"
import * as Versions from "./stateVersions.ts"
import { toAdminError } from "./storeFailures.ts"

/**
 * The operations of the service. A request that needs an absent operation gets 404 with the kind `service`, except that
 * an absent `status`, `networks` or `lies` counts as empty.
 */
export interface Operations {
  /** Returns `status` of the `Gateway`. Without this member no networks are shown. */
  readonly status?: Effect.Effect<ServiceStatus> | undefined
  /** Returns `networks` of the `Gateway`. Without this member, answers contain no hosts and no heads of networks. */
  readonly networks?: Effect.Effect<ReadonlyArray<NetworkDetails>> | undefined
  /**
   * Reads the configuration again. Returns the settings that changed, and those whose change takes effect only after a
   * restart. If the configuration is invalid, the operation fails with a `SettingError`, and the previous configuration
   * stays. The operation continues if the caller disconnects.
   */
  readonly reload?: Effect.Effect<typeof Reloaded.Type, SettingError> | undefined
  /** Sends a packet to a network, as `read` of the `Gateway` does. Returns undefined for an unknown network. */
  readonly read?: ((network: string, packet: Uint8Array) => Effect.Effect<Uint8Array | undefined>) | undefined
  /** Returns `unauthorized` of the `Gateway`. */
  readonly unauthorized?: Effect.Effect<UnauthorizedRequests> | undefined
  /**
   * Returns the lies of nodes since the process started, such as those that `Integrity` found. The database adds them
   * to the lies that other processes found.
   */
  readonly lies?: (() => ReadonlyArray<NodeLieCount>) | undefined
  /** Lets embedded nodes lie, if the service has such nodes. */
  readonly liar?: Liar | undefined
  /** True if the service has IPFS. */
  readonly ipfs?: boolean | undefined
  /** Removes unpinned content from the IPFS node, and returns the number of removed blocks. */
  readonly collect?: Effect.Effect<number, unknown> | undefined
}

/** Lets the embedded node of a network lie for a minute, so that operators see how the service refuses a lie. */
export interface Liar {
  /** Returns the milliseconds for which the node of a network still lies; undefined if it cannot be told to lie. */
  readonly left: (network: string) => number | undefined
  /** Returns the name of that node; undefined if it cannot be told to lie. */
  readonly nodeOf: (network: string) => string | undefined
  /** Lets the node lie for `lastsMillis` from now, by order of an operator. A node that lies already is left as it is. */
  readonly begin: (network: string, by: string) => void
  readonly lastsMillis: number
}

export const serviceGroup = (behind: {
  readonly accounts: Pick<Accounts["Service"], "state">
  readonly changes: AuditedChanges
  readonly lies: NodeLies
  readonly limiter: Limiter["Service"]
  readonly sql: SqlClient.SqlClient
  readonly metering: Metering["Service"]
  readonly operations: () => Operations
  /** The scope in which background work runs. */
  readonly scope: Scope.Scope
}) =>
  HttpApiBuilder.group(AdminApi.Api, "service", (handlers) => {
    const { accounts, changes, lies, limiter, metering, operations, scope, sql } = behind
    const versions = Versions.make(
      sql,
      Effect.gen(function* () {
        const { networks } = yield* operations().status ?? Effect.succeed({ networks: [] })
        const { store } = yield* metering.status
        return {
          networks: networks.map(({ name, upstream, upstreams = [] }) => [
            name,
            upstream,
            upstreams.map(({ isAside, name, state }) => [name, state, isAside])
          ]),
          stores: [accounts.state(), store, limiter.state().store],
          lies: (operations().lies?.() ?? []).map(({ count }) => count)
        }
      })
    )
    /**
     * Writes the entry before the work begins. The work can take long, and in one transaction with the entry it would
     * block all other changes.
     */
    const asked = (action: string) => toAdminError(changes.make({ action, work: Effect.void, target: "" }))
    let collection: Collection = { running: false, last: null }

    const collect = Effect.fnUntraced(function* (work: Effect.Effect<number, unknown>) {
      collection = { ...collection, running: true }
      const exit = yield* Effect.exit(work)
      const removed = Exit.isSuccess(exit) ? exit.value : null
      collection = { running: false, last: { endedAt: yield* Clock.currentTimeMillis, removed } }
      yield* removed === null
        ? Effect.logError("the IPFS node could not collect garbage")
        : Effect.annotateLogs(Effect.logInfo("garbage of the IPFS node collected"), { removed })
    })

    /** Returns the lies that all processes found, with those of this process up to now if the database takes them in time. */
    const allLies = Effect.andThen(
      Effect.ignore(Effect.timeoutOrElse(lies.write, { duration: WRITE_WAIT, orElse: () => Effect.void })),
      lies.list
    )

    /** The same; undefined if the database does not tell them in time, because the status is for such times too. */
    const knownLies = Effect.suspend(() => (accounts.state() === "down" ? Effect.succeed(undefined) : allLies)).pipe(
      Effect.timeoutOrElse({ duration: LIES_WAIT, orElse: () => Effect.succeed(undefined) }),
      Effect.orElseSucceed(() => undefined)
    )

    const collector = Effect.suspend(() => {
      const { collect } = operations()
      return collect === undefined ? Effect.fail(noService("IPFS node that collects garbage")) : Effect.succeed(collect)
    })

    return handlers.handleAll({
      status: Effect.fnUntraced(function* () {
        const known: Pick<ServiceStatus, "cache" | "networks"> = yield* (
          operations().status ?? Effect.succeed({ networks: [] })
        )
        const details = yield* operations().networks ?? Effect.succeed([])
        const rows = yield* knownLies
        return {
          at: yield* Clock.currentTimeMillis,
          networks: known.networks.map(({ chainId, name, trust, upstream, upstreams = [] }) => {
            const found = details.find((network) => network.name === name)
            const { anchor, checked = false, head, hosts = [], nodes = [] } = found ?? {}
            // workers know more about the nodes than the process that answers here
            const stateOf = (node: string) => nodes.find((one) => one.name === node)?.state
            return {
              name,
              chainId,
              upstream: found?.upstream ?? upstream,
              upstreams: upstreams.map(({ behind = null, name, state }) => ({
                name,
                state: stateOf(name) ?? state,
                behind
              })),
              hosts,
              checked,
              head: head ?? null,
              anchor: anchor === undefined ? null : anchorOf(anchor),
              ...(trust === undefined ? {} : { warnings: trust.problems }),
              nodes: nodes.map((node) => {
                const told = rows?.filter((row) => row.network === name && row.node === node.name)
                const shown = nodeOf(node)
                return { ...shown, lies: (told && liesOf(told)) ?? shown.lies }
              })
            }
          }),
          accounts: { store: accounts.state() },
          limiter: limiter.state(),
          metering: yield* metering.status,
          unauthorized: yield* operations().unauthorized ?? Effect.succeed(null),
          cache: known.cache ?? null
        }
      }),
      reload: Effect.fnUntraced(function* () {
        const { reload } = operations()
        if (reload === undefined) return yield* noService("configuration that can be read again")
        yield* asked("service.reload")
        const reloading = yield* Effect.forkIn(reload, scope)
        return yield* Effect.mapError(
          Fiber.join(reloading),
          ({ message, setting }) => new AdminError.Conflict({ reason: "Misconfigured", id: setting, message })
        )
      }),
      lies: Effect.fnUntraced(function* () {
        const rows = yield* toAdminError(allLies)
        // parameters are those of some customer's call
        const hasAll = (yield* visible) === undefined
        return {
          lies: rows.map(({ check_name: check, count, first_at: firstAt, last_at: lastAt, ...row }) => ({
            params: hasAll ? row.params : null,
            block: row.block_number === null ? null : { number: BigInt(row.block_number), hash: row.block_hash },
            drill: drillOf(row, hasAll),
            network: row.network,
            node: row.node,
            method: row.method,
            check,
            count: BigInt(count),
            firstAt,
            lastAt,
            expected: row.expected,
            got: row.got
          }))
        }
      }),
      changes: ({ query: { since, waitSeconds = 0 } }) =>
        Effect.flatMap(Caller, (caller) => {
          const name = caller?._tag === "Operator" ? `operator ${caller.label}` : `project ${caller?.project}`
          return toAdminError(versions.since(since, waitSeconds * 1000, name))
        }),
      collection: () => Effect.map(collector, () => collection),
      collect: Effect.fnUntraced(function* () {
        const work = yield* collector
        if (!collection.running) {
          yield* asked("ipfs.collect")
          // Another request may have started a collection meanwhile.
          if (!collection.running) yield* Effect.forkIn(collect(work), scope, { startImmediately: true })
        }
        return collection
      }),
      audit: ({ query: { before, limit = 100 } }) =>
        Effect.map(toAdminError(changes.list(before, limit)), (entries) => ({
          entries,
          next: entries.length === limit ? (entries.at(-1)?.id ?? null) : null
        }))
    })
  })

/** Maximum time for which readers wait for the lies of this process to be written. */
const WRITE_WAIT = "500 millis"

/** Maximum time for which the status waits for the lies of nodes. */
const LIES_WAIT = "1 second"

/** Returns the lies of one node, given its rows, newest first; null if there are none. */
const liesOf = (rows: ReadonlyArray<LieRow>): NodeStatus["lies"] => {
  const last = rows[0]
  return last === undefined
    ? null
    : {
        count: rows.reduce((sum, { count }) => sum + count, 0),
        ordered: rows.reduce((sum, { count, drill_at: at }) => (at === null ? sum : sum + count), 0),
        last: { method: last.method, check: last.check_name, at: last.last_at }
      }
}

/** Returns the order of lies; null if there is none. The operator's name is only for callers with all projects. */
const drillOf = (
  { drill_at: at, drill_by: by, drill_until: until }: Pick<LieRow, "drill_at" | "drill_by" | "drill_until">,
  hasAll: boolean
) => (at === null || until === null ? null : { by: hasAll ? by : null, at, until })

const anchorOf = ({ ageMillis, by, finality, hash, number, problem, time }: NonNullable<NetworkDetails["anchor"]>) => ({
  hash: hash ?? null,
  number: number ?? null,
  time: time ?? null,
  ageMillis: ageMillis ?? null,
  by: by ?? null,
  finality: finality ?? null,
  problem: problem ?? null
})

const nodeOf = ({ head, lastError, lies, ...node }: NetworkDetails["nodes"][number]): NodeStatus => ({
  name: node.name,
  state: node.state,
  behind: node.behind ?? null,
  problem: node.problem ?? null,
  head: head === undefined ? null : { number: BigInt(head.number), hash: head.hash ?? null, time: head.time ?? null },
  lagMillis: node.lagMillis ?? null,
  responseMillis: node.responseMillis ?? null,
  lastError: lastError === undefined ? null : { kind: lastError.kind, since: lastError.since, at: lastError.at },
  nextAttemptAt: node.nextAttemptAt === undefined ? null : Math.round(node.nextAttemptAt),
  aside: node.isAside ?? false,
  trustedSince: node.trustedSince === undefined ? null : Math.round(node.trustedSince),
  calls: node.calls ?? null,
  faults: node.faults ?? null,
  faultsBy: node.faultsBy ?? {},
  refusals: node.refusals ?? null,
  hedges: node.hedges ?? null,
  disagreements: node.disagreements ?? null,
  leftToday: node.leftToday ?? null,
  lacks: node.lacks ?? [],
  verdicts: node.verdicts ?? null,
  lies:
    lies === undefined
      ? null
      : { count: lies.count, ordered: lies.ordered ?? 0, last: { ...lies.last, at: Date.parse(lies.last.at) } }
})
