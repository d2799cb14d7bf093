/** Three processes of the service behind nginx, over one Postgres, one Redis and the same nodes. */
import { HistoryChain, PreparedState, StarknetPool } from "@plumbline/devnet"
import { AdminToken } from "@plumbline/gateway-admin"
import * as Redis from "@plumbline/gateway/support/redis"
import * as Postgres from "@plumbline/gateway/support/servers"
import { Effect, Redacted } from "effect"

import * as Member from "../member.ts"
import * as Nodes from "../nodes.ts"
import * as Operator from "../operator.ts"
import * as Service from "../service.ts"
import type { Target } from "../target.ts"
import * as Nginx from "./nginx.ts"
import * as SharedNodes from "./sharedNodes.ts"

export interface Cluster {
  /** The service as clients reach it through nginx. */
  readonly target: Target
  readonly secure: Nginx.Nginx["secure"]
  readonly members: ReadonlyArray<Member.Member>
  /** The number of calls that each process has sent to the history chain, of one method or of all. */
  readonly counted: (method?: string) => ReadonlyArray<number>
  /** The folder in which the IPFS node keeps its blocks. */
  readonly blocks: string
}

/** The reason why the cluster cannot be started here; undefined if it can. */
export const skipped: string | undefined = Postgres.postgresSkipped ?? Redis.redisSkipped ?? Nginx.skipped

const NAMES = ["first", "second", "third"]

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
    const configuration = (name: string) => ({
      server: { port: 0, trustedProxies: ["127.0.0.1"], workers },
      networks: {
        live: { chainId: PreparedState.chainId, upstreams: [{ url: nodes.live }] },
        history: { chainId: HistoryChain.chainId, upstreams: [{ url: `${nodes.history}/${name}` }] },
        "starknet-pool": { chainId: Number(StarknetPool.CHAIN_ID), kind: "starknet", upstreams: [{ url: nodes.pool }] },
        unsealed: { chainId: 1, upstreams: [{ url: nodes.unsealed }] }
      },
      ipfs: { node: nodes.ipfs },
      state: { postgres: Redacted.value(database), redis: Redacted.value(redis.url) },
      // All processes share one machine, so a Redis that answers late for lack of a processor is not down.
      limits: { timeout: "10s" },
      admin: { token }
    })
    const members = yield* Effect.forEach(
      NAMES,
      (name) =>
        Effect.acquireRelease(
          Effect.promise(() => Member.start(folder, name, configuration(name))),
          ({ kill }) => Effect.promise(kill)
        ),
      { concurrency: "unbounded" }
    )
    const { port, secure } = yield* Nginx.start(
      members.map(({ port }) => port),
      Nodes.hosts
    )
    const projects = yield* Effect.promise(() => Operator.makeProjects({ port, adminToken: token }))
    const cluster: Cluster = {
      target: { port, adminToken: token, projects },
      secure,
      members,
      counted: (method) => NAMES.map((name) => nodes.counted(name, method)),
      blocks: nodes.blocks
    }
    return cluster
  }).pipe(Service.quiet)
