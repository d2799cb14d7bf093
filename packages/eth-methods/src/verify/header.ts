/**
 * The header of a block: its RLP, of every fork, and its hash.
 *
 * Source: Yellow Paper section 4.4.3 and the EIPs that added fields, in this order: 1559, 4895, 4844 (two), 4788, 7685,
 * 7928, 7843. Which of the optional fields are there fixes the fork: no table of forks is needed, and private chains
 * work. A hole among them (a later field without an earlier one) is refused, although a hash can still come out right
 * (anvil's genesis before Cancun): RLP has no names, so with holes a field could stand under another's name.
 */
import * as Hash32 from "@plumbline/codec/Hash32"
import * as RlpWriter from "@plumbline/codec/RlpWriter"
import { type Refuted, refute } from "@plumbline/verdict/Refuted"
import * as Result from "effect/Result"

import type { Header } from "../Block.ts"

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

/** The numbers of fields that a header can have. */
const shapes: ReadonlySet<number> = new Set([15, 16, 17, 20, 21, 23])

/**
 * Appends the header's RLP to the writer.
 *
 * Fails with `Refuted` when the fields do not make a header of any fork: `header shape`, `header.<field>`.
 */
export const write = (writer: RlpWriter.RlpWriter, header: Header): Result.Result<void, Refuted> => {
  const { logsBloom, miner, mixHash, nonce, number } = header
  if (number === null) return missing("number")
  if (nonce === null) return missing("nonce")
  if (logsBloom === null) return missing("logsBloom")
  if (miner === null) return missing("miner")
  if (mixHash === undefined || mixHash === null) return missing("mixHash")
  let count = 15
  while (count - 15 < appended.length && header[appended[count - 15]!] !== undefined) count++
  const stray = appended.slice(count - 15).find((field) => header[field] !== undefined)
  if (stray !== undefined)
    return Result.fail(refute("header shape", `${appended[count - 15]!} before ${stray}`, "a hole"))
  if (!shapes.has(count)) {
    return Result.fail(refute("header shape", "15, 16, 17, 20, 21 or 23 fields", `${count} fields`))
  }
  // after London, where zero difficulty is possible, some nodes leave it out
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
  writer.endList(list)
  return Result.succeed(undefined)
}

/**
 * The hash of a header: Keccak-256 of its RLP.
 *
 * Fails with `Refuted` when the fields do not make a header of any fork.
 */
export const hash = (header: Header): Result.Result<Hash32.Hash32, Refuted> => {
  const writer = RlpWriter.make()
  return Result.map(write(writer, header), () => Hash32.fromBytesUnsafe(writer.hash(0)))
}

const missing = (field: string): Result.Result<never, Refuted> =>
  Result.fail(refute(`header.${field}`, "a value", "nothing"))
