/** A service with one proving network. Its answers are cached in memory and in a file. */
import { Hash32 } from "@plumbline/codec"
import { EthMethods, TrustedBlock } from "@plumbline/eth-methods"
import { Integrity, SqlAnswerStore, VerifiedCache } from "@plumbline/gateway"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"

import * as Databases from "./databases.ts"
import { block, HASH, type Node, node } from "./genesis.ts"
import * as Service from "./service.ts"

/** A call for the block that the network trusts. */
export const BODY = Service.call("eth_getBlockByHash", [HASH, true])

const honest = { eth_getBlockByHash: block, eth_getBlockByNumber: block }

/** Starts the service. `bytes` is the maximum size of the store. */
export const start = ({
  bytes,
  database,
  upstream = node(honest)
}: {
  readonly bytes?: number
  readonly database?: Databases.Database
  readonly upstream?: Pick<Node, "call">
} = {}) =>
  Effect.gen(function* () {
    const { layer } = database ?? (yield* Databases.kinds[0]!.fresh)
    const context = yield* Layer.build(Layer.fresh(layer))
    const store = yield* Effect.provideContext(
      SqlAnswerStore.make({ secret: Redacted.make("5e".repeat(32)), ...(bytes === undefined ? {} : { bytes }) }),
      context
    )
    const cache = yield* VerifiedCache.make({ store })
    const trust = yield* TrustedBlock.TrustedBlock
    const { anchor, around, members } = yield* Integrity.make([{ name: "own", upstream }], {
      network: "live",
      mode: "prove",
      chainId: 1n,
      trust
    })
    const network = {
      ...Service.network(cache.around(around(members[0]!), { id: "1", isFinal: () => true })),
      methods: EthMethods.group,
      isChecked: true,
      anchor
    }
    const service = yield* Service.start([network], { cache: cache.stats })
    return { ...service, network, sql: Context.get(context, SqlClient.SqlClient) }
  }).pipe(Effect.provide(TrustedBlock.layerPinned(Hash32.fromHexUnsafe(HASH))))

/** Waits until the store has a row, and changes every row. */
export const damage = (sql: SqlClient.SqlClient) =>
  Effect.repeat(sql`UPDATE verified_answers SET code = answer RETURNING id`, { until: (rows) => rows.length > 0 })
