/** Overrides of the state and the block: what the caller gives is not read, and the evidence names it. */
import { assert, describe, it } from "@effect/vitest"
import { createAddressFromString, createContractAddress } from "@ethereumjs/util"
import type { Address, Hash32 } from "@plumbline/codec"
import { type CallOverrides, EthEvidence, EthReason } from "@plumbline/eth-methods"
import { Effect } from "effect"

import { call, CONTRACT, FROM, OTHER, type Setting } from "./support/calling.ts"
import * as MadeNode from "./support/madeNode.ts"

const word = (value: bigint | number) => MadeNode.word(value) as Hash32.Hash32

/** Returns the word that code at the top of the stack leaves: `MSTORE` at 0, `RETURN` of 32 bytes. */
const RETURN = "5f5260205ff3"

/** Calls with overrides, and gives the returned bytes, the overrides in the evidence and the accounts that were read. */
const overridden = Effect.fnUntraced(function* (
  setting: Setting,
  state?: CallOverrides.StateOverride,
  block?: CallOverrides.BlockOverride
) {
  const asked: Array<string> = []
  const { value } = yield* call({
    ...setting,
    stateOverride: state,
    blockOverride: block,
    lie: (method, answer, params) => {
      if (method === "eth_getProof" || method === "eth_getCode") asked.push(`${method} ${params[0]}`)
      return setting.lie === undefined ? answer : setting.lie(method, answer, params)
    }
  })
  assert.strictEqual(value._tag, "VERIFIED")
  const run = value.proven.find(EthEvidence.CallRun.is)!
  return {
    data: value.value._tag === "Halted" ? value.value.halt : value.value.data,
    altered: run.overridden,
    sentence: run.sentence,
    read: run.accounts.map(({ address }) => address),
    asked
  }
})

const refusal = (setting: Setting, state?: CallOverrides.StateOverride, block?: CallOverrides.BlockOverride) =>
  Effect.map(Effect.flip(call({ ...setting, stateOverride: state, blockOverride: block })), (error) => {
    const reason = error._tag === "UnprovenError" ? error.claims[0]?.reason : undefined
    return reason !== undefined && EthReason.CallNotRun.is(reason) ? reason.cause.message : error.message
  })

describe("an account whose fields are all overridden", () => {
  it.effect("is not read at all", () =>
    Effect.gen(function* () {
      // the balance of OTHER, plus its slot 1 by a call that returns it
      const reader = { [CONTRACT]: { code: `0x73${OTHER.slice(2)}31${RETURN}` as const } }
      const { altered, asked, data, read, sentence } = yield* overridden(
        { accounts: reader },
        { [OTHER]: { balance: 77n, nonce: 3n, code: "0x00", state: {} } }
      )
      assert.strictEqual(data, word(77n))
      assert.deepEqual(altered, {
        accounts: [{ address: OTHER as Address.Address, fields: ["balance", "nonce", "code", "state"], slots: 0 }],
        block: []
      })
      assert.deepEqual(read, [CONTRACT])
      assert.notInclude(asked.join(), OTHER)
      assert.include(
        sentence,
        `all proven; hypothetical, because the caller overrode balance, nonce, code, state (0) of ${OTHER}`
      )
    })
  )
})

describe("code", () => {
  it.effect("is run in place of the account's, and storage stays proven", () =>
    Effect.gen(function* () {
      const setting = { code: "0x00", storage: { 1: 5n } } as const
      const { asked, data } = yield* overridden(setting, { [CONTRACT]: { code: `0x600154${RETURN}` } })
      assert.strictEqual(data, word(5n))
      assert.deepEqual(
        asked.filter((text) => text.startsWith("eth_getCode")),
        []
      )
    })
  )

  it.effect("can be given to an account that does not exist, which gets another spelling of its address", () =>
    Effect.gen(function* () {
      const address = "0x000000000000000000000000000000000000ABCD" as const
      const { data } = yield* overridden(
        { request: { to: address.toLowerCase() as typeof address } },
        { [address]: { code: `0x602a${RETURN}` } }
      )
      assert.strictEqual(data, word(42n))
    })
  )
})

describe("storage", () => {
  const sum = `0x6001546002540160035401${RETURN}` as const
  const setting = { code: sum, storage: { 1: 100n, 2: 20n, 3: 3n } } as const

  it.effect("by stateDiff replaces single slots", () =>
    Effect.gen(function* () {
      const { altered, data } = yield* overridden(setting, { [CONTRACT]: { stateDiff: { [word(2)]: word(50) } } })
      assert.strictEqual(data, word(153n))
      assert.deepEqual(altered?.accounts, [{ address: CONTRACT as Address.Address, fields: ["stateDiff"], slots: 1 }])
    })
  )

  it.effect("by state replaces all slots: the others are zero without a proof", () =>
    Effect.gen(function* () {
      const keys: Array<string> = []
      const { data } = yield* overridden(
        {
          ...setting,
          lie: (method, answer, params) => {
            if (method === "eth_getProof") keys.push(...params[1])
            return answer
          }
        },
        { [CONTRACT]: { state: { [word(2)]: word(50) } } }
      )
      assert.strictEqual(data, word(50n))
      assert.deepEqual(keys, [])
    })
  )

  it.effect("counts as the value before the transaction, by which SSTORE is priced", () =>
    Effect.gen(function* () {
      // the gas of writing 7 to slot 1
      const code = `0x5a60076001555a9003${RETURN}` as const
      const gas = (state?: CallOverrides.StateOverride) =>
        Effect.map(overridden({ code, storage: { 1: 9n } }, state), ({ data }) => BigInt(data))
      const changed = yield* gas()
      const same = yield* gas({ [CONTRACT]: { stateDiff: { [word(1)]: word(7) } } })
      const fresh = yield* gas({ [CONTRACT]: { state: {} } })
      // EIP-2929 and EIP-2200: 2900 or 20,000 beside 2100 for a cold slot; an equal value costs 100
      assert.deepEqual([changed - same, fresh - changed], [2800n, 17_100n])
    })
  )
})

describe("a contract can be made at an emptied account", () => {
  it.effect("only if its storage is given, as in geth (EIP-7610)", () =>
    Effect.gen(function* () {
      const at = createContractAddress(createAddressFromString(FROM), 0n).toString()
      const accounts = { [at]: { code: "0x00", nonce: 1n, storage: { 1: 7n } } } as const
      const setting = { accounts, request: { from: FROM, to: null, data: `0x602a${RETURN}` } } as const
      const empty = { code: "0x", nonce: 0n } as const
      const cases: ReadonlyArray<readonly [CallOverrides.AccountOverride, string]> = [
        [empty, "create collision"],
        [{ ...empty, balance: 0n }, "create collision"],
        [{ ...empty, balance: 0n, stateDiff: { [word(1)]: word(0) } }, "create collision"],
        [{ ...empty, state: {} }, word(42)],
        [{ ...empty, balance: 0n, state: { [word(5)]: word(5) } }, word(42)]
      ]
      for (const [override, expected] of cases) {
        assert.strictEqual(
          (yield* overridden(setting, { [at]: override })).data,
          expected,
          JSON.stringify(Object.keys(override))
        )
      }
    })
  )
})

describe("balance and nonce", () => {
  it.effect("let a sender without ether pay, and name the contract that it creates", () =>
    Effect.gen(function* () {
      const request = { from: FROM, value: 5n } as const
      const poor = yield* overridden({ code: `0x34${RETURN}`, request })
      assert.strictEqual(poor.data, "insufficient funds for gas * price + value")
      const rich = yield* overridden({ code: `0x34${RETURN}`, request }, { [FROM]: { balance: 5n } })
      assert.strictEqual(rich.data, word(5n))
      const creation = { request: { from: FROM, to: null, data: `0x30${RETURN}` } } as const
      const [zero, seven] = [yield* overridden(creation), yield* overridden(creation, { [FROM]: { nonce: 7n } })]
      const from = createAddressFromString(FROM)
      assert.strictEqual(zero.data, word(BigInt(createContractAddress(from, 0n).toString())))
      assert.strictEqual(seven.data, word(BigInt(createContractAddress(from, 7n).toString())))
    })
  )
})

describe("the block", () => {
  it.effect("has the caller's fields", () =>
    Effect.gen(function* () {
      const fields: ReadonlyArray<readonly [opcode: string, CallOverrides.BlockOverride, bigint]> = [
        ["43", { number: 1500n }, 1500n],
        ["42", { time: 1_760_000_000n }, 1_760_000_000n],
        ["41", { feeRecipient: OTHER }, BigInt(OTHER)],
        ["45", { gasLimit: 9n }, 9n],
        ["44", { prevRandao: word(0xabcdefn) }, 0xabcdefn],
        ["4a", { blobBaseFee: 11n }, 11n]
      ]
      for (const [opcode, block, expected] of fields) {
        const { altered, data } = yield* overridden({ code: `0x${opcode}${RETURN}` }, undefined, block)
        assert.strictEqual(data, word(expected), opcode)
        assert.deepEqual(altered, { accounts: [], block: Object.keys(block) })
      }
      const priced = { from: FROM, gasPrice: 30n, gas: 100_000n } as const
      const rich = { [FROM]: { balance: 10n ** 18n } }
      const paid = yield* overridden({ code: `0x48${RETURN}`, request: priced }, rich, { baseFeePerGas: 20n })
      assert.strictEqual(paid.data, word(20n))
      // as in geth, a call without a price sees a base fee of zero
      const free = yield* overridden({ code: `0x48${RETURN}` }, undefined, { baseFeePerGas: 20n })
      assert.strictEqual(free.data, word(0n))
    })
  )

  it.effect("gives the hashes of real blocks under an overridden number, and refuses any other", () =>
    Effect.gen(function* () {
      // BLOCKHASH(998)
      const at = (number: number) =>
        ({ code: `0x61${number.toString(16).padStart(4, "0")}40${RETURN}`, older: 3 }) as Setting
      const plain = yield* overridden(at(998))
      const later = yield* overridden(at(998), undefined, { number: 1100n })
      assert.strictEqual(later.data, plain.data)
      assert.notStrictEqual(plain.data, word(0))
      assert.match(
        yield* refusal(at(1000), undefined, { number: 1100n }),
        /not supported: the hash of block 1000 under an overridden number/u
      )
      // outside of the 256 blocks, the opcode gives zero without a hash
      const old = yield* overridden(at(998), undefined, { number: 1300n })
      assert.strictEqual(old.data, word(0))
    })
  )
})

describe("an override is refused", () => {
  it.effect("with its reason", () =>
    Effect.gen(function* () {
      const setting = { code: "0x00" } as const
      const other = { [OTHER]: { balance: 1n } }
      const cases: ReadonlyArray<readonly [CallOverrides.StateOverride | undefined, object | undefined, RegExp]> = [
        [{ [OTHER]: { movePrecompileToAddress: FROM } }, undefined, /moves a precompiled contract/u],
        [{ [`0x${"0".repeat(39)}4`]: { code: "0x00" } }, undefined, /of a precompiled contract/u],
        [{ [OTHER]: { state: {}, stateDiff: {} } }, undefined, /both state and stateDiff/u],
        [{ [OTHER]: { nonce: 2n ** 64n } }, undefined, /nonce of more than 64 bits/u],
        [{ ...other, [OTHER.toUpperCase().replace("0X", "0x")]: {} }, undefined, /two overrides of one account/u],
        [{ [OTHER]: { code: `0x${"00".repeat(65_537)}` } }, undefined, /its bound of 65536: bytes of code/u],
        [undefined, { beaconRoot: word(1) }, /an override of the block's beaconRoot/u],
        [undefined, { time: 2n ** 64n }, /time of more than 64 bits/u]
      ]
      for (const [state, block, text] of cases) assert.match(yield* refusal(setting, state, block), text)
    })
  )

  it.effect("if a lie of the node is beside it: the rest of the account stays proven", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(
        call({
          code: "0x00",
          storage: { 1: 5n },
          stateOverride: { [CONTRACT]: { code: `0x600154${RETURN}` } },
          lie: (method, answer) =>
            method === "eth_getProof"
              ? { ...answer, storageProof: answer.storageProof.map((slot: object) => ({ ...slot, value: "0x6" })) }
              : answer
        })
      )
      assert.include(failed, { _tag: "RefutedError", check: "storageProof[0].value" })
    })
  )
})
