/** Compares the recorded chain with the chain that anvil serves. The oracle for hashes and encodings is viem. */
import { existsSync, readFileSync } from "node:fs"

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fromRlp, type Hex, hexToBytes, hexToString, keccak256, toHex, toRlp } from "viem"
import { privateKeyToAddress } from "viem/accounts"

import { Anvil, PreparedState } from "../../src/index.ts"
import { rpc } from "../support/shared.ts"
import * as Trie from "../support/trie.ts"

const { accounts, blocks, contracts, head } = PreparedState

interface Header extends Readonly<Record<string, Hex>> {
  readonly hash: Hex
  readonly stateRoot: Hex
}

interface Block {
  readonly transactions: ReadonlyArray<Hex>
}

interface Proof {
  readonly accountProof: ReadonlyArray<Hex>
  readonly storageProof: ReadonlyArray<{ readonly key: Hex; readonly value: Hex; readonly proof: ReadonlyArray<Hex> }>
}

const ask = <A>(method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.flatMap(Anvil.Anvil, ({ url }) => rpc<A>(url, method, ...params))

const quantity = (n: number): Hex => `0x${n.toString(16)}`

const slotOf = (contract: PreparedState.PreparedContract, label: string): Hex => {
  const { storage } = JSON.parse(readFileSync(PreparedState.layoutFile(contract), "utf8"))
  const variable = storage.find((one: { label: string }) => one.label === label)
  return toHex(BigInt(variable.slot), { size: 32 })
}

/** Returns the fields of a header in order. */
const fields = (
  "parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit gasUsed " +
  "timestamp extraData mixHash nonce baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas parentBeaconBlockRoot " +
  "requestsHash"
).split(" ")

const quantities = new Set(
  "difficulty number gasLimit gasUsed timestamp baseFeePerGas blobGasUsed excessBlobGas".split(" ")
)

const bytesOf = (name: string, value: Hex): Hex => {
  if (!quantities.has(name)) return value
  return BigInt(value) === 0n ? "0x" : toHex(hexToBytes(value))
}

const headerHash = (header: Header): Hex => keccak256(toRlp(fields.map((name) => bytesOf(name, header[name]!))))

interface Account {
  readonly storageRoot: Hex
  readonly codeHash: Hex
}

/** Returns the account under a state root, if it exists. */
const accountIn = (stateRoot: Hex, address: Hex, proof: Proof): Account | undefined => {
  const account = Trie.lookup(stateRoot, address, proof.accountProof)
  if (account === undefined) return undefined
  const [, , storageRoot, codeHash] = fromRlp(account, "hex") as ReadonlyArray<Hex>
  return { storageRoot: storageRoot!, codeHash: codeHash! }
}

layer(Anvil.layer())("the prepared state", (it) => {
  it.effect("has every recorded block, with a header that hashes to the recorded hash", () =>
    Effect.gen(function* () {
      assert.strictEqual(Number(yield* ask("eth_blockNumber")), head.number)
      assert.deepStrictEqual(
        blocks.map((block) => block.number),
        Array.from({ length: head.number + 1 }, (_, i) => i)
      )
      for (const block of blocks) {
        const header = yield* ask<Header & Block>("eth_getBlockByNumber", quantity(block.number), false)
        assert.strictEqual(header.hash, block.hash)
        assert.strictEqual(headerHash(header), block.hash)
        assert.strictEqual(header["parentHash"], blocks[block.number - 1]?.hash ?? `0x${"0".repeat(64)}`)
        assert.strictEqual(Number(header["timestamp"]), block.timestamp)
        assert.deepStrictEqual(
          header.transactions,
          block.transactions.map((transaction) => transaction.hash)
        )
        const byHash = yield* ask<Header>("eth_getBlockByHash", block.hash, false)
        assert.deepStrictEqual(byHash, header)
      }
    })
  )

  it.effect("has every recorded transaction, with its form, its parties and its success", () =>
    Effect.gen(function* () {
      for (const block of blocks) {
        for (const recorded of block.transactions) {
          const found = yield* ask<Record<string, Hex>>("eth_getTransactionByHash", recorded.hash)
          assert.deepStrictEqual(
            [found["type"], found["from"], found["to"], found["blockHash"]],
            [recorded.type, recorded.from, recorded.to, block.hash]
          )
          const raw = yield* ask<Hex>("eth_getRawTransactionByHash", recorded.hash)
          assert.strictEqual(keccak256(raw), recorded.hash)
          const receipt = yield* ask<Record<string, Hex>>("eth_getTransactionReceipt", recorded.hash)
          assert.strictEqual(receipt["status"] === "0x1", recorded.success)
        }
      }
    })
  )

  it.effect("has each form of transaction, empty blocks, full blocks, failures and an old signature", () =>
    Effect.gen(function* () {
      const counts = ["legacy", "accessList", "dynamicFee", "setCode"] as const
      for (const form of counts) assert.isAtLeast(PreparedState.transactions(form).length, 3)
      const sizes = blocks.map((block) => block.transactions.length)
      assert.isAtLeast(sizes.filter((size) => size === 0).length, 3)
      assert.isAtLeast(sizes.filter((size) => size > 1).length, 5)
      const all = blocks.flatMap((block) => block.transactions)
      assert.strictEqual(all.filter((transaction) => !transaction.success).length, 2)
      const legacy = yield* Effect.forEach(PreparedState.transactions("legacy"), ({ hash }) =>
        ask<Record<string, Hex>>("eth_getTransactionByHash", hash)
      )
      assert.deepStrictEqual(legacy.filter((one) => one["v"] === "0x1b" || one["v"] === "0x1c").length, 1)
    })
  )

  it.effect("can be proven at every block but the first", () =>
    Effect.gen(function* () {
      const { token } = contracts
      const supply = slotOf(token, "totalSupply")
      for (const { number } of blocks.slice(1)) {
        const { stateRoot } = yield* ask<Header>("eth_getBlockByNumber", quantity(number), false)
        for (const { address, block } of Object.values(contracts)) {
          const proof = yield* ask<Proof>("eth_getProof", address, [supply], quantity(number))
          const account = accountIn(stateRoot, address, proof)
          assert.strictEqual(account !== undefined, number >= block)
          if (account === undefined) continue
          const code = yield* ask<Hex>("eth_getCode", address, quantity(number))
          assert.strictEqual(account.codeHash, keccak256(code))
          const { key, proof: nodes, value } = proof.storageProof[0]!
          const word = Trie.lookup(account.storageRoot, key, nodes)
          assert.strictEqual(BigInt(word === undefined ? 0 : (fromRlp(word, "hex") as Hex)), BigInt(value))
        }
      }
      const proof = yield* ask<Proof>("eth_getProof", token.address, [supply], "0x1")
      assert.strictEqual(BigInt(proof.storageProof[0]!.value), 10n ** 24n)
    })
  )

  it.effect("remembers what was before: the proxy's implementation, a delegation that was taken back", () =>
    Effect.gen(function* () {
      const implementation = toHex(BigInt(keccak256(toHex("eip1967.proxy.implementation"))) - 1n)
      const { counter, counterV2, proxy } = contracts
      const at = (block: number) => ask<Hex>("eth_getStorageAt", proxy.address, implementation, quantity(block))
      for (const { number } of blocks) {
        const word = yield* at(number)
        const expected = number < proxy.block ? "0x0" : number < counterV2.block ? counter.address : counterV2.address
        assert.strictEqual(BigInt(word), BigInt(expected))
      }
      const [first, , last] = PreparedState.transactions("setCode")
      const blockOf = (wanted: PreparedState.PreparedTransaction) =>
        blocks.find((block) => block.transactions.includes(wanted))!.number
      const code = (block: number) => ask<Hex>("eth_getCode", first!.to, quantity(block))
      const designator = `0xef0100${counter.address.slice(2)}`
      assert.strictEqual(yield* code(blockOf(first!) - 1), "0x")
      assert.strictEqual(yield* code(blockOf(first!)), designator)
      assert.strictEqual(yield* code(blockOf(last!) - 1), designator)
      assert.strictEqual(yield* code(blockOf(last!)), "0x")
    })
  )

  it.effect("has the variables where the layouts say", () =>
    Effect.gen(function* () {
      const read = (contract: PreparedState.PreparedContract, label: string, block: Hex | "latest" = "latest") =>
        ask<Hex>("eth_getStorageAt", contract.address, slotOf(contract, label), block)
      const { cabinet, token } = contracts
      const name = yield* read(token, "name")
      assert.strictEqual(hexToString(`0x${name.slice(2, 12)}`), "Plumb")
      assert.strictEqual(Number(`0x${name.slice(-2)}`), 2 * "Plumb".length)
      // The maximum wrapped around to 1.
      assert.strictEqual(Number(yield* read(cabinet, "counter")), 1)
      assert.strictEqual(Number(yield* read(cabinet, "numbers")), 22)
      // In block 12 the string is long, so its word is odd: 2 * length + 1. Later a short string replaced it.
      assert.strictEqual(Number(yield* read(cabinet, "story", quantity(12))) % 2, 1)
      assert.strictEqual(Number(`0x${(yield* read(cabinet, "story")).slice(-2)}`), 2 * "The end.".length)
    })
  )

  it.effect("has its files in the package", () =>
    Effect.sync(() => {
      const root = new URL("../../", import.meta.url)
      assert.isTrue(existsSync(PreparedState.stateFile))
      for (const contract of Object.values(contracts)) {
        assert.isTrue(existsSync(PreparedState.layoutFile(contract)))
        assert.include(readFileSync(new URL(contract.source, root), "utf8"), `contract ${contract.name} `)
      }
      const published: ReadonlyArray<string> = JSON.parse(readFileSync(new URL("package.json", root), "utf8")).files
      assert.includeMembers(
        [...published],
        ["contracts/*.sol", "state/state.json", "state/chain.json", "state/layouts/*.json"]
      )
    })
  )

  it.effect("has accounts that anvil signs for, whose keys everybody knows", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* ask("eth_accounts"),
        accounts.map((account) => account.address)
      )
      for (const { address, publicTestKey } of accounts) {
        assert.strictEqual(privateKeyToAddress(publicTestKey).toLowerCase(), address)
      }
    })
  )
})

layer(Anvil.layer())("on top of the prepared state", (it) => {
  it.effect("the chain goes on: a transaction makes the next block, later than the last, and it can be proven", () =>
    Effect.gen(function* () {
      const [from, to] = [accounts[0]!.address, accounts[1]!.address]
      const hash = yield* ask<Hex>("eth_sendTransaction", { from, to, value: "0x1" })
      const receipt = yield* ask<Record<string, Hex> | null>("eth_getTransactionReceipt", hash).pipe(
        Effect.repeat({ until: (receipt) => receipt !== null })
      )
      assert.strictEqual(receipt?.["status"], "0x1")
      const block = yield* ask<Header>("eth_getBlockByNumber", "latest", false)
      assert.strictEqual(Number(block["number"]), head.number + 1)
      assert.strictEqual(block["parentHash"], head.hash)
      assert.strictEqual(headerHash(block), block.hash)
      assert.isAbove(Number(block["timestamp"]), head.timestamp)
      const proof = yield* ask<Proof>("eth_getProof", to, [], "latest")
      assert.isDefined(accountIn(block.stateRoot, to, proof))
      const old = yield* ask<Proof>("eth_getProof", to, [], quantity(1))
      assert.isDefined(accountIn((yield* ask<Header>("eth_getBlockByNumber", "0x1", false)).stateRoot, to, old))
    })
  )
})
