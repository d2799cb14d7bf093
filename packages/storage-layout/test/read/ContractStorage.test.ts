import { assert, describe, it } from "@effect/vitest"
import { Address, Hash32 } from "@plumbline/codec"
import { EthEvidence, TrustedBlock } from "@plumbline/eth-methods"
import { ContractStorage, Layout, StorageEvidence } from "@plumbline/storage-layout"
import { Verdict } from "@plumbline/verdict"
import { Effect, type Layer, Result } from "effect"
import { type Hex, keccak256 } from "viem"

import * as Evm from "../support/evm.ts"
import * as Node from "../support/node.ts"
import * as Solidity from "../support/solidity.ts"

const OWNER = "0x00000000219ab540356cBB839Cbe05303d7705Fa"
const { contract, output } = Solidity.compile(`contract Vault {
  string name = "a name of more than thirty-two bytes, in words of its own";
  bool open = true; uint96 limit = 77;
  mapping(address => uint256) balances;
  uint256[] many; string[] names; uint256[1500] wide;
  uint256 transient lock;
  constructor() {
    balances[${OWNER}] = 5; wide[1400] = 9;
    for (uint i = 0; i < 3; i++) { many.push(i + 10); names.push(name); }
  }
}`)
const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "Vault"))
const deployed = Evm.deploy(contract("Vault"))

const start = (lie?: Node.Lie) =>
  Effect.promise(async () => {
    const vault = await deployed
    return { node: await Node.make(vault, lie), vault: { address: Address.fromHexUnsafe(vault.address), layout } }
  })

type Started = Effect.Success<ReturnType<typeof start>>

const readMany = (
  { node, vault }: Started,
  paths: ReadonlyArray<string>,
  options?: ContractStorage.ContractStorageOptions,
  trust: Layer.Layer<TrustedBlock.TrustedBlock> = TrustedBlock.layerNone()
) =>
  Effect.provide(
    ContractStorage.ContractStorage.use((storage) => storage.readMany(vault, paths, options)),
    node.storage(trust)
  )

const proofs = ({ node }: Started) => node.calls.filter(({ method }) => method === "eth_getProof")

describe("ContractStorage", () => {
  it.effect("proves values by the hash of the block that they were asked for at", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const paths = ["open", "limit", `balances[${OWNER}]`, "many", "name"]
      const verdict = yield* readMany(started, paths, { block: started.node.hash })
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(
        verdict.value.variables.map(({ value }) => value),
        [true, 77n, 5n, [10n, 11n, 12n], "a name of more than thirty-two bytes, in words of its own"]
      )
      assert.deepStrictEqual(verdict.anchor, { _tag: "Block", hash: started.node.hash })
      assert.strictEqual(verdict.value.blockHash, started.node.hash)
      assert.strictEqual(verdict.value.blockNumber, started.node.number)
      // the evidence proves the account and its words
      assert.deepStrictEqual(Verdict.sentences(verdict).proven, [
        `the account ${started.vault.address}, under the block's stateRoot`,
        `${verdict.value.words.size} words of the storage of ${started.vault.address}, at block ${started.node.hash}`
      ])
      // The evidence also has the trie nodes of its proofs, from the root down.
      const shown = verdict.proven.find(StorageEvidence.StorageWords.is)
      assert.deepStrictEqual(
        new Map(shown?.slots.map(({ key, value }) => [BigInt(key), value])),
        new Map(verdict.value.words)
      )
      for (const { proof } of shown?.slots ?? []) assert.strictEqual(keccak256(proof[0]!), shown?.storageRoot)
    })
  )

  it.effect("says that an address has no contract, where every variable is proven to be zero", () =>
    Effect.gen(function* () {
      const vault = yield* Effect.promise(() => Evm.deploy(contract("Vault")))
      const person = `0x${"11".repeat(20)}` as const
      yield* Effect.promise(() => vault.fund(person))
      const stateRoot = yield* Effect.promise(() => vault.stateRoot())
      for (const [address, state] of [
        [vault.address, "contract"],
        [person, "without code"],
        // one digit of the contract's address is wrong
        [vault.address.replace(/.$/u, (digit) => (digit === "0" ? "1" : "0")), "absent"]
      ] as const) {
        const proof: Evm.Deployed["proof"] = (slots, root) => vault.proof(slots, root, address as Hex)
        const node = yield* Effect.promise(() => Node.make({ ...vault, proof }, undefined, [stateRoot]))
        const reading = ContractStorage.ContractStorage.use((storage) =>
          storage.readMany({ address: address as Hex, layout }, ["limit"], { block: node.hash })
        )
        const verdict = yield* Effect.provide(reading, node.storage(TrustedBlock.layerNone()))
        assert.strictEqual(verdict._tag, "VERIFIED")
        assert.strictEqual(verdict.value.account, state)
        assert.strictEqual(verdict.value.variables[0]?.value, state === "contract" ? 77n : 0n)
        assert.strictEqual(EthEvidence.isAbsent(verdict.proven), state === "absent")
        assert.strictEqual(EthEvidence.isAbsent([]), false)
      }
    })
  )

  it.effect("reads one value", () =>
    Effect.gen(function* () {
      const { node, vault } = yield* start()
      const verdict = yield* Effect.provide(
        ContractStorage.ContractStorage.use((storage) => storage.read(vault, "many.length", { block: node.hash })),
        node.storage(TrustedBlock.layerNone())
      )
      assert.deepStrictEqual([verdict._tag, verdict.value.variable], ["VERIFIED", { value: 3n, flaws: [] }])
    })
  )

  it.effect("asks for all words of a round at once, each once, always at the same hash", () =>
    Effect.gen(function* () {
      const started = yield* start()
      // three rounds read the length of an array, then the words of its strings, then the content of the strings
      yield* readMany(started, ["names", "names[0]", "open", "limit", "name"], { block: "latest" })
      const asked = proofs(started).map(({ params }) => params as ReadonlyArray<any>)
      assert.lengthOf(asked, 3)
      for (const [, , block] of asked) assert.deepStrictEqual(block, { blockHash: started.node.hash })
      const slots = asked.flatMap(([, slots]) => slots)
      assert.strictEqual(new Set(slots).size, slots.length)
      // the tag was resolved only once
      assert.lengthOf(
        started.node.calls.filter(({ method }) => method === "eth_getBlockByNumber"),
        1
      )
    })
  )

  it.effect("asks for no more slots in one call than nodes take", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const verdict = yield* readMany(started, ["wide"], { block: started.node.hash })
      assert.strictEqual((verdict.value.variables[0]!.value as ReadonlyArray<bigint>)[1400], 9n)
      const sizes = proofs(started).map(({ params }) => (params[1] as ReadonlyArray<string>).length)
      assert.deepStrictEqual(
        sizes.toSorted((a, b) => a - b),
        [1500 - ContractStorage.MAX_SLOTS, ContractStorage.MAX_SLOTS]
      )
      // The block is read only once for both.
      assert.lengthOf(
        started.node.calls.filter(({ method }) => method.startsWith("eth_getBlock")),
        1
      )
    })
  )

  it.effect("is as sure of a tag or number as trust is", () =>
    Effect.gen(function* () {
      const started = yield* start()
      for (const block of ["latest", started.node.number, { blockNumber: started.node.number }] as const) {
        const claimed = yield* readMany(started, ["limit"], { block })
        assert.strictEqual(claimed._tag, "CLAIMED")
        assert.deepStrictEqual(claimed.value.variables[0]?.value, 77n)
        const pinned = TrustedBlock.layerPinned(started.node.hash)
        const verified = yield* readMany(started, ["limit"], { block }, pinned)
        assert.strictEqual(verified._tag, "VERIFIED")
        assert.deepStrictEqual(
          verified.claimed.map(({ field }) => field),
          block === "latest" ? ["block"] : []
        )
      }
    })
  )

  it.effect("refutes a node that changes a word, an answer's order, or leaves a slot out", () =>
    Effect.gen(function* () {
      const changes: ReadonlyArray<(slots: ReadonlyArray<any>) => ReadonlyArray<any>> = [
        ([first, ...rest]) => [{ ...first, value: "0x7" }, ...rest],
        (slots) => slots.toReversed(),
        (slots) => slots.slice(1)
      ]
      for (const change of changes) {
        const started = yield* start((method, answer) =>
          method === "eth_getProof" ? { ...answer, storageProof: change(answer.storageProof) } : answer
        )
        const error = yield* Effect.flip(readMany(started, ["limit", "many[1]"], { block: started.node.hash }))
        assert.match(error._tag === "RefutedError" ? error.check : "", /^storageProof/)
      }
    })
  )

  it.effect("does not take a slot that nobody proved and nobody sent for zero", () =>
    Effect.gen(function* () {
      // the node lacks the block, so its answer is only claimed
      const started = yield* start((method, answer) =>
        method === "eth_getProof" ? { ...answer, storageProof: answer.storageProof.slice(1) } : answer
      )
      const error = yield* Effect.flip(readMany(started, ["limit", "many.length"], { block: Hash32.ZERO }))
      assert.deepInclude(error, { _tag: "RefutedError", check: "storageProof" })
    })
  )

  it.effect("claims what the node says of a block that it has no header of", () =>
    Effect.gen(function* () {
      const verdict = yield* readMany(yield* start(), ["limit"], { block: Hash32.ZERO })
      assert.strictEqual(verdict._tag, "CLAIMED")
      assert.deepStrictEqual(verdict.proven, [])
    })
  )

  it.effect("refuses a contract's address that is mistyped, before the node is asked", () =>
    Effect.gen(function* () {
      for (const address of ["0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x12", "0X" + "1".repeat(40)] as const) {
        const started = yield* start()
        const before = started.node.calls.length
        const vault = { ...started.vault, address: address as typeof started.vault.address }
        const error = yield* Effect.flip(readMany({ ...started, vault }, ["limit"], { block: "latest" }))
        assert(error._tag === "JsonRpcError" && error.reason._tag === "EncodeError", address)
        assert.deepStrictEqual(error.reason.path, ["address"])
        assert.strictEqual(started.node.calls.length, before)
      }
    })
  )

  it.effect("fails where there is no block, no such path or no value", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const error = (
        paths: ReadonlyArray<string>,
        block: ContractStorage.ContractStorageOptions["block"] = started.node.hash
      ) => Effect.map(Effect.flip(readMany(started, paths, { block })), ({ _tag }) => _tag)
      assert.strictEqual(yield* error(["limit"], 1n), "NoBlockError")
      const pending = yield* Effect.flip(readMany(started, ["limit"], { block: "pending" }))
      assert.deepInclude(pending, { _tag: "NoBlockError", reason: "Pending" })
      assert.strictEqual(yield* error(["nothing"]), "PathError")
      assert.strictEqual(yield* error(["balances"]), "NoValueError")
      const transient = Result.getOrThrow(Layout.fromSolcOutput(output, "Vault", { area: "transient" }))
      const vault = { ...started.vault, layout: transient }
      const none = yield* Effect.flip(readMany({ ...started, vault }, ["lock"], { block: started.node.hash }))
      assert.deepInclude(none, { _tag: "NoValueError", reason: "Transient", path: "lock" })
    })
  )

  it.effect("proves the account where no word is wanted", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const verdict = yield* readMany(started, [], { block: started.node.hash })
      assert.deepStrictEqual([verdict._tag, verdict.value.variables], ["VERIFIED", []])
      assert.lengthOf(proofs(started), 1)
    })
  )

  it.effect("flags lengths beyond its bounds instead of asking for them", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const verdict = yield* readMany(started, ["many", "wide"], { block: started.node.hash, maxWords: 3 })
      assert.deepStrictEqual(
        verdict.value.variables.flatMap(({ flaws }) => flaws.map(({ reason }) => reason)),
        ["TooLarge", "TooLarge"]
      )
    })
  )
})
