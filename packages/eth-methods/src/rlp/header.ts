/** Headers of every fork from their RLP: the inverse of `verify/header`. */
import * as Keccak256 from "@plumbline/codec/Keccak256"
import * as Rlp from "@plumbline/codec/Rlp"

import type * as Block from "../Block.ts"
import { withHead } from "../internal/rlpSize.ts"
import { EMPTY_UNCLES } from "../verify/uncles.ts"
import * as Fields from "./fields.ts"

/** The numbers of fields that a header can have. */
const LENGTHS = [15, 16, 17, 20, 21, 23]

/** A header, with the hash of its RLP. */
export const read = (item: Rlp.Rlp, path: string): Block.Header => {
  const items = Fields.list(item, path, LENGTHS)
  const { length } = items
  const hash = (at: number, name: string) => Fields.hash(items[at]!, `${path}.${name}`)
  const integer = (at: number, name: string) => Fields.integer(items[at]!, `${path}.${name}`)
  return {
    number: integer(8, "number"),
    hash: Keccak256.hashHex(Rlp.encode(items)),
    parentHash: hash(0, "parentHash"),
    nonce: Fields.sized(items[14]!, 8, `${path}.nonce`),
    mixHash: hash(13, "mixHash"),
    sha3Uncles: hash(1, "sha3Uncles"),
    logsBloom: Fields.sized(items[6]!, 256, `${path}.logsBloom`),
    transactionsRoot: hash(4, "transactionsRoot"),
    stateRoot: hash(3, "stateRoot"),
    receiptsRoot: hash(5, "receiptsRoot"),
    miner: Fields.address(items[2]!, `${path}.miner`),
    difficulty: integer(7, "difficulty"),
    extraData: Fields.data(items[12]!, `${path}.extraData`),
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

/** An uncle as nodes answer with it: they count it as a block without bodies. */
export const readUncle = (item: Rlp.Rlp, path: string): Block.Uncle => {
  const header = read(item, path)
  const size = BigInt(withHead(Rlp.encode(item).length + 2))
  // an uncle may have had uncles of its own, whose hashes are not in its header
  return header.sha3Uncles === EMPTY_UNCLES ? { ...header, size, uncles: [] } : { ...header, size }
}
