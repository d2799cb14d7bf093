/**
 * Selects logs by their blocks, their contracts and their topics.
 *
 * Source: execution-apis (schemas/filter.yaml). The bounds are those of geth.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import * as BlockParameter from "./BlockParameter.ts"
import * as EthWire from "./ethWire.ts"
import { filterValues } from "./filterValues.ts"
import * as Input from "./Input.ts"
import type * as Log from "./Log.ts"

/** Maximum number of topics of a log. */
export const MAX_TOPICS = 4

/** Maximum number of addresses, and of alternatives for one topic. */
export const MAX_ALTERNATIVES = 1000

/** Maximum number of values of a filter: the maximum of all addresses and topics, and 32 for the rest. */
export const MAX_VALUES: number = (1 + MAX_TOPICS) * MAX_ALTERNATIVES + 32

const some = <S extends Schema.Top>(schema: S) => Schema.Array(schema).check(Schema.isMaxLength(MAX_ALTERNATIVES))

/** The alternatives for one topic. As in geth, a null among them matches any topic, as an empty list does. */
const alternatives = some(Schema.NullOr(Input.Hash32)).pipe(
  Schema.decodeTo(
    Schema.toType(some(Input.Hash32)),
    SchemaTransformation.transform({
      decode: (topics) => (topics.every((topic) => topic !== null) ? topics : []),
      encode: (topics): ReadonlyArray<Input.Hash32 | null> => topics
    })
  )
)

const selection = {
  /** One address, or several. If absent, null or an empty list, logs of any address match. */
  address: Schema.optionalKey(Schema.NullOr(Schema.Union([Input.Address, some(Input.Address)]))),
  /** The topics by position: one topic, or a list of alternatives. Null or an empty list matches any topic. */
  topics: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(Schema.NullOr(Schema.Union([Input.Hash32, alternatives]))).check(Schema.isMaxLength(MAX_TOPICS))
    )
  )
}

/** Selects logs in any block. Subscriptions take this filter. */
export const Selection = Schema.Struct(selection).annotate({ identifier: "LogSelection" })
/** See the Schema of the same name. */
export type Selection = typeof Selection.Type

const missable = <S extends Schema.Codec<any, any>>(schema: S) => EthWire.missable(EthWire.bySchema(schema)).schema

/** Logs of one block (EIP-234). */
export const OfBlock = Schema.Struct({
  blockHash: Input.Hash32,
  fromBlock: EthWire.excluded("blockHash"),
  toBlock: EthWire.excluded("blockHash"),
  ...selection
}).annotate({ identifier: "LogFilterOfBlock" })

/** Logs of a range of the main chain, both ends included; each end is `latest` when left out or null. */
export const OfRange = Schema.Struct({
  fromBlock: missable(BlockParameter.NumberOrTag),
  toBlock: missable(BlockParameter.NumberOrTag),
  blockHash: EthWire.excluded("fromBlock and toBlock"),
  ...selection
}).annotate({ identifier: "LogFilterOfRange" })

const [ofBlock, ofRange] = [EthWire.bySchema(OfBlock), EthWire.bySchema(OfRange)]

/**
 * A filter: of one block, or of a range.
 *
 * ```ts import.meta.vitest
 * import { LogFilter } from "@plumbline/eth-methods"
 * import { Schema } from "effect"
 *
 * const filter = { fromBlock: 1n, toBlock: "latest", topics: [null, `0x${"ab".repeat(32)}`] }
 * Schema.encodeUnknownSync(LogFilter.LogFilter)(filter) // => { ...filter, fromBlock: "0x1" }
 * ```
 */
export const LogFilter = EthWire.oneOf(Schema.Union([OfBlock, OfRange]), (filter) =>
  filter?.blockHash == null ? ofRange : ofBlock
).schema
/** See the Schema of the same name. */
export type LogFilter = typeof LogFilter.Type

/**
 * Returns a test of logs: true if the filter selects the log, whichever block it is in.
 *
 * A log with fewer topics than the filter has positions is not selected, even if the last positions accept any topic.
 * That is how geth, Nethermind and Besu read a filter. Reth and anvil ignore trailing positions that accept any topic.
 * `trimmed` makes a filter that all five nodes read alike.
 *
 * ```ts import.meta.vitest
 * import { Address, Hash32 } from "@plumbline/codec"
 * import { LogFilter } from "@plumbline/eth-methods"
 *
 * const log = { address: Address.fromHexUnsafe(`0x${"11".repeat(20)}`), topics: [Hash32.ZERO] }
 * LogFilter.selector({ topics: [[Hash32.ZERO]] })(log) // => true
 * LogFilter.selector({ topics: [null, null] })(log) // => false
 * LogFilter.selector(LogFilter.trimmed({ topics: [null, null] }))(log) // => true
 * ```
 */
export const selector = (filter: Selection): ((log: Pick<Log.Log, "address" | "topics">) => boolean) => {
  const addresses = filterValues(filter.address)
  const positions = (filter.topics ?? []).map(filterValues)
  return (log) =>
    positions.length <= log.topics.length &&
    (addresses === undefined || addresses.has(log.address.toLowerCase())) &&
    positions.every((wanted, at) => wanted === undefined || wanted.has(log.topics[at]!.toLowerCase()))
}

/** Returns the filter without trailing positions that accept any topic. */
export const trimmed = <F extends Selection>(filter: F): F => {
  const last = filter.topics?.findLastIndex((wanted) => filterValues(wanted) !== undefined) ?? -1
  return filter.topics == null ? filter : { ...filter, topics: filter.topics.slice(0, last + 1) }
}
