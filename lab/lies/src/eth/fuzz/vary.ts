/**
 * Makes well-formed changes to the content of a block. If all hashes are then computed again, the result is a valid
 * block with its own anchor. If only some hashes are, the result is a lie that reaches the checks after the first hash.
 */
import * as Random from "@plumbline/seeded/Random"

import * as Json from "../../json.ts"
import type * as Mutate from "../../mutate.ts"
import type { Whole } from "./commit.ts"
import * as Encode from "./hashedForms.ts"

const edges = [0n, 1n, 127n, 128n, 255n, 256n, 2n ** 32n, 2n ** 53n, 2n ** 64n - 1n]

const number = (random: Random.Random): string => Encode.hexNumber(Random.pick(random, edges))

const bytes = (random: Random.Random, length: number): string =>
  Encode.hexOf(Uint8Array.from({ length }, () => Random.int(random, 256)))

const data = (random: Random.Random): string => bytes(random, Random.pick(random, [0, 1, 31, 32, 33, 55, 56, 100]))

/**
 * Returns a changed block. Its hashes are not computed again. `donors` are blocks from which transactions and uncles
 * may be taken.
 */
export const vary = (whole: Whole, donors: ReadonlyArray<Whole>, random: Random.Random): Whole => {
  let varied = whole
  do varied = Random.pick(random, changes)(varied, Random.pick(random, donors), random)
  while (Random.chance(random, 0.4))
  return varied
}

type Change = (whole: Whole, donor: Whole, random: Random.Random) => Whole

const block = (whole: Whole, fields: Json.JsonObject): Whole => ({ ...whole, block: { ...whole.block, ...fields } })

const numbers = ["difficulty", "gasLimit", "timestamp", "baseFeePerGas", "blobGasUsed", "excessBlobGas", "slotNumber"]
const hashes = ["parentHash", "stateRoot", "mixHash", "parentBeaconBlockRoot", "requestsHash", "blockAccessListHash"]

const headerNumber: Change = (whole, _, random) => {
  const name = Random.pick(
    random,
    [...numbers, "number"].filter((name) => name in whole.block)
  )
  return block(whole, { [name]: number(random) })
}

const headerHash: Change = (whole, _, random) => {
  const name = Random.pick(
    random,
    hashes.filter((name) => name in whole.block)
  )
  return block(whole, { [name]: bytes(random, 32) })
}

const headerData: Change = (whole, _, random) =>
  block(
    whole,
    Random.pick(random, [
      { extraData: data(random) },
      { miner: bytes(random, 20) },
      { nonce: bytes(random, 8) },
      { extraData: bytes(random, 32), nonce: `0x${"00".repeat(8)}` }
    ])
  )

/** Adds the fields of the next fork to a block of the fork before. */
const upgraded: Change = (whole, _, random) => {
  if (whole.block["requestsHash"] === undefined || whole.block["slotNumber"] !== undefined) return whole
  return block(whole, { blockAccessListHash: bytes(random, 32), slotNumber: number(random) })
}

const at = (whole: Whole, random: Random.Random): number | undefined => {
  const { length } = whole.receipts
  return length === 0 ? undefined : Random.int(random, length)
}

const withTransaction = (whole: Whole, index: number, fields: Json.JsonObject): Whole => {
  const transactions = Encode.listOf(whole.block["transactions"])
  return block(whole, { transactions: transactions.with(index, { ...transactions[index]!, ...fields }) })
}

const withReceipt = (whole: Whole, index: number, fields: Json.JsonObject): Whole => ({
  ...whole,
  receipts: whole.receipts.with(index, { ...whole.receipts[index]!, ...fields })
})

const transactionField: Change = (whole, _, random) => {
  const index = at(whole, random)
  if (index === undefined) return whole
  const { type, ...transaction } = Encode.listOf(whole.block["transactions"])[index]!
  const name = Random.pick(random, ["nonce", "gas", "value", "input", "to", "accessList", "maxFeePerGas", "r"])
  if (transaction[name] === undefined) return whole
  switch (name) {
    case "input":
      return withTransaction(whole, index, { input: data(random) })
    case "to":
      return withTransaction(whole, index, {
        to: type !== "0x3" && type !== "0x4" && Random.chance(random, 0.3) ? null : bytes(random, 20)
      })
    case "accessList":
      return withTransaction(whole, index, {
        accessList: Array.from({ length: Random.int(random, 3) }, () => ({
          address: bytes(random, 20),
          storageKeys: Array.from({ length: Random.int(random, 3) }, () => bytes(random, 32))
        }))
      })
    default:
      return withTransaction(whole, index, { [name]: number(random) })
  }
}

const withLists = (
  whole: Whole,
  transactions: ReadonlyArray<Json.JsonObject>,
  receipts: ReadonlyArray<Json.JsonObject>
): Whole => {
  let gas = 0n
  return {
    ...block(whole, { transactions }),
    // each receipt has the sum of the gas up to its transaction
    receipts: receipts.map((receipt) => {
      gas += Encode.numberOf(receipt["gasUsed"])
      return { ...receipt, cumulativeGasUsed: Encode.hexNumber(gas) }
    })
  }
}

const transactionDropped: Change = (whole, _, random) => {
  const index = at(whole, random)
  if (index === undefined) return whole
  const transactions = Encode.listOf(whole.block["transactions"])
  return withLists(whole, transactions.toSpliced(index, 1), whole.receipts.toSpliced(index, 1))
}

/** Adds a transaction of another block with its receipt, if this fork has their types. */
const transactionAdded: Change = (whole, donor, random) => {
  const index = at(donor, random)
  if (index === undefined || whole.receipts.length > 5) return whole
  const transaction = Encode.listOf(donor.block["transactions"])[index]!
  const receipt = donor.receipts[index]!
  const kind = (one: Json.JsonObject | undefined) => one === undefined || "status" in one
  if (kind(whole.receipts[0]) !== kind(receipt)) return whole
  return withLists(whole, [...Encode.listOf(whole.block["transactions"]), transaction], [...whole.receipts, receipt])
}

const transactionsMoved: Change = (whole) =>
  withLists(whole, Encode.listOf(whole.block["transactions"]).toReversed(), whole.receipts.toReversed())

const outcome: Change = (whole, _, random) => {
  const index = at(whole, random)
  if (index === undefined) return whole
  const { root, status } = whole.receipts[index]!
  if (root !== undefined) return withReceipt(whole, index, { root: bytes(random, 32) })
  return withReceipt(whole, index, { status: status === "0x1" ? "0x0" : "0x1" })
}

const logs: Change = (whole, donor, random) => {
  const index = at(whole, random)
  if (index === undefined) return whole
  const own = Encode.listOf(whole.receipts[index]!["logs"])
  const others = donor.receipts.flatMap((receipt) => Encode.listOf(receipt["logs"]))
  const [first] = [...own, ...others]
  if (first === undefined) return whole
  const made: Json.JsonObject = {
    ...first,
    address: bytes(random, 20),
    topics: Array.from({ length: Random.int(random, 5) }, () => bytes(random, 32)),
    data: data(random)
  }
  return withReceipt(whole, index, {
    logs: Random.pick<ReadonlyArray<Json.JsonObject>>(random, [[...own, made], own.slice(1), own.toReversed(), [made]])
  })
}

const withdrawals: Change = (whole, _, random) => {
  if (!Json.isList(whole.block["withdrawals"])) return whole
  return block(whole, {
    withdrawals: Array.from({ length: Random.int(random, 4) }, () => ({
      index: number(random),
      validatorIndex: number(random),
      address: bytes(random, 20),
      amount: number(random)
    }))
  })
}

const uncles: Change = (whole, donor, random) => {
  const others = Random.chance(random, 0.5) ? donor.uncles : []
  return { ...whole, uncles: [...whole.uncles, ...others].slice(Random.int(random, 2), 2) }
}

const changes: ReadonlyArray<Change> = [
  headerNumber,
  headerHash,
  headerData,
  upgraded,
  transactionField,
  transactionField,
  transactionDropped,
  transactionAdded,
  transactionAdded,
  transactionsMoved,
  outcome,
  logs,
  logs,
  withdrawals,
  uncles
]

/** Mutates one committed leaf. The result need not be well-formed. */
export const bend = (whole: Whole, mutator: Mutate.Mutator, random: Random.Random): Whole => {
  const changed = mutator.once(whole.block, random)
  return Json.isObject(changed) ? { ...whole, block: changed } : whole
}
