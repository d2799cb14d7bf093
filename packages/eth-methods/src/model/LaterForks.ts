/**
 * The forks of a chain that this version does not know, as data: the fields that each of them appends to the header, the
 * types of transactions that it adds, and its time. With them, blocks of a new fork are proven without a new version of
 * this package.
 *
 * A header has no name for its fork. The fields that are present tell it, as for known forks, so the time of a fork is
 * needed only to find data that does not fit the chain.
 *
 * The data comes from the operator or the reader, never from a node: whoever names the fields decides what the hash
 * covers. The file form is JSON.
 */
import { fieldOf } from "@plumbline/codec/wire/WireObject"
import * as Schema from "effect/Schema"

import * as Block from "./Block.ts"
import * as LaterTransactions from "./LaterTransactions.ts"

/** Maximum number of forks, and of fields of one fork. */
export const MOST = 32

const Name = Schema.String.check(Schema.isPattern(/^[a-zA-Z][a-zA-Z0-9]{0,63}$/u, { expected: "a name of a field" }))

const HeaderField = Schema.Struct({
  /** The name of the field in the JSON of a block. */
  name: Name,
  /**
   * The kind of the field: a hash of 32 bytes, bytes of any length, or a number below 2^256. It decides how the JSON is
   * read and how the field is written into the header's RLP.
   */
  kind: Schema.Literals(["hash", "bytes", "quantity"])
})
/** A field that a fork appends to the header. */
export interface HeaderField extends Schema.Schema.Type<typeof HeaderField> {}

const Fork = Schema.Struct({
  /** The name of the fork, for people. */
  name: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64)),
  /**
   * The time of its first block, in seconds since 1970. A block that has the fork's fields before, or lacks them from then
   * on, is claimed. Default: the fields alone tell, and the transaction types are those of every block.
   */
  timestamp: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  /** The fields that the fork appends to the header, in the order of the header's RLP. Default: none. */
  headerFields: Schema.optionalKey(Schema.Array(HeaderField).check(Schema.isMinLength(1), Schema.isMaxLength(MOST))),
  /** The types of transactions that the fork adds. Default: none. */
  transactionTypes: Schema.optionalKey(
    Schema.Array(LaterTransactions.TransactionType).check(Schema.isMinLength(1), Schema.isMaxLength(MOST))
  )
}).check(
  Schema.makeFilter(
    ({ headerFields, transactionTypes }) => headerFields !== undefined || transactionTypes !== undefined,
    { expected: "header fields or transaction types" }
  )
)

const lastKnown = ["baseFeePerGas", "withdrawalsRoot", "parentBeaconBlockRoot", "requestsHash", "slotNumber"] as const

const fieldsOf = ({ forks }: { readonly forks: ReadonlyArray<typeof Fork.Type> }): ReadonlyArray<HeaderField> =>
  forks.flatMap(({ headerFields = [] }) => headerFields)

/**
 * The forks after the last known one, oldest first.
 *
 * ```ts import.meta.vitest
 * import { LaterForks } from "@plumbline/eth-methods"
 * import { Schema } from "effect"
 *
 * const forks = Schema.decodeUnknownSync(LaterForks.LaterForks)({
 *   forks: [{ name: "bogota", headerFields: [{ name: "inclusionListRoot", kind: "hash" }] }]
 * })
 * LaterForks.headerFields(forks).map(({ name }) => name) // => ["inclusionListRoot"]
 * ```
 */
export const LaterForks = Schema.Struct({
  /**
   * The last field of the header before the first of these forks, which tells the known fork that they follow.
   * Default: `slotNumber`, that of Amsterdam.
   */
  after: Schema.optionalKey(Schema.Literals(lastKnown)),
  forks: Schema.Array(Fork).check(Schema.isMinLength(1), Schema.isMaxLength(MOST))
}).check(
  Schema.makeFilter(
    (forks) => {
      const names = fieldsOf(forks).map(({ name }) => name)
      return new Set(names).size === names.length && names.every((name) => !Block.knownFields.has(name))
    },
    { expected: "fields that are not known yet, each named once" }
  ),
  Schema.makeFilter(
    ({ forks }) => {
      const types = forks.flatMap(({ transactionTypes = [] }) => transactionTypes.map(({ type }) => type))
      return new Set(types).size === types.length
    },
    { expected: "types of transactions that are named once" }
  ),
  Schema.makeFilter(
    ({ forks }) => {
      const times = forks.flatMap(({ timestamp }) => (timestamp === undefined ? [] : [timestamp]))
      return times.every((time, at) => at === 0 || times[at - 1]! <= time)
    },
    { expected: "forks in the order of their timestamps" }
  )
)
/** See the Schema of the same name. */
export interface LaterForks extends Schema.Schema.Type<typeof LaterForks> {}

/** Returns the appended fields of all forks, in the order of the header's RLP. */
export const headerFields = (forks: LaterForks): ReadonlyArray<HeaderField> => fieldsOf(forks)

/**
 * Returns the numbers of appended fields that a header can have: all fields of the first forks, and none of the others.
 *
 * ```ts import.meta.vitest
 * import { LaterForks } from "@plumbline/eth-methods"
 *
 * const field = (name: string) => ({ name, kind: "hash" }) as const
 * const first = { name: "first", headerFields: [field("a"), field("b")] }
 * const second = { name: "second", headerFields: [field("c")] }
 * LaterForks.headerLengths({ forks: [first, second] }) // => [0, 2, 3]
 * ```
 */
export const headerLengths = ({ forks }: LaterForks): ReadonlyArray<number> => {
  const lengths = [0]
  for (const fork of forks) lengths.push(lengths.at(-1)! + (fork.headerFields?.length ?? 0))
  return lengths
}

/**
 * Returns the forks that have begun at a time, in seconds since 1970. A fork without a time begins with the one before it.
 *
 * ```ts import.meta.vitest
 * import { LaterForks } from "@plumbline/eth-methods"
 *
 * const forks = { forks: [{ name: "first", timestamp: 12, headerFields: [{ name: "a", kind: "hash" }] }] } as const
 * LaterForks.begun(forks, 11n).forks.length // => 0
 * LaterForks.begun(forks, 12n).forks.length // => 1
 * ```
 */
export const begun = (later: LaterForks, timestamp: bigint): LaterForks => {
  const first = later.forks.findIndex((fork) => fork.timestamp !== undefined && timestamp < BigInt(fork.timestamp))
  return first === -1 ? later : { ...later, forks: later.forks.slice(0, first) }
}

/** Returns the types of transactions of all forks, or of those that have begun at a time in seconds since 1970. */
export const transactionTypes = (
  later: LaterForks | undefined,
  timestamp?: bigint
): ReadonlyArray<LaterTransactions.TransactionType> => {
  if (later === undefined) return []
  const { forks } = timestamp === undefined ? later : begun(later, timestamp)
  return forks.flatMap(({ transactionTypes = [] }) => transactionTypes)
}

/** Returns the form of a type; undefined if the forks do not name it. */
export const transactionType = (
  later: LaterForks | undefined,
  type: bigint,
  timestamp?: bigint
): LaterTransactions.TransactionType | undefined =>
  transactionTypes(later, timestamp).find((form) => BigInt(form.type) === type)

/** A header that does not fit the time of a fork: it has a field before that time, or lacks it from then on. */
export interface Mismatch {
  readonly fork: string
  readonly timestamp: number
  readonly field: string
  readonly present: boolean
}

/** Returns the first fork whose time a header does not fit; undefined if it fits all. */
export const mismatchOf = (later: LaterForks, header: Block.Header): Mismatch | undefined => {
  for (const { headerFields = [], name: fork, timestamp } of later.forks) {
    if (timestamp === undefined) continue
    const begins = header.timestamp >= BigInt(timestamp)
    const field = headerFields.find(({ name }) => (fieldOf(header, name) != null) !== begins)
    if (field !== undefined) return { fork, timestamp, field: field.name, present: !begins }
  }
  return undefined
}
