/** Compares the hashing of transactions with starknet.js, and the two hash functions with those of @scure/starknet. */
import * as scure from "@scure/starknet"
import { Schema } from "effect"
import { v2hash, v3hash } from "starknet"
import { expect, test } from "vitest"

import { pedersen } from "../src/hash/pedersen.ts"
import { poseidonOf } from "../src/hash/poseidon.ts"
import { Felt, Transaction, transactionHash } from "../src/index.ts"

const felt = (number: bigint) => Felt.fromBigIntUnsafe(number % Felt.PRIME)
/** Two transfers by an account. Addresses and selectors use nearly all bits of a felt; amounts and lengths use few. */
const wide = 0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7n
const calldata = [2n, wide, wide ** 2n, 3n, wide ** 3n, 10n ** 18n, 0n, wide, wide ** 2n, 3n, wide ** 5n, 1n, 0n].map(
  felt
)
const chainId = felt(0x534e5f4d41494en)
const sender = felt(wide ** 7n)
const bound = { max_amount: "0x1e8480", max_price_per_unit: "0x1830e58f7" }
const bigBound = { max_amount: 0x1e8480n, max_price_per_unit: 0x1830e58f7n }

const common = {
  transaction_hash: "0x0",
  type: "INVOKE",
  signature: ["0x1", "0x2"],
  nonce: "0x42",
  sender_address: sender,
  calldata
}
const v1 = Schema.decodeUnknownSync(Transaction.InvokeV1)({
  ...common,
  version: "0x1",
  max_fee: "0x2386f26fc10000"
})
const v3 = Schema.decodeUnknownSync(Transaction.InvokeV3)({
  ...common,
  version: "0x3",
  resource_bounds: { l1_gas: bound, l2_gas: bound, l1_data_gas: bound },
  tip: "0x0",
  paymaster_data: [],
  account_deployment_data: [],
  nonce_data_availability_mode: "L1",
  fee_data_availability_mode: "L1"
})

test("INVOKE v1, of 13 felts", async ({ bench }) => {
  const theirs = () => v2hash.calculateTransactionHash(sender, "0x1", calldata, v1.max_fee, chainId as never, v1.nonce)
  expect(BigInt(transactionHash(v1, chainId))).toBe(BigInt(theirs()))
  await bench.compare(
    bench("plumbline", () => {
      transactionHash(v1, chainId)
    }),
    bench("starknet.js", () => {
      theirs()
    }),
    { time: 500 }
  )
})

test("INVOKE v3, of 13 felts", async ({ bench }) => {
  const bounds = { l1_gas: bigBound, l2_gas: bigBound, l1_data_gas: bigBound }
  const theirs = () =>
    v3hash.calculateInvokeTransactionHash(
      sender,
      "0x3",
      calldata,
      chainId as never,
      v3.nonce,
      [],
      0,
      0,
      bounds,
      "0x0",
      []
    )
  expect(BigInt(transactionHash(v3, chainId))).toBe(BigInt(theirs()))
  await bench.compare(
    bench("plumbline", () => {
      transactionHash(v3, chainId)
    }),
    bench("starknet.js", () => {
      theirs()
    }),
    { time: 500 }
  )
})

test("Pedersen and Poseidon of two wide felts", async ({ bench }) => {
  const [a, b] = [Felt.toBigInt(felt(wide ** 11n)), Felt.toBigInt(felt(wide ** 13n))]
  expect(pedersen(a, b)).toBe(BigInt(scure.pedersen(a, b)))
  expect(poseidonOf([a])).toBe(scure.poseidonHashMany([a]))
  await bench.compare(
    bench("plumbline, Pedersen", () => {
      pedersen(a, b)
    }),
    bench("@scure/starknet, Pedersen", () => {
      scure.pedersen(a, b)
    }),
    bench("plumbline, Poseidon", () => {
      poseidonOf([a])
    }),
    bench("@scure/starknet, Poseidon", () => {
      scure.poseidonHashMany([a])
    }),
    { time: 300 }
  )
})
