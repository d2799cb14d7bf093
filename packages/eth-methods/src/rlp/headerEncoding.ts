/**
 * The RLP and the hash of block headers of every fork.
 *
 * Source: Yellow Paper section 4.4.3 and the EIPs that added fields, in this order: 1559, 4895, 4844 (two), 4788, 7685,
 * 7928, 7843. The optional fields that are present determine the fork, so no table of forks is needed, and private
 * chains work. A header that has an optional field but lacks an earlier one is refused, although its hash can match
 * (anvil's genesis before Cancun). RLP has no names, so with such a gap a node could show a field under the name of
 * another field.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import type * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import { fieldOf } from "@plumbline/codec/wire/WireObject"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import * as Result from "effect/Result"

import type * as Block from "../model/Block.ts"
import * as LaterForks from "../model/LaterForks.ts"
import * as LaterTransactions from "../model/LaterTransactions.ts"
import { EMPTY_UNCLES } from "./emptyRoots.ts"
import { withHead } from "./rlpSize.ts"
import * as StrictItems from "./strictItems.ts"

/** The fields that every header has, in the order of its RLP. */
const first = [
  "parentHash",
  "sha3Uncles",
  "miner",
  "stateRoot",
  "transactionsRoot",
  "receiptsRoot",
  "logsBloom",
  "difficulty",
  "number",
  "gasLimit",
  "gasUsed",
  "timestamp",
  "extraData",
  "mixHash",
  "nonce"
] as const

/** The fields that forks appended, in order. */
const appended = [
  "baseFeePerGas",
  "withdrawalsRoot",
  "blobGasUsed",
  "excessBlobGas",
  "parentBeaconBlockRoot",
  "requestsHash",
  "blockAccessListHash",
  "slotNumber"
] as const

/** The names of a header's fields in the order of its RLP. */
export const names: ReadonlyArray<(typeof first)[number] | (typeof appended)[number]> = [...first, ...appended]

/** The possible numbers of fields of a header. */
const SHAPES: ReadonlyArray<number> = [15, 16, 17, 20, 21, 23]

/**
 * Appends the header's RLP to the writer.
 *
 * Fails with `RefutedError` when the fields do not make a header of any known fork, or of one of the later forks:
 * `header shape`, `header.<field>`.
 */
export const write = (
  writer: RlpWriter.RlpWriter,
  header: Block.Header,
  later?: LaterForks.LaterForks
): Result.Result<void, RefutedError> => {
  const { logsBloom, miner, mixHash, nonce, number } = header
  if (number === null) return missing("number")
  if (nonce === undefined || nonce === null) return missing("nonce")
  if (logsBloom === null) return missing("logsBloom")
  if (miner === null) return missing("miner")
  if (mixHash === undefined || mixHash === null) return missing("mixHash")
  let count = 15
  while (count - 15 < appended.length && header[appended[count - 15]!] !== undefined) count++
  const stray = appended.slice(count - 15).find((field) => header[field] !== undefined)
  if (stray !== undefined)
    return Result.fail(refute("header shape", `${appended[count - 15]!} before ${stray}`, "a hole"))
  if (!SHAPES.includes(count)) {
    return Result.fail(refute("header shape", "15, 16, 17, 20, 21 or 23 fields", `${count} fields`))
  }
  const added = later === undefined ? NOTHING : laterValues(header, later, count)
  if (Result.isFailure(added)) return Result.fail(added.failure)
  // some nodes omit the difficulty of headers since London, where it can be zero; older headers must have it
  if (header.difficulty === undefined && count === 15) return missing("difficulty")

  const list = writer.beginList()
  writer.data(header.parentHash)
  writer.data(header.sha3Uncles)
  writer.data(miner)
  writer.data(header.stateRoot)
  writer.data(header.transactionsRoot)
  writer.data(header.receiptsRoot)
  writer.data(logsBloom)
  writer.quantity(header.difficulty ?? 0n)
  writer.quantity(number)
  writer.quantity(header.gasLimit)
  writer.quantity(header.gasUsed)
  writer.quantity(header.timestamp)
  writer.data(header.extraData)
  writer.data(mixHash)
  writer.data(nonce)
  for (let i = 0; i < count - 15; i++) {
    const value = header[appended[i]!]!
    if (typeof value === "bigint") writer.quantity(value)
    else writer.data(value)
  }
  for (const value of added.success) {
    if (typeof value === "bigint") writer.quantity(value)
    else writer.data(value)
  }
  writer.endList(list)
  return Result.succeed(undefined)
}

const NOTHING = Result.succeed<ReadonlyArray<Hex.Hex | bigint>>([])

/** Returns the values of the fields that later forks appended to a header that has `count` known fields. */
const laterValues = (
  header: Block.Header,
  later: LaterForks.LaterForks,
  count: number
): Result.Result<ReadonlyArray<Hex.Hex | bigint>, RefutedError> => {
  const fields = LaterForks.headerFields(later)
  const present = fields.filter(({ name }) => fieldOf(header, name) != null)
  if (present.length === 0) return NOTHING
  const hole = fields.find((field, index) => index < present.length && field !== present[index])
  if (hole !== undefined || !LaterForks.headerLengths(later).includes(present.length)) {
    const missing = hole ?? fields[present.length]!
    return Result.fail(refute("header shape", `${missing.name} with ${present[0]!.name}`, "a hole"))
  }
  const { after = "slotNumber" } = later
  if (count !== 16 + appended.indexOf(after)) {
    return Result.fail(refute("header shape", `${after} just before ${present[0]!.name}`, `${count} known fields`))
  }
  const values: Array<Hex.Hex | bigint> = []
  for (const field of present) {
    const value = LaterTransactions.valueOf(field.kind, fieldOf(header, field.name))
    if (value === undefined) return Result.fail(refute(`header.${field.name}`, field.kind, "another kind of value"))
    values.push(value)
  }
  return Result.succeed(values)
}

/**
 * Returns the header with a seal of zeros, as headers since the Merge have for their nonce, if the node sent none. Some
 * chains with other seals than proof of work leave out `nonce` and `mixHash`. The hash shows if the zeros are right.
 */
export const sealed = <H extends Block.Header>(header: H): H => {
  const { mixHash = Hash32.ZERO, nonce = NO_NONCE } = header
  return mixHash === header.mixHash && nonce === header.nonce ? header : { ...header, mixHash, nonce }
}

const NO_NONCE: Hex.Hex = `0x${"00".repeat(8)}`

const missing = (field: string): Result.Result<never, RefutedError> =>
  Result.fail(refute(`header.${field}`, "a value", "nothing"))

/** Reads a header, and adds the hash of its RLP. */
export const read = (item: Rlp.Rlp, path: string): Block.Header => {
  const items = StrictItems.list(item, path, SHAPES)
  const { length } = items
  const hash = (at: number, name: string) => StrictItems.hash(items[at]!, `${path}.${name}`)
  const integer = (at: number, name: string) => StrictItems.integer(items[at]!, `${path}.${name}`)
  return {
    number: integer(8, "number"),
    hash: Keccak256.hashHex(Rlp.encode(items)),
    parentHash: hash(0, "parentHash"),
    nonce: StrictItems.sized(items[14]!, 8, `${path}.nonce`),
    mixHash: hash(13, "mixHash"),
    sha3Uncles: hash(1, "sha3Uncles"),
    logsBloom: StrictItems.sized(items[6]!, 256, `${path}.logsBloom`),
    transactionsRoot: hash(4, "transactionsRoot"),
    stateRoot: hash(3, "stateRoot"),
    receiptsRoot: hash(5, "receiptsRoot"),
    miner: StrictItems.address(items[2]!, `${path}.miner`),
    difficulty: integer(7, "difficulty"),
    extraData: StrictItems.data(items[12]!, `${path}.extraData`),
    gasLimit: integer(9, "gasLimit"),
    gasUsed: integer(10, "gasUsed"),
    timestamp: integer(11, "timestamp"),
    ...(length > 15 ? { baseFeePerGas: integer(15, "baseFeePerGas") } : {}),
    ...(length > 16 ? { withdrawalsRoot: hash(16, "withdrawalsRoot") } : {}),
    ...(length > 17
      ? {
          blobGasUsed: integer(17, "blobGasUsed"),
          excessBlobGas: integer(18, "excessBlobGas"),
          parentBeaconBlockRoot: hash(19, "parentBeaconBlockRoot")
        }
      : {}),
    ...(length > 20 ? { requestsHash: hash(20, "requestsHash") } : {}),
    ...(length > 21
      ? { blockAccessListHash: hash(21, "blockAccessListHash"), slotNumber: integer(22, "slotNumber") }
      : {})
  }
}

/** Reads an uncle as nodes return it: with the size of a block with an empty body. */
export const readUncle = (item: Rlp.Rlp, path: string): Block.Uncle => {
  const header = read(item, path)
  const size = BigInt(withHead(Rlp.encode(item).length + 2))
  // an uncle may itself have uncles, but its header contains only the hash of their list
  return header.sha3Uncles === EMPTY_UNCLES ? { ...header, size, uncles: [] } : { ...header, size }
}
