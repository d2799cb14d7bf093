/**
 * Block access lists in the form of eth_getBlockAccessList, and blocks that name their hashes. ethereumjs sorts, encodes
 * and hashes the lists, so it is an independent oracle.
 */
import { Hardfork } from "@ethereumjs/common"
import { type BlockLevelAccessList, bytesToHex, createBlockLevelAccessList } from "@ethereumjs/util"
import * as Random from "@plumbline/seeded/Random"
import { Schema } from "effect"

import { BlockAccessList } from "../../src/index.ts"
import * as Made from "./made.ts"

/** Makes a list with changes of every kind, whose keys, words and numbers have leading zeros now and then. */
export const make = (seed: number, accounts = 6): BlockLevelAccessList => {
  const random = Random.make(seed)
  const next = (below: number): number => Random.int(random, below)
  const list = createBlockLevelAccessList()
  const bytes = (length: number): Uint8Array => Random.bytes(random, length)
  const word = (): Uint8Array => {
    const zeros = next(3) === 0 ? 31 - next(31) : 0
    const value = bytes(32)
    return next(8) === 0 ? value.fill(0) : value.fill(0, 0, zeros)
  }
  for (let n = 0; n < accounts; n++) {
    const address = bytesToHex(bytes(20))
    list.addAddress(address)
    for (let slots = next(3); slots > 0; slots--) list.addStorageRead(address, word())
    for (let slots = next(4); slots > 0; slots--) {
      const key = word()
      for (let index = next(4); index < 300; index += 1 + next(200)) list.addStorageWrite(address, key, word(), index)
    }
    if (next(2) === 0) list.addBalanceChange(address, BigInt(bytesToHex(bytes(9))), 1 + next(200))
    if (next(2) === 0) list.addNonceChange(address, BigInt(next(1000)), 1 + next(200))
    if (next(3) === 0) list.addCodeChange(address, bytes(next(80)), 1 + next(200))
  }
  return list
}

/**
 * Returns a list as a node shows it: with whole words, as the standard says, or with short ones, as some nodes do. The
 * order is that of the RLP: ethereumjs sorts the keys in its JSON as texts.
 */
export const answerOf = (list: BlockLevelAccessList, words: "whole" | "short" = "whole"): Array<Made.Json> => {
  const word = (value: Uint8Array | string): string =>
    words === "whole" ? `0x${number(value).toString(16).padStart(64, "0")}` : Made.hex(number(value))
  return list.raw().map(([address, storageChanges, storageReads, balanceChanges, nonceChanges, codeChanges]) => ({
    address,
    storageChanges: storageChanges.map(([key, changes]) => ({
      key: word(key),
      changes: changes.map(([index, value]) => ({ index: Made.hex(index), value: word(value) }))
    })),
    storageReads: storageReads.map(word),
    balanceChanges: balanceChanges.map(([index, value]) => ({
      index: Made.hex(index),
      value: Made.hex(number(value))
    })),
    nonceChanges: nonceChanges.map(([index, value]) => ({ index: Made.hex(index), value: Made.hex(number(value)) })),
    codeChanges: codeChanges.map(([index, code]) => ({ index: Made.hex(index), code: bytesToHex(code) }))
  }))
}

const number = (value: Uint8Array | string): bigint => {
  const text = typeof value === "string" ? value : bytesToHex(value)
  return text === "0x" ? 0n : BigInt(text)
}

/** Makes a block of Amsterdam with this list. */
export const blockOf = (list: BlockLevelAccessList): Promise<Made.JsonObject> =>
  Made.block(Hardfork.Amsterdam, [], [], { blockAccessListHash: list.hash() })

export const decode = Schema.decodeUnknownSync(BlockAccessList.BlockAccessList)
export const decodeResult = Schema.decodeUnknownResult(BlockAccessList.BlockAccessList)
export const encode = Schema.encodeSync(BlockAccessList.BlockAccessList)
