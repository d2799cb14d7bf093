/**
 * Compares the node's answers about states with the states that viem reads from the archive; viem checks the proofs.
 */
import { assert, describe, it } from "@effect/vitest"
import { bytesToHex, encodeAbiParameters, fromRlp, type Hex, keccak256, toHex } from "viem"

import * as SystemContracts from "../../scripts/history/deployedSystemContracts.ts"
import { HistoryChain } from "../../src/index.ts"
import {
  type Account,
  accountsAt,
  ask,
  blocks,
  codes,
  EMPTY_ROOT,
  NO_CODE,
  quantity,
  refusal,
  slotsOf
} from "../support/history.ts"
import * as Trie from "../support/trie.ts"
import "../support/shared.ts"

const { accounts, contracts, head } = HistoryChain
const addresses = accounts.map((account) => account.address)
const numbers = [...blocks.keys()]

const emptyAccount = "0x00000000000000000000000000000000000e3b70"
const withdrawn = "0x000000000000000000000000000000000000dea1"
const nobody = "0x9999999999999999999999999999999999999999"

const word = (n: bigint | number): Hex => toHex(n, { size: 32 })

const keyOfMapping = (key: Hex, slot: number): Hex =>
  keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [key, BigInt(slot)]))

/** Returns the contracts that successful transactions created, except the mayfly, which destroyed itself. */
const created = async (): Promise<ReadonlyArray<Hex>> =>
  (await Promise.all(numbers.map((number) => ask<Array<any>>("eth_getBlockReceipts", quantity(number)))))
    .flat()
    .flatMap(({ contractAddress }) => contractAddress ?? [])

/** Returns every address that the chain affected, and one address that it did not affect. */
const everybody = async (): Promise<ReadonlyArray<Hex>> => [
  ...new Set<Hex>([
    ...addresses,
    ...Object.values(contracts).map((contract) => contract.address),
    ...SystemContracts.all.flatMap(({ address, deployer }) => [address, deployer]),
    ...blocks
      .flatMap((block) => [block, ...block.uncleHeaders.map((header) => ({ header }))])
      .map(({ header }) => bytesToHex(header.coinbase.bytes)),
    ...(await created()),
    emptyAccount,
    withdrawn,
    nobody
  ])
]

/** Slots that the contracts use, and slots that they do not use. */
const slots: ReadonlyArray<Hex> = [
  ...Array.from({ length: 24 }, (_, i) => word(i)),
  ...addresses.slice(0, 6).flatMap((address) => [1, 3, 16].map((slot) => keyOfMapping(address, slot))),
  word(BigInt(keccak256(toHex("eip1967.proxy.implementation"))) - 1n),
  word(BigInt(keccak256(word(6))) + 1n),
  ...numbers.slice(56).map((number) => word(number)),
  word(2n ** 256n - 1n)
]

const isContract = (account: Account | undefined): boolean =>
  account !== undefined && account.storageRoot !== EMPTY_ROOT

const NOTHING: Account = { nonce: 0n, balance: 0n, storageRoot: EMPTY_ROOT, codeHash: NO_CODE }

describe("eth_getProof", () => {
  it("proves every account and its slots at every block, present and absent, the genesis included", async () => {
    const known = new Map((await everybody()).map((address) => [keccak256(address), address]))
    let present = 0
    let absent = 0
    let filled = 0
    for (const number of numbers) {
      const { stateRoot } = await ask("eth_getBlockByNumber", quantity(number), false)
      const state = accountsAt(number)
      // this test knows the address of every account in the state, so the checks below cover all accounts
      assert.deepStrictEqual(
        [...state.keys()].filter((key) => !known.has(key)),
        []
      )
      for (const [key, address] of known) {
        const account = state.get(key)
        const asked = isContract(account) ? slots : slots.slice(0, 1)
        const proof = await ask("eth_getProof", address, asked, quantity(number))
        const leaf = Trie.lookup(stateRoot, address, proof.accountProof)
        assert.strictEqual(leaf === undefined, account === undefined)
        if (leaf === undefined) absent++
        else present++
        const { balance, codeHash, nonce, storageRoot } = account ?? NOTHING
        assert.deepStrictEqual(
          [proof.address, BigInt(proof.balance), BigInt(proof.nonce), proof.codeHash, proof.storageHash],
          [address, balance, nonce, codeHash, storageRoot]
        )
        const storage = account === undefined ? new Map<Hex, bigint>() : slotsOf(account)
        assert.strictEqual(proof.storageProof.length, asked.length)
        for (const [i, slot] of proof.storageProof.entries()) {
          const value = storage.get(keccak256(asked[i]!))
          assert.deepStrictEqual([slot.key, BigInt(slot.value)], [asked[i], value ?? 0n])
          if (storageRoot === EMPTY_ROOT) assert.deepStrictEqual(slot.proof, [])
          else {
            const found = Trie.lookup(storageRoot, slot.key, slot.proof)
            assert.strictEqual(found === undefined ? undefined : BigInt(fromRlp(found, "hex") as Hex), value)
            if (value !== undefined) filled++
          }
        }
      }
    }
    assert.isAbove(present, 1000)
    assert.isAbove(absent, 400)
    assert.isAbove(filled, 1500)
  })

  it("takes 1024 keys and no more", async () => {
    const keys = Array.from({ length: 1024 }, (_, i) => word(i))
    const proof = await ask("eth_getProof", contracts.cabinet.address, keys, "latest")
    assert.strictEqual(proof.storageProof.length, 1024)
    const refused: any = await refusal("eth_getProof", contracts.cabinet.address, [...keys, word(1024)], "latest")
    assert.strictEqual(refused.code, -32602)
  })

  it("answers without keys and without a block: the head's", async () => {
    assert.deepStrictEqual(
      await ask("eth_getProof", contracts.token.address, []),
      await ask("eth_getProof", contracts.token.address, [], quantity(head.number))
    )
  })
})

describe("balances, nonces, code and words", () => {
  it("are those of the proofs, at every block", async () => {
    for (const number of numbers) {
      const at = quantity(number)
      for (const address of [...addresses.slice(0, 4), ...Object.values(contracts).map((one) => one.address), nobody]) {
        const proof = await ask("eth_getProof", address, ["0x0", slots[25]!], at)
        assert.strictEqual(await ask("eth_getBalance", address, at), proof.balance)
        assert.strictEqual(await ask("eth_getTransactionCount", address, at), proof.nonce)
        const code = await ask<Hex>("eth_getCode", address, at)
        assert.strictEqual(keccak256(code), proof.codeHash)
        if (code !== "0x") assert.strictEqual(code, bytesToHex(codes.get(proof.codeHash)!))
        const [first, second] = proof.storageProof.map((slot: any) => word(BigInt(slot.value)))
        assert.strictEqual(await ask("eth_getStorageAt", address, "0x0", at), first)
        assert.deepStrictEqual(await ask("eth_getStorageValues", { [address]: ["0x0", slots[25]!] }, at), {
          [address]: [first, second]
        })
      }
    }
  })

  it("of several accounts come in one answer", async () => {
    const { elder, token } = contracts
    const answer = await ask("eth_getStorageValues", { [token.address]: ["0x2"], [elder.address]: [word(0), "0x1"] })
    assert.deepStrictEqual(answer, {
      [token.address]: [word(10n ** 24n)],
      [elder.address]: [word(43), word(0)]
    })
  })
})

describe("the history", () => {
  const storage = async (address: Hex, slot: Hex, block: number): Promise<bigint> =>
    BigInt(await ask<Hex>("eth_getStorageAt", address, slot, quantity(block)))

  it("begins with the accounts and the contract of the genesis", async () => {
    for (const address of addresses) {
      assert.strictEqual(BigInt(await ask("eth_getBalance", address, "earliest")), 10n ** 22n)
    }
    const { elder } = contracts
    assert.strictEqual(await storage(elder.address, "0x0", 0), 41n)
    assert.strictEqual(await storage(elder.address, keyOfMapping(addresses[1]!, 1), 0), 41n)
    assert.strictEqual(await storage(elder.address, "0x0", 9), 42n)
    for (const { address, block } of Object.values(contracts)) {
      if (block > 0) assert.strictEqual(await ask("eth_getCode", address, quantity(block - 1)), "0x")
      assert.notStrictEqual(await ask("eth_getCode", address, quantity(block)), "0x")
    }
  })

  it("has tokens where their transactions moved them", async () => {
    const ada = keyOfMapping(addresses[1]!, 3)
    const balances = [1, 2, 9, 10, 12, 13, 51, 69].map((block) => storage(contracts.token.address, ada, block))
    assert.deepStrictEqual(
      (await Promise.all(balances)).map((balance) => balance / 10n ** 18n),
      [0n, 1000n, 1000n, 800n, 800n, 680n, 670n, 671n]
    )
  })

  it("has an account with nothing that is there, until it is cleared (EIP-161)", async () => {
    const isThere = async (block: number): Promise<boolean> => {
      const { stateRoot } = await ask("eth_getBlockByNumber", quantity(block), false)
      const { accountProof } = await ask("eth_getProof", emptyAccount, [], quantity(block))
      return Trie.lookup(stateRoot, emptyAccount, accountProof) !== undefined
    }
    assert.deepStrictEqual(await Promise.all([1, 2, 14, 15].map(isThere)), [false, true, true, false])
  })

  it("has contracts that came to an end, and one that did not come to be", async () => {
    const code = (address: Hex, block: number) => ask<Hex>("eth_getCode", address, quantity(block))
    const [mayfly] = (await ask<Array<any>>("eth_getBlockReceipts", "0x7")).map((receipt) => receipt.contractAddress)
    assert.deepStrictEqual(await Promise.all([6, 7, 8].map((block) => code(mayfly, block))), ["0x", "0x33ff", "0x"])
    const [failed] = await ask<Array<any>>("eth_getBlockReceipts", "0x19")
    assert.strictEqual(failed.status, "0x0")
    assert.strictEqual(await code(failed.contractAddress, 25), "0x")
  })

  it("has a proxy whose implementation changes, and accounts that delegate and stop", async () => {
    const { counter, counterV2, proxy } = contracts
    const slot = word(BigInt(keccak256(toHex("eip1967.proxy.implementation"))) - 1n)
    const implementations = await Promise.all([17, 18, 53, 54, 69].map((block) => storage(proxy.address, slot, block)))
    assert.deepStrictEqual(
      implementations,
      [0, counter.address, counter.address, counterV2.address, counterV2.address].map(BigInt)
    )
    const cleo = (block: number) => ask("eth_getCode", addresses[3]!, quantity(block))
    const designator = `0xef0100${counter.address.slice(2)}`
    assert.deepStrictEqual(await Promise.all([60, 61, 64, 65].map(cleo)), ["0x", designator, designator, "0x"])
  })

  it("has withdrawals, which are not transactions", async () => {
    const balances = [52, 53].map((block) => ask<Hex>("eth_getBalance", withdrawn, quantity(block)))
    assert.deepStrictEqual((await Promise.all(balances)).map(BigInt), [0n, 10n ** 9n])
  })

  it("keeps the hashes of its blocks in its state since Prague (EIP-2935), and beacon roots since Cancun (EIP-4788)", async () => {
    for (const { fork, hash, number } of HistoryChain.blocks) {
      const since = HistoryChain.forks.find(({ name }) => name === "Prague")!.block
      const kept = await storage(SystemContracts.blockHashes.address, word(number % 8191), head.number)
      assert.strictEqual(kept, number >= since - 1 && number < head.number ? BigInt(hash) : 0n, `${fork} ${number}`)
    }
    const { header } = blocks[head.number]!
    const slot = Number(header.timestamp) % 8191
    const root = await storage(SystemContracts.beaconRoots.address, word(slot + 8191), head.number)
    assert.strictEqual(root, BigInt(bytesToHex(header.parentBeaconBlockRoot!)))
    for (const { address } of SystemContracts.all) {
      assert.notStrictEqual(await ask("eth_getCode", address, "latest"), "0x")
    }
  })
})

describe("the block that a state is asked of", () => {
  const methods: ReadonlyArray<readonly [method: string, ...params: ReadonlyArray<unknown>]> = [
    ["eth_getBalance", addresses[1]],
    ["eth_getTransactionCount", addresses[1]],
    ["eth_getCode", contracts.token.address],
    ["eth_getStorageAt", contracts.token.address, "0x2"],
    ["eth_getStorageValues", { [contracts.token.address]: ["0x2"] }],
    ["eth_getProof", contracts.token.address, ["0x2"]]
  ]

  it("is named by number, tag, hash, or an object of EIP-1898", async () => {
    const { hash, number } = HistoryChain.blocks[13]!
    for (const [method, ...params] of methods) {
      const byNumber = await ask(method, ...params, quantity(number))
      for (const block of [
        hash,
        `0x${hash.slice(2).toUpperCase()}`,
        { blockHash: hash },
        { blockHash: hash, requireCanonical: true },
        { blockNumber: quantity(number) }
      ]) {
        assert.deepStrictEqual(await ask(method, ...params, block), byNumber)
      }
      const latest = await ask(method, ...params)
      for (const tag of ["latest", "safe", "finalized", "pending", quantity(head.number)]) {
        assert.deepStrictEqual(await ask(method, ...params, tag), latest)
      }
      assert.deepStrictEqual(await ask(method, ...params, "earliest"), await ask(method, ...params, "0x0"))
    }
  })

  it("is refused in geth's words where there is none", async () => {
    const notFound = { code: -32000, message: "header not found" }
    const unknown = { code: -32001, message: "header for hash not found" }
    const nowhere = `0x${"ab".repeat(32)}`
    const [uncle] = HistoryChain.withUncles[0]!.uncles
    for (const [method, ...params] of methods) {
      const cases = [
        [quantity(blocks.length), notFound],
        [{ blockNumber: quantity(blocks.length) }, notFound],
        [nowhere, unknown],
        [{ blockHash: nowhere }, unknown],
        [{ blockHash: nowhere, requireCanonical: true }, unknown],
        [{ blockHash: uncle }, unknown],
        [
          { blockHash: uncle, requireCanonical: true },
          { code: -32000, message: "hash is not currently canonical" }
        ]
      ]
      for (const [block, error] of cases) assert.deepStrictEqual(await refusal(method, ...params, block), error)
    }
  })
})
