/** The attributes deposits that op-geth accepted, read back, in the values that the recorder wrote. */
import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { keccak256, stringToHex } from "viem"

import { L1Attributes, Transaction } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import { chains } from "../support/opStackChain.ts"

const deposits = chains.flatMap(({ blocks, fork }) =>
  blocks.map(({ block }, i) => {
    const transaction = Made.decodeTransaction(Made.list(block["transactions"])[0])
    assert(Transaction.isDeposit(transaction))
    return { fork, number: i + 1, transaction }
  })
)

const scalars = { baseFeeScalar: 2_269n, blobBaseFeeScalar: 1_055_762n, blobBaseFee: 9_000_000n }
const operator = { operatorFeeScalar: 11n, operatorFeeConstant: 13n }
const ecotone = { form: "Ecotone", ...scalars }
const forms: Readonly<Record<string, object>> = {
  bedrock: { form: "Bedrock", overhead: 188n, scalar: 684_000n },
  regolith: { form: "Bedrock", overhead: 188n, scalar: 684_000n },
  canyon: { form: "Bedrock", overhead: 188n, scalar: 684_000n },
  ecotone,
  holocene: ecotone,
  isthmus: { form: "Isthmus", ...scalars, ...operator },
  jovian: { form: "Jovian", ...scalars, ...operator, daFootprintGasScalar: 148n },
  karst: { form: "Jovian", ...scalars, ...operator, daFootprintGasScalar: 148n }
}

it("are read in the form of each fork", () => {
  assert.isAbove(deposits.length, 10)
  for (const { fork, number, transaction } of deposits) {
    assert.deepStrictEqual<unknown>(Result.getOrThrow(L1Attributes.decode(transaction)), {
      ...forms[fork],
      number: 100n,
      timestamp: 1_690_000_000n,
      hash: keccak256(stringToHex("an L1 block")),
      baseFee: 7_000_000_000n,
      sequenceNumber: BigInt(number),
      batcher: `0x${"50".repeat(20)}`
    })
  }
})

it("are refused by the name of the field that is wrong", () => {
  for (const { transaction } of deposits) {
    const { hash, input, to } = transaction
    const longer: `0x${string}` = `${input}00`
    const wrong: ReadonlyArray<readonly [Partial<Transaction.Deposit>, string]> = [
      [{ from: to! }, "from"],
      [{ to: transaction.from }, "to"],
      [{ to: null }, "to"],
      [{ input: "0x" }, "input"],
      [{ input: longer }, "input"],
      [{ input: `0x11${input.slice(4)}` }, "input"],
      [{ sourceHash: hash }, "sourceHash"],
      // another hash of L1 in the calldata
      [
        { input: `${input.slice(0, 202)}${input[202] === "0" ? "1" : "0"}${input.slice(203)}` as `0x${string}` },
        "sourceHash"
      ]
    ]
    for (const [change, field] of wrong) {
      const result = L1Attributes.decode({ ...transaction, ...change })
      assert.strictEqual(Result.isFailure(result) ? result.failure.field : "none", field)
    }
  }
})
