/**
 * Three processes of the service behind nginx, over one Postgres, one Redis and the same nodes. Their settings are those
 * of the Helm chart with `deploy/helm/production.yaml`.
 */
import * as path from "node:path"

import { HistoryChain, PreparedState, StarknetPool } from "@plumbline/devnet"
import { AdminToken } from "@plumbline/gateway-admin"
import * as Redis from "@plumbline/gateway/support/redis"
import * as Postgres from "@plumbline/gateway/support/servers"
import { Effect, Redacted } from "effect"

import * as Nodes from "../nodes.ts"
import * as Operator from "../operator.ts"
import * as Service from "../service.ts"
import type { Target } from "../target.ts"
import * as Chart from "./chart.ts"
import * as Nginx from "./nginx.ts"
import * as SharedNodes from "./sharedNodes.ts"

export interface Cluster {
  /** The service as clients reach it through nginx. */
  readonly target: Target
  readonly secure: Nginx.Nginx["secure"]
  readonly members: ReadonlyArray<Chart.Pod>
  /** The rendered Deployment of the processes. */
  readonly deployment: Chart.Deployment
  /** The servers that all processes share. */
  readonly servers: { readonly postgres: Postgres.PostgresServer; readonly redis: Redis.RedisServer }
  /** The number of calls that each process has sent to the history chain, of one method or of all. */
  readonly counted: (method?: string) => ReadonlyArray<number>
  /** The folder in which the IPFS node keeps its blocks. */
  readonly blocks: string
}

/** The reason why the cluster cannot be started here; undefined if it can. */
export const skipped: string | undefined =
  Postgres.postgresSkipped ?? Redis.redisSkipped ?? Nginx.skipped ?? Chart.skipped

const NAMES = ["first", "second", "third"]

/** The published values of several processes. */
const PRODUCTION = path.resolve(import.meta.dirname, "../../../../deploy/helm/production.yaml")

/** The values that the cluster adds to the published ones: its networks, and what one machine needs. */
const values = (workers: number) => ({
  secrets: Object.fromEntries(
    ["LIVE_URL", "HISTORY_URL", "POOL_URL", "IPFS_URL"].map((key) => [key, { secret: "plumbline", key }])
  ),
  config: {
    server: { trustedProxies: ["127.0.0.1"], workers },
    networks: {
      live: { chainId: PreparedState.chainId, upstreams: [{ url: "${LIVE_URL}" }] },
      history: { chainId: HistoryChain.chainId, upstreams: [{ url: "${HISTORY_URL}" }] },
      "starknet-pool": {
        chainId: Number(StarknetPool.CHAIN_ID),
        kind: "starknet",
        upstreams: [{ url: "${POOL_URL}" }]
      },
      unsealed: { chainId: 1, upstreams: [{ url: "${NODE_URL}" }] }
    },
    ipfs: { node: "${IPFS_URL}" },
    // All processes share one machine, so a Redis that answers late for lack of a processor is not down.
    limits: { timeout: "10s" }
  }
})

/** Starts the cluster, whose processes have this number of workers each. It ends with the scope. */
export const start = (workers = 1) =>
  Effect.gen(function* () {
    const folder = yield* Service.temporaryFolder
    const [nodes, postgres, redis] = yield* Effect.all(
      [SharedNodes.start(yield* Service.within(folder, "ipfs")), Postgres.postgres, Redis.redis],
      { concurrency: "unbounded" }
    )
    const database = postgres.url(yield* postgres.create)
    const token = Redacted.value(AdminToken.generate())
    const deployment = yield* Effect.promise(() => Chart.render([PRODUCTION, values(workers)]))
    if (deployment.replicas !== NAMES.length) throw new Error("the published nginx has three processes")
    const members = yield* Effect.forEach(
      NAMES,
      (name) =>
        Effect.acquireRelease(
          Effect.promise(() =>
            deployment.start(path.join(folder, name), {
              plumbline: {
                "admin-token": token,
                NODE_URL: nodes.unsealed,
                POSTGRES_URL: Redacted.value(database),
                REDIS_URL: Redacted.value(redis.url),
                LIVE_URL: nodes.live,
                // The node counts the calls of each process.
                HISTORY_URL: `${nodes.history}/${name}`,
                POOL_URL: nodes.pool,
                IPFS_URL: nodes.ipfs
              }
            })
          ),
          ({ kill }) => Effect.promise(kill)
        ),
      { concurrency: "unbounded" }
    )
    const { port, secure } = yield* Nginx.start(
      members.map(({ port }) => port),
      Nodes.hosts
    )
    const operated = { port, adminPort: members[0]!.adminPort, adminToken: token }
    const projects = yield* Effect.promise(() => Operator.makeProjects(operated))
    const cluster: Cluster = {
      target: { ...operated, projects },
      secure,
      members,
      deployment,
      servers: { postgres, redis },
      counted: (method) => NAMES.map((name) => nodes.counted(name, method)),
      blocks: nodes.blocks
    }
    return cluster
  }).pipe(Service.quiet)
