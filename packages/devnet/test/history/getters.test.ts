/**
 * Reads the variables of the history chain's contracts by name, with proofs, at many blocks. Compares them with the
 * contracts' own getters, which ethereumjs runs on the words that viem reads from the archive.
 */
import { readFileSync } from "node:fs"

import { assert, layer } from "@effect/vitest"
import { MerkleStateManager } from "@ethereumjs/statemanager"
import { type Address as EvmAddress, createAddressFromString } from "@ethereumjs/util"
import { createVM } from "@ethereumjs/vm"
import { Address, Hash32 } from "@plumbline/codec"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { ContractStorage, Layout, Location } from "@plumbline/storage-layout"
import { Effect, Layer, Result } from "effect"
import solc from "solc"
import {
  type Abi,
  type AbiFunction,
  bytesToHex,
  decodeFunctionResult,
  encodeFunctionData,
  hexToBytes,
  keccak256
} from "viem"

import { History, HistoryChain } from "../../src/index.ts"
import { accountsAt, blocks, codes, slotsOf } from "../support/history.ts"
import "../support/shared.ts"

const { accounts, contracts } = HistoryChain

/** The storage of one account, read from the archive. */
class Archived extends MerkleStateManager {
  readonly #slots: ReadonlyMap<string, bigint>

  constructor(slots: ReadonlyMap<string, bigint>) {
    super()
    this.#slots = slots
  }

  override async getStorage(_: EvmAddress, key: Uint8Array): Promise<Uint8Array> {
    const word = this.#slots.get(keccak256(key)) ?? 0n
    return word === 0n ? new Uint8Array(0) : hexToBytes(`0x${word.toString(16).padStart(64, "0")}`)
  }
}

/** Returns the result of a getter after a block; undefined if it reverts. */
const getters = async (address: string, number: number, abi: Abi) => {
  const account = accountsAt(number).get(keccak256(address as `0x${string}`))!
  const vm = await createVM({ stateManager: new Archived(slotsOf(account)) })
  const code = codes.get(account.codeHash)!
  return async (functionName: string, args: ReadonlyArray<unknown>): Promise<unknown> => {
    const data = hexToBytes(encodeFunctionData({ abi, functionName, args: [...args] }))
    const { exceptionError, returnValue } = await vm.evm.runCode({ code, data, to: createAddressFromString(address) })
    if (exceptionError !== undefined) return undefined
    return decodeFunctionResult({ abi, functionName, data: bytesToHex(returnValue) })
  }
}

const sources = new URL("../../contracts/", import.meta.url)

const compile = (name: string) => {
  const file = new URL(`${name}.sol`, sources)
  const input = {
    language: "Solidity",
    sources: { [`${name}.sol`]: { content: readFileSync(file, "utf8") } },
    settings: { outputSelection: { "*": { "*": ["abi", "storageLayout"], "": ["ast"] } } }
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const layout = Result.getOrThrow(Layout.fromSolcOutput(output, name))
  const abi: Abi = output.contracts[`${name}.sol`][name].abi
  const names = new Set(layout.variables.map((variable) => variable.name))
  const functions = abi.filter((item): item is AbiFunction => item.type === "function" && names.has(item.name))
  return { abi, functions, layout }
}

/** Returns arguments that lead to a value, and some that do not. */
const candidates = (type: string): ReadonlyArray<unknown> => {
  switch (type) {
    case "address":
      return accounts.slice(0, 4).map((account) => account.address)
    case "string":
      return ["", "history", "one\\two", "zwölf"]
    case "uint256":
      return [0n, 1n, 2n, 7n, 19n, 18_000n, 20_000n]
    default:
      return []
  }
}

const combinations = (types: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<unknown>> =>
  types.reduce<ReadonlyArray<ReadonlyArray<unknown>>>(
    (all, type) => all.flatMap((args) => candidates(type).map((arg) => [...args, arg])),
    [[]]
  )

const plain = (value: unknown): unknown =>
  typeof value === "number"
    ? BigInt(value)
    : typeof value === "string" && value.startsWith("0x")
      ? value.toLowerCase()
      : value

const PHASES = ["Draft", "Open", "Closed"]

/** Returns the text of an argument as a key in a path. */
const textOf = (arg: unknown): string =>
  typeof arg === "string" && !arg.startsWith("0x") ? JSON.stringify(arg) : String(arg)

const clients = ContractStorage.layer().pipe(
  Layer.provide(VerdictEthClient.layer()),
  Layer.provide([History.layerTransport(), TrustedBlock.layerNone()])
)

layer(clients)("the variables of the history chain's contracts", (it) => {
  for (const [id, name] of [
    ["token", "Token"],
    ["cabinet", "Cabinet"]
  ] as const) {
    it.effect(`are, proven, what the getters of the ${id} return at blocks of every fork`, () =>
      Effect.gen(function* () {
        const { address, block: first } = contracts[id]
        const { abi, functions, layout } = compile(name)
        const storage = yield* ContractStorage.ContractStorage
        const contract = { address: Address.fromHexUnsafe(address), layout }
        assert.isAbove(functions.length, 4)
        let compared = 0
        for (const number of [...blocks.keys()].filter((number) => number >= first && (number - first) % 6 === 0)) {
          const get = yield* Effect.promise(() => getters(address, number, abi))
          const expected = new Map<string, unknown>()
          for (const { inputs, name, outputs } of functions) {
            for (const args of combinations(inputs.map(({ type }) => type))) {
              const returned = yield* Effect.promise(() => get(name, args))
              const place = `${name}${args.map((arg) => `[${textOf(arg)}]`).join("")}`
              if (Result.isFailure(Location.locate(layout, place))) assert.isUndefined(returned, place)
              else if (outputs.length === 1) expected.set(place, returned)
              // a getter returns a struct as its members, without arrays and mappings
              else
                for (const [i, { name }] of outputs.entries()) {
                  expected.set(`${place}.${name}`, (returned as ReadonlyArray<unknown> | undefined)?.[i])
                }
            }
          }
          const hash = Hash32.fromHexUnsafe(bytesToHex(blocks[number]!.hash()))
          const paths = [...expected.keys()]
          const verdict = yield* storage.readMany(contract, paths, { block: hash })
          assert.strictEqual(verdict._tag, "VERIFIED")
          assert.deepStrictEqual(verdict.anchor, { _tag: "Block", hash })
          for (const [i, place] of paths.entries()) {
            const { flaws, value } = verdict.value.variables[i]!
            const returned = expected.get(place)
            const where = `${place} at block ${number}`
            if (returned === undefined) {
              assert.deepStrictEqual(
                flaws.map(({ reason }) => reason),
                ["OutOfRange"],
                where
              )
              continue
            }
            const got = place === "phase" && typeof value === "string" ? BigInt(PHASES.indexOf(value)) : value
            assert.deepStrictEqual<unknown>(got, plain(returned), where)
            compared++
          }
        }
        assert.isAbove(compared, 100)
      })
    )
  }
})
