/** The state that a call sees. Expected values follow from the Yellow Paper and the EIPs by hand. */
import { assert, describe, it } from "@effect/vitest"
import { createAddressFromString, createContractAddress } from "@ethereumjs/util"
import { Hex, Keccak256 } from "@plumbline/codec"
import { Effect } from "effect"

import { call, CONTRACT, FROM, OTHER, outcome, type Setting, using } from "./support/calling.ts"
import * as MadeNode from "./support/madeNode.ts"

const { word } = MadeNode

/** Stores the top of the stack in memory, and returns it. */
const RETURN = "5f5260205ff3"

const push = (address: string) => `73${address.slice(2)}`

/** Calls an address with all gas and no data, and leaves the flag on the stack. */
const callTo = (address: string, value = "5f") => `5f5f5f5f${value}${push(address)}5af1`

describe("storage", () => {
  it.effect("gives the proven word, and zero for a slot that is proven empty", () =>
    Effect.gen(function* () {
      const slot = (n: number) =>
        outcome({ code: `0x60${n.toString(16).padStart(2, "0")}54${RETURN}`, storage: { 1: 42n } })
      assert.include(yield* slot(1), { _tag: "Returned", data: word(42) })
      assert.include(yield* slot(2), { _tag: "Returned", data: word(0) })
    })
  )

  it.effect("keeps a word that the call set to zero", () =>
    Effect.gen(function* () {
      const read = yield* outcome({ code: `0x5f600155600154${RETURN}`, storage: { 1: 42n } })
      assert.include(read, { _tag: "Returned", data: word(0) })
    })
  )

  it.effect("takes back what a reverted inner call wrote, and keeps what came before", () =>
    Effect.gen(function* () {
      // with data: set slot 1 to 9 and revert; without: set slot 1 to 7, call itself with a byte of data, and read
      const inner = "60096001555f5ffd"
      const main = `60076001555f5f60015f5f305af150600154${RETURN}`
      const at = (4 + main.length / 2).toString(16).padStart(2, "0")
      const code = `0x3660${at}57${main}5b${inner}` as const
      assert.include(yield* outcome({ code, storage: { 1: 42n } }), { _tag: "Returned", data: word(7) })
    })
  )

  it.effect("prices a write by the word before the transaction (EIP-2200, 3529)", () =>
    Effect.gen(function* () {
      // PUSH0 PUSH0 SSTORE: 2 + 2 + 2100 (cold) + 2900 (to zero), refund 4800
      const cleared = yield* outcome({ code: "0x5f5f55", storage: { 0: 42n } })
      assert.include(cleared, { _tag: "Returned", gasUsed: 21_000n + 5004n - 4800n })
      // 42 -> 0 -> 42: the second write costs 100, and takes the refund of 4800 back for one of 2800
      const restored = yield* outcome({ code: "0x5f5f55602a5f55", storage: { 0: 42n } })
      assert.include(restored, { _tag: "Returned", gasUsed: 21_000n + 5004n + 2n + 3n + 100n - 2800n })
    })
  )
})

describe("accounts", () => {
  it.effect("that are absent have no hash of code, and cost 25,000 to make", () =>
    Effect.gen(function* () {
      assert.include(yield* outcome({ code: `0x${push(OTHER)}3f${RETURN}` }), { data: word(0) })
      const empty = yield* outcome({ code: `0x${push(OTHER)}3f${RETURN}`, accounts: { [OTHER]: { balance: 1n } } })
      assert.include(empty, { data: Keccak256.EMPTY })
      const pays = (accounts: {}) =>
        outcome({
          code: `0x${callTo(OTHER, "6001")}00`,
          accounts,
          request: { from: FROM, value: 5n }
        })
      const made = yield* pays({ [FROM]: { balance: 5n } })
      const known = yield* pays({ [FROM]: { balance: 5n }, [OTHER]: { balance: 1n } })
      assert.strictEqual(made.gasUsed - known.gasUsed, 25_000n)
    })
  )

  it.effect("that are absent are proven so, even if the node writes zeros for the hashes", () =>
    Effect.gen(function* () {
      const { value } = yield* call({
        code: `0x${push(OTHER)}31${RETURN}`,
        lie: (method, answer, [address]) =>
          method === "eth_getProof" && address === OTHER
            ? { ...answer, codeHash: word(0), storageHash: word(0) }
            : answer
      })
      assert.strictEqual(value._tag, "VERIFIED")
      assert.include(value.value, { data: word(0) })
    })
  )

  it.effect(
    "with a delegation run the delegate's code over their own storage, and have 23 bytes of code (EIP-7702)",
    () =>
      Effect.gen(function* () {
        const delegated = { code: `0xef0100${OTHER.slice(2)}`, storage: { 1: 7n } } as const
        const delegate = { [OTHER]: { code: `0x600154${RETURN}`, storage: { 1: 9n } } } as const
        assert.include(yield* outcome({ ...delegated, accounts: delegate }), { data: word(7) })
        const size = yield* outcome({
          code: `0x${push(FROM)}3b${RETURN}`,
          accounts: { [FROM]: { code: delegated.code }, ...delegate }
        })
        assert.include(size, { data: word(23) })
      })
  )

  it.effect("of the sender are proven only if the outcome depends on them", () =>
    Effect.gen(function* () {
      const lie: Setting["lie"] = (method, answer, [address]) =>
        method === "eth_getProof" && address === FROM ? undefined : answer
      const request = { from: FROM } as const
      const accounts = { [FROM]: { balance: 7n } } as const
      assert.include(yield* outcome({ code: `0x33${RETURN}`, accounts, request, lie }), { data: word(BigInt(FROM)) })
      // its balance, and the hash of its code, which exists because the call raised its nonce
      assert.include(yield* outcome({ code: `0x3331${RETURN}`, accounts, request }), { data: word(7) })
      assert.include(yield* outcome({ code: `0x333f${RETURN}`, request }), { data: Keccak256.EMPTY })
      // a proxy by DELEGATECALL, to a precompiled contract and to code that reads the sender's balance
      const proxy = `0x5f5f5f5f60045af4505f5f5f5f73${OTHER.slice(2)}5af4503331${RETURN}` as const
      const implementation = { [OTHER]: { code: "0x3331505f5ffd" }, ...accounts } as const
      assert.include(yield* outcome({ code: proxy, accounts: implementation, request }), { data: word(7) })
      const through = `0x5f5f5f5f73${OTHER.slice(2)}5af4${RETURN}` as const
      const idle = { [OTHER]: { code: "0x00" }, ...accounts } as const
      assert.include(yield* outcome({ code: through, accounts: idle, request, lie }), { data: word(1) })
      const needs: ReadonlyArray<Setting> = [
        { code: `0x3331${RETURN}`, request },
        { code: "0x00", request: { ...request, value: 1n } },
        { code: "0x00", request: { ...request, gasPrice: 10n ** 9n } },
        { request: { ...request, to: null, data: "0x00" } }
      ]
      for (const setting of needs) {
        assert.strictEqual((yield* Effect.flip(call({ accounts, lie, ...setting })))._tag, "UnprovenError")
      }
    })
  )

  it.effect("must be able to pay the value", () =>
    Effect.gen(function* () {
      const send = (balance: bigint) =>
        outcome({ code: `0x34${RETURN}`, accounts: { [FROM]: { balance } }, request: { from: FROM, value: 5n } })
      assert.include(yield* send(5n), { _tag: "Returned", data: word(5) })
      assert.include(yield* send(4n), { _tag: "Halted", halt: "insufficient funds for gas * price + value" })
    })
  )
})

describe("a creation that ends with bytes that begin with 0xef", () => {
  /** PUSH1 0xef, PUSH0, MSTORE8, PUSH1 2, PUSH0, and REVERT or RETURN. */
  const ending = (opcode: "fd" | "f3") => `60ef5f5360025f${opcode}`

  it.effect("has reverted with them, or halts because of them, also without the gas for a code", () =>
    Effect.gen(function* () {
      const create = (opcode: "fd" | "f3", gas = 100_000n) =>
        outcome({ request: { to: null, data: `0x${ending(opcode)}`, gas } })
      const reverted = yield* create("fd")
      assert.include(reverted, { _tag: "Reverted", data: "0xef00" })
      assert.isBelow(Number(reverted.gasUsed), 60_000)
      // a code of two bytes costs 400 gas
      for (const gas of [100_000n, reverted.gasUsed + 399n]) {
        assert.include(yield* create("f3", gas), { _tag: "Halted", halt: "invalid bytecode deployed", gasUsed: gas })
      }
    })
  )

  it.effect("gives its bytes to the code that made it", () =>
    Effect.gen(function* () {
      const init = ending("fd")
      const size = init.length / 2
      const made = `67${init.padStart(16, "0")}5f5260${size.toString(16).padStart(2, "0")}60${(32 - size).toString(16)}5ff0`
      const code = `0x${made}503d5f5f3e3d5ff3` as const
      assert.include(yield* outcome({ code }), { _tag: "Returned", data: "0xef00" })
    })
  )
})

/** No hardfork has the format of EIP-3540, whose codes begin so. */
describe("a code that begins with 0xef00", () => {
  it.effect("is one like any other to code that reads it", () =>
    Effect.gen(function* () {
      const other = "0xef00aa"
      const size = `${push(OTHER)}3b5f52`
      const hash = `${push(OTHER)}3f602052`
      const copy = `602060016040${push(OTHER)}3c`
      const read = `0x${size}${hash}${copy}60605ff3` as const
      const expected = [word(3), Keccak256.hashHex(Hex.toBytesUnsafe(other)), `0x00aa${"00".repeat(30)}`]
      const data = `0x${expected.map((text) => text.slice(2)).join("")}` as const
      assert.include(yield* outcome({ code: read, accounts: { [OTHER]: { code: other } } }), { _tag: "Returned", data })
      assert.include(yield* outcome({ code: read, stateOverride: { [OTHER]: { code: other } } }), { data })
    })
  )

  it.effect("makes no contract, and costs all its gas and a nonce as an invalid instruction does", () =>
    Effect.gen(function* () {
      const at = (nonce: bigint) => BigInt(createContractAddress(createAddressFromString(CONTRACT), nonce).toString())
      const accounts = (code: MadeNode.Text) => ({ [CONTRACT]: { code, nonce: 5n } })
      // two bytes of memory as code, then no code at all; the second contract has the creator's next nonce
      for (const create of ["6002601e5ff0", "5f6002601e5ff5"]) {
        const ends: Array<bigint> = []
        for (const code of ["ef00", "fe00"]) {
          const made = `0x61${code}5f52${create}5f525f5f5ff060205260405ff3` as const
          const end = yield* outcome({ accounts: accounts(made) })
          assert.include(end, { _tag: "Returned", data: `${word(0)}${word(at(6n)).slice(2)}` })
          ends.push(end.gasUsed)
        }
        assert.strictEqual(ends[0], ends[1])
        assert.isAbove(Number(ends[0]), 49_000_000)
      }
    })
  )
})

describe("block hashes", () => {
  const ask = Effect.fnUntraced(function* (number: number, history: boolean) {
    const made = yield* Effect.promise(() =>
      MadeNode.make({ [CONTRACT]: { code: `0x5f3540${RETURN}` } }, { older: 5, history })
    )
    const { packets, value } = yield* using(made.answers, (eth) =>
      eth.call({ to: CONTRACT, data: word(number) }, made.hash)
    )
    const found = made.blocks.find(({ header }) => header.number === BigInt(number))
    const headers = packets.flat().filter((method) => method.startsWith("eth_getBlockBy")).length
    return { call: value, hash: found === undefined ? word(0) : Hex.fromBytes(found.hash()), headers }
  })

  it.effect("of older blocks are proven by their parents, and cost nothing for the parent", () =>
    Effect.gen(function* () {
      const older = yield* ask(996, false)
      assert.strictEqual(older.call._tag, "VERIFIED")
      assert.include(older.call.value, { data: older.hash })
      assert.strictEqual(older.headers, 5)
      const parent = yield* ask(999, false)
      assert.include(parent.call.value, { data: parent.hash })
      assert.strictEqual(parent.headers, 1)
    })
  )

  it.effect("are proven in one step by the newer state (EIP-2935)", () =>
    Effect.gen(function* () {
      const older = yield* ask(995, true)
      assert.include(older.call.value, { data: older.hash })
      assert.strictEqual(older.headers, 2)
    })
  )

  it.effect("are zero for the block itself, a later one, and one before the last 256", () =>
    Effect.gen(function* () {
      for (const number of [1000, 1001, 743]) {
        assert.include((yield* ask(number, false)).call.value, { _tag: "Returned", data: word(0) })
      }
    })
  )
})

describe("precompiled contracts", () => {
  it.effect("give RIPEMD-160 in 32 bytes, padded on the left", () =>
    Effect.gen(function* () {
      // the digest of no bytes, from the paper that defines RIPEMD-160
      const result = yield* outcome({ code: "0x", request: { to: "0x0000000000000000000000000000000000000003" } })
      assert.include(result, { data: `0x${"00".repeat(12)}9c1185a5c5e9fc54612808977ee8f548b2258d31` })
    })
  )

  it.effect("that need a trusted setup are not supported, and said so", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        call({ code: "0x", request: { to: "0x000000000000000000000000000000000000000a" } })
      )
      assert.match(error.message, /not supported: the precompiled contract 0x0a/u)
    })
  )
})

it.effect("a missing read is never zero", () =>
  Effect.gen(function* () {
    // a proxy by DELEGATECALL, whose implementation the node does not prove
    const proxy = `0x5f5f5f5f${push(OTHER)}5af45f5260205ff3` as const
    const implementation = { [OTHER]: { code: "0x602a5f5260205ff3" } } as const
    assert.include(yield* outcome({ code: proxy, accounts: implementation }), { data: word(1) })
    for (const withheld of ["eth_getProof", "eth_getCode"]) {
      const error = yield* Effect.flip(
        call({
          code: proxy,
          accounts: implementation,
          lie: (method, answer, [address]) => (method === withheld && address === OTHER ? undefined : answer)
        })
      )
      assert.strictEqual(error._tag, "UnprovenError")
      assert.match(error.message, new RegExp(`the node gives no \\w+ of ${OTHER}`, "u"))
    }
    const refused = yield* Effect.flip(
      call({
        code: "0x6001545f5260205ff3",
        storage: { 1: 42n },
        lie: (method, answer, [address, keys]) =>
          method === "eth_getProof" && address === CONTRACT && keys.length > 0 ? undefined : answer
      })
    )
    assert.strictEqual(refused._tag, "UnprovenError")
  })
)
