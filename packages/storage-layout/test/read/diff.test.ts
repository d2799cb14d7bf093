/**
 * Compares two blocks: the values before and after must equal the results of the contract's getters at those blocks.
 */
import { assert, describe, it } from "@effect/vitest"
import { TrustedBlock } from "@plumbline/eth-methods"
import { type ContractStorage, type ValueDifference, Layout, StorageEvidence } from "@plumbline/storage-layout"
import { Verdict } from "@plumbline/verdict"
import { Effect, Result } from "effect"
import { keccak256 } from "viem"

import * as Evm from "../support/evm.ts"
import type * as Node from "../support/node.ts"
import * as Solidity from "../support/solidity.ts"
import * as Storage from "../support/storage.ts"

const { contract, output } = Solidity.compile(`contract Shop {
  struct Item { uint64 price; bool sold; string note; mapping(address => uint256) bids; }
  uint128 public a = 1; uint128 public b = 2; string public title = "before";
  uint256[] list; Item[] items; mapping(address => uint256) public balances;
  function () external callback;
  function all() external view returns (uint128, uint128, string memory, uint256[] memory) { return (a, b, title, list); }
  function noop() external {}
  constructor() { list.push(1); list.push(2); list.push(3); items.push(); items[0].price = 5; balances[address(1)] = 1; }
  function change() external {
    a = 9; title = "a title of more than thirty-two bytes, after"; list[1] = 22; list.push(4);
    items[0].sold = true; items.push(); items[1].note = "new"; balances[address(1)] = 3; balances[address(2)] = 7;
  }
  function shrink() external { list.pop(); list.pop(); delete items; callback = this.noop; }
}`)
const layout = Result.getOrThrow(Layout.fromSolcOutput(output, "Shop"))

/** Four blocks: the contract is made, nothing happens, variables change, arrays shrink. */
const chain = (async () => {
  const shop = await Evm.deploy(contract("Shop"))
  const stateRoots: Array<Uint8Array> = []
  const said: Array<any> = []
  const seal = async () => {
    stateRoots.push(await shop.stateRoot())
    said.push(await shop.call("all"))
  }
  await seal()
  await seal()
  await shop.call("change")
  await seal()
  await shop.call("shrink")
  await seal()
  return { shop, stateRoots, said }
})()

const start = (lie?: Node.Lie) =>
  Effect.flatMap(
    Effect.promise(() => chain),
    ({ shop, stateRoots }) => Storage.start(shop, layout, { stateRoots, ...(lie === undefined ? {} : { lie }) })
  )

const diff = ({ ask, node }: Storage.Started, from: number, to: number, paths?: ReadonlyArray<string>) =>
  ask((storage, shop) =>
    storage.diff(shop, { from: node.hashes[from]!, to: node.hashes[to]!, ...(paths === undefined ? {} : { paths }) })
  )

/** Formats each change as `path: from -> to`. */
const changesOf = ({ changed }: ContractStorage.StorageDiff): ReadonlyArray<string> => {
  const side = (value: ValueDifference.ValueChange["from"]): string =>
    value === undefined ? "none" : JSON.stringify(value, (_, part) => (typeof part === "bigint" ? Number(part) : part))
  return changed.flatMap(({ changes }) => changes.map(({ from, path, to }) => `${path}: ${side(from)} -> ${side(to)}`))
}

describe("the difference of two blocks", () => {
  it.effect("is what changed, proven at both, also where arrays and texts grew", () =>
    Effect.gen(function* () {
      const verdict = yield* diff(yield* start(), 1, 2)
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(changesOf(verdict.value), [
        "a: 1 -> 9",
        `title: "before" -> "a title of more than thirty-two bytes, after"`,
        "list[1]: 2 -> 22",
        "list[3]: none -> 4",
        "items[0].sold: false -> true",
        `items[1]: none -> {"price":0,"sold":false,"note":"new"}`
      ])
      assert.deepStrictEqual(
        verdict.value.left.map(({ path }) => path),
        ["balances", "items[].bids"]
      )
    })
  )

  it.effect("has the values of both sides as the contract's functions returned them", () =>
    Effect.gen(function* () {
      const { said } = yield* Effect.promise(() => chain)
      const started = yield* start()
      for (const [from, to] of [
        [0, 2],
        [2, 3],
        [3, 0]
      ] as const) {
        const { value } = yield* diff(started, from, to, ["a", "b", "title", "list"])
        const expected = ["a", "b", "title", "list"].flatMap((path, i) =>
          String(said[from][i]) === String(said[to][i]) ? [] : [[path, said[from][i], said[to][i]]]
        )
        assert.deepStrictEqual(
          value.changed.map(({ from, path, to }) => [path, from.value, to.value]),
          expected
        )
        assert.isAbove(expected.length, 0)
      }
    })
  )

  it.effect("sees arrays shrink, and functions", () =>
    Effect.gen(function* () {
      const { node, contract, ...started } = yield* start()
      const { value } = yield* diff({ node, contract, ...started }, 2, 3)
      assert.deepStrictEqual(changesOf(value), [
        "list[2]: 3 -> none",
        "list[3]: 4 -> none",
        `items[0]: {"price":5,"sold":true,"note":""} -> none`,
        `items[1]: {"price":0,"sold":false,"note":"new"} -> none`,
        `callback: {"address":"0x${"0".repeat(40)}","selector":"0x00000000"} -> {"address":"${contract.address}","selector":"0x5dfc2e4a"}`
      ])
    })
  )

  it.effect("is of the paths that are named: entries, lengths, and indices that one side has not", () =>
    Effect.gen(function* () {
      const balance = `balances[0x${"2".padStart(40, "0")}]`
      const paths = [balance, "list.length", "list[3]", "b", "list[9]"]
      const { value } = yield* diff(yield* start(), 0, 2, paths)
      assert.deepStrictEqual(changesOf(value), [`${balance}: 0 -> 7`, "list.length: 3 -> 4", "list[3]: none -> 4"])
      assert.deepStrictEqual(value.left, [])
    })
  )

  it.effect("is proven to be none by the storage root alone: no slot is asked for", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const verdict = yield* diff(started, 0, 1)
      assert.deepStrictEqual([verdict._tag, verdict.value.changed, verdict.value.left], ["VERIFIED", [], []])
      assert.deepStrictEqual(
        started.proofs().map(({ slots }) => slots.length),
        [0, 0]
      )
      assert.strictEqual(new Set(started.proofs().map(({ block }) => block)).size, 2)
      const { address } = started.contract
      const root = verdict.proven.find(StorageEvidence.SameStorageRoot.is)?.root
      assert.deepStrictEqual(Verdict.sentences(verdict).proven, [
        `the account ${address}, under the block's stateRoot`,
        `the storage root of ${address} is ${root} at block ${started.node.hashes[0]} and at block ${started.node.hashes[1]}: no word changed`
      ])
    })
  )

  it.effect("says once that the account is at both blocks, and keeps both proofs", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const verdict = yield* diff(started, 1, 2)
      const { address } = started.contract
      const { from, to } = verdict.value
      assert.deepStrictEqual(Verdict.sentences(verdict).proven, [
        `the account ${address}, under the block's stateRoot`,
        `${from.words.size} words of the storage of ${address}, at block ${started.node.hashes[1]}`,
        `${to.words.size} words of the storage of ${address}, at block ${started.node.hashes[2]}`
      ])
      const account = verdict.proven.find(StorageEvidence.AccountAtBoth.is)
      assert.notStrictEqual(account?.proofs[0].root, account?.proofs[1].root)
      for (const { nodes, root } of account?.proofs ?? []) assert.strictEqual(keccak256(nodes[0]!), root)
    })
  )

  it.effect("asks both blocks for the same rounds, and reads each block once", () =>
    Effect.gen(function* () {
      const started = yield* start()
      yield* diff(started, 1, 2)
      // at most four requests per block: for the account, for the words of the variables, for the content that these
      // words refer to, and for the content that this content refers to
      for (const hash of [started.node.hashes[1], started.node.hashes[2]]) {
        assert.isAtMost(started.proofs().filter(({ block }) => block === hash).length, 4)
      }
      assert.strictEqual(started.count("eth_getBlockByHash"), 2)
    })
  )

  it.effect("is as sure as the less sure of its sides", () =>
    Effect.gen(function* () {
      const { ask, node } = yield* start()
      const options = { from: 13_000_001n, to: "latest", paths: ["a"] } as const
      const claimed = yield* ask((storage, shop) => storage.diff(shop, options))
      assert.deepStrictEqual([claimed._tag, claimed.anchor], ["CLAIMED", null])
      const half = yield* ask((storage, shop) => storage.diff(shop, { ...options, to: node.hash }))
      assert.strictEqual(half._tag, "CLAIMED")
      const pinned = TrustedBlock.layerPinned(node.hash)
      const verified = yield* ask((storage, shop) => storage.diff(shop, options), pinned)
      assert.deepStrictEqual([verified._tag, verified.anchor?.hash], ["VERIFIED", node.hash])
      assert.deepStrictEqual(
        verified.claimed.map(({ field }) => field),
        ["block"]
      )
      assert.deepStrictEqual(
        [verified.value.from.blockNumber, verified.value.to.blockNumber],
        [13_000_001n, 13_000_003n]
      )
    })
  )

  it.effect("refutes a node that says another storage root, or another word on either side", () =>
    Effect.gen(function* () {
      const hashes = (yield* start()).node.hashes
      const lies: ReadonlyArray<readonly [check: string, lie: Node.Lie]> = [
        ["account.storageHash", (method, it) => (method === "eth_getProof" ? { ...it, storageHash: hashes[0] } : it)],
        ...[1, 2].map((side): readonly [string, Node.Lie] => [
          "storageProof[0].value",
          (method, it, params) =>
            method === "eth_getProof" && params[2].blockHash === hashes[side] && it.storageProof.length > 0
              ? { ...it, storageProof: [{ ...it.storageProof[0], value: "0x7" }, ...it.storageProof.slice(1)] }
              : it
        ])
      ]
      for (const [check, lie] of lies) {
        const error = yield* Effect.flip(diff(yield* start(lie), 1, 2))
        assert.deepInclude(error, { _tag: "RefutedError", check })
      }
    })
  )

  it.effect("fails where there is no such path, before anything is asked", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const errors = yield* Effect.forEach([["nothing"], ["balances"]], (paths) =>
        Effect.flip(diff(started, 0, 1, paths))
      )
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        ["PathError", "NoValueError"]
      )
      assert.lengthOf(started.node.calls, 0)
    })
  )
})
