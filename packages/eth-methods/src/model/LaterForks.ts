/**
 * The forks of a chain that this version does not know, as data: the fields that each of them appends to the header. With
 * them, blocks of a new fork are proven without a new version of this package.
 *
 * A header has no name for its fork. The fields that are present tell it, as for known forks, so no time or number of a
 * first block is needed.
 *
 * The data comes from the operator or the reader, never from a node: whoever names the fields decides what the hash
 * covers. The file form is JSON.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as Block from "./Block.ts"

/** Maximum number of forks, and of fields of one fork. */
export const MOST = 32

const HeaderField = Schema.Struct({
  /** The name of the field in the JSON of a block. */
  name: Schema.String.check(Schema.isPattern(/^[a-zA-Z][a-zA-Z0-9]{0,63}$/u, { expected: "a name of a field" })),
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
  /** The fields that the fork appends to the header, in the order of the header's RLP. */
  headerFields: Schema.Array(HeaderField).check(Schema.isMinLength(1), Schema.isMaxLength(MOST))
})

const lastKnown = ["baseFeePerGas", "withdrawalsRoot", "parentBeaconBlockRoot", "requestsHash", "slotNumber"] as const

const fieldsOf = ({ forks }: { readonly forks: ReadonlyArray<typeof Fork.Type> }): ReadonlyArray<HeaderField> =>
  forks.flatMap(({ headerFields }) => headerFields)

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
  for (const fork of forks) lengths.push(lengths.at(-1)! + fork.headerFields.length)
  return lengths
}

/**
 * Reads the value of a field from the JSON of a block; undefined if the value is not of the field's kind.
 *
 * ```ts import.meta.vitest
 * import { LaterForks } from "@plumbline/eth-methods"
 *
 * LaterForks.valueOf({ name: "count", kind: "quantity" }, "0x80") // => 128n
 * LaterForks.valueOf({ name: "count", kind: "quantity" }, "0x080") // => undefined
 * LaterForks.valueOf({ name: "note", kind: "bytes" }, "0x") // => "0x"
 * ```
 */
export const valueOf = ({ kind }: HeaderField, json: unknown): Hex.Hex | bigint | undefined => {
  if (kind === "hash") return Hash32.isHash32(json) ? json : undefined
  if (kind === "bytes") return Hex.isHex(json) ? json : undefined
  if (typeof json !== "string" || json.length > MAX_QUANTITY) return undefined
  return Result.getOrUndefined(Quantity.fromHex(json))
}

/** Length of `0x` and 64 digits. */
const MAX_QUANTITY = 66
