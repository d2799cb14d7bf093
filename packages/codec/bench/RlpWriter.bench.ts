import { Hex, Keccak256, Quantity, Rlp, RlpWriter } from "@plumbline/codec"
import { test } from "vitest"

import { bytes } from "./inputs.ts"

const transaction = {
  nonce: 77n,
  gasPrice: 30_000_000_000n,
  gas: 210_000n,
  to: Hex.fromBytes(bytes(20)),
  value: 10n ** 18n,
  input: Hex.fromBytes(bytes(132)),
  v: 37n,
  r: BigInt(Hex.fromBytes(bytes(32, 2))),
  s: BigInt(Hex.fromBytes(bytes(32, 3)))
}

const writer = RlpWriter.make()

test("RlpWriter: the hash of a transaction", async ({ bench }) => {
  await bench.compare(
    bench("RlpWriter", () => {
      writer.reset()
      const list = writer.beginList()
      writer.quantity(transaction.nonce)
      writer.quantity(transaction.gasPrice)
      writer.quantity(transaction.gas)
      writer.data(transaction.to)
      writer.quantity(transaction.value)
      writer.data(transaction.input)
      writer.quantity(transaction.v)
      writer.quantity(transaction.r)
      writer.quantity(transaction.s)
      writer.endList(list)
      return writer.hash(0)
    }),
    bench("Rlp.encode", () =>
      Keccak256.hash(
        Rlp.encode([
          Quantity.toBytes(transaction.nonce),
          Quantity.toBytes(transaction.gasPrice),
          Quantity.toBytes(transaction.gas),
          Hex.toBytesUnsafe(transaction.to),
          Quantity.toBytes(transaction.value),
          Hex.toBytesUnsafe(transaction.input),
          Quantity.toBytes(transaction.v),
          Quantity.toBytes(transaction.r),
          Quantity.toBytes(transaction.s)
        ])
      )),
    { time: 200 }
  )
})
