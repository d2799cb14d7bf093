import { assert, describe, it } from "@effect/vitest"
import { Hash32, Hex } from "@plumbline/codec"
import { EthClient, StorageKey, VerdictEthClient } from "@plumbline/eth-methods"
import { BundleClient, NotInBundleError, ProofBundle } from "@plumbline/proof-bundle"
import { ContractStorage } from "@plumbline/storage-layout"
import { Effect, Result } from "effect"
import { keccak256 } from "viem"

import * as Vault from "../support/vault.ts"
import * as World from "../support/world.ts"

const made = World.make(Vault.accounts).then(async (node) => {
  const making = ProofBundle.make({
    block: node.hash,
    contracts: [{ address: Vault.vault, layout: Vault.layout, paths: ["owner", "name"], code: true }],
    accounts: [{ address: Vault.nobody, slots: [StorageKey.fromSlot(5n)] }, { address: Vault.plain }]
  })
  const { value } = await Effect.runPromise(Effect.provide(making, node.eth))
  // the clients read the bundle from its file, not the value in memory
  return { bundle: Result.getOrThrow(ProofBundle.open(ProofBundle.encode(value), node.hash)), node }
})
const start = Effect.promise(() => made)

const using = <A, E>(bundle: ProofBundle.ProofBundle, read: (eth: VerdictEthClient.Client) => Effect.Effect<A, E>) =>
  Effect.provide(VerdictEthClient.VerdictEthClient.use(read), BundleClient.layer(bundle))

describe("BundleClient", () => {
  it.effect("answers every read of the state as the node did, VERIFIED, at the hash, the number and the tags", () =>
    Effect.gen(function* () {
      const { bundle, node } = yield* start
      for (const at of [node.hash, node.number, "latest", "safe", "finalized", { blockHash: node.hash }] as const) {
        const account = yield* using(bundle, (eth) => eth.getProof(Vault.vault, [StorageKey.fromSlot(0n)], at))
        assert.strictEqual(account._tag, "VERIFIED")
        const theirs = yield* Effect.promise(() => node.proof(Vault.vault, [0n]))
        assert.deepStrictEqual(account.value.accountProof, theirs.accountProof)
        assert.deepStrictEqual(account.value.storageProof[0]!.proof, theirs.storageProof[0].proof)
        assert.strictEqual(account.value.balance, 5n)
        const verdicts = yield* using(bundle, (eth) =>
          Effect.all([
            eth.getBalance(Vault.vault, at),
            eth.getTransactionCount(Vault.vault, at),
            eth.getCode(Vault.vault, at),
            eth.getCode(Vault.plain, at),
            eth.getStorageAt(Vault.vault, StorageKey.fromSlot(1n), at),
            eth.getStorageValues({ [Vault.vault]: [StorageKey.fromSlot(0n)] }, at)
          ])
        )
        assert.deepStrictEqual(
          verdicts.map(({ _tag }) => _tag),
          verdicts.map(() => "VERIFIED")
        )
        assert.deepStrictEqual(
          verdicts.slice(0, 5).map(({ value }) => value),
          [5n, 1n, Vault.code, "0x", StorageKey.fromSlot(Vault.storage.get(1n)!)]
        )
      }
    })
  )

  it.effect("reads variables at its block unless told otherwise, and has no other to compare it with", () =>
    Effect.gen(function* () {
      const { bundle, node } = yield* start
      const vault = { address: Vault.vault, layout: Vault.layout }
      const verdicts = yield* ContractStorage.ContractStorage.use((storage) =>
        Effect.all([
          storage.read(vault, "name"),
          storage.read(vault, "name", { block: undefined }),
          storage.readMany(vault, ["name"], { maxWords: 9 }),
          storage.diff(vault, { from: node.hash, paths: ["name"] })
        ])
      ).pipe(Effect.provide(BundleClient.layer(bundle)))
      for (const { _tag, anchor, claimed } of verdicts) {
        assert.deepStrictEqual([_tag, anchor?.hash, claimed], ["VERIFIED", node.hash, []])
      }
      assert.deepStrictEqual(verdicts[3].value.changed, [])
      const error = yield* ContractStorage.ContractStorage.use((storage) =>
        Effect.flip(storage.diff(vault, { from: 8n, paths: ["name"] }))
      ).pipe(Effect.provide(BundleClient.layer(bundle)))
      assert.strictEqual(NotInBundleError.fromError(error)?.wanted, "block 8")
    })
  )

  it.effect("refuses a mistyped question by its parameter, and does not look for it in the bundle", () =>
    Effect.gen(function* () {
      const { bundle, node } = yield* start
      const plain = BundleClient.make(bundle)
      const verdicts = BundleClient.makeVerdicts(bundle)
      const wrong = "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
      const short = "0x12"
      const reads: ReadonlyArray<readonly [read: Effect.Effect<unknown, unknown>, path: string]> = [
        [plain.getBalance(wrong), "address"],
        [verdicts.getBalance(wrong), "address"],
        [plain.getCode(short), "address"],
        [verdicts.getProof(short, []), "address"],
        [plain.getBlockByHash(short), "blockHash"],
        [verdicts.getTransactionByHash(short), "transactionHash"],
        [plain.getBalance(Vault.vault, short), "block"]
      ]
      for (const [read, path] of reads) {
        const error = yield* Effect.flip(read)
        assert.match((error as Error).message, new RegExp(`params\\.${path}\\b`, "u"))
      }
      // a key without leading zeros is valid
      const read = yield* verdicts.getStorageAt(Vault.nobody, "0x5", node.hash)
      assert.deepStrictEqual([read._tag, read.value], ["VERIFIED", Hash32.ZERO])
    })
  )

  it.effect("answers nothing where the trie proves that there is nothing", () =>
    Effect.gen(function* () {
      const { bundle, node } = yield* start
      const [account, word, code] = yield* using(bundle, (eth) =>
        Effect.all([
          eth.getProof(Vault.nobody, [], node.hash),
          eth.getStorageAt(Vault.nobody, StorageKey.fromSlot(5n), node.hash),
          eth.getCode(Vault.nobody, node.hash)
        ])
      )
      assert.strictEqual(account._tag, "VERIFIED")
      assert.match(account.proven[0]!.sentence, /does not exist/)
      assert.deepStrictEqual([word._tag, word.value], ["VERIFIED", Hash32.ZERO])
      assert.deepStrictEqual([code._tag, code.value], ["VERIFIED", "0x"])
      // an empty storage proves that every slot is zero
      const other = yield* using(bundle, (eth) => eth.getStorageAt(Vault.plain, StorageKey.fromSlot(77n), node.hash))
      assert.deepStrictEqual([other._tag, other.value], ["VERIFIED", Hash32.ZERO])
    })
  )

  it.effect("names what is missing, and never takes it for nothing", () =>
    Effect.gen(function* () {
      const { bundle, node } = yield* start
      const stranger = World.addressOf(150)
      const reads: ReadonlyArray<
        readonly [
          wanted: RegExp,
          missing: RegExp,
          read: (eth: VerdictEthClient.Client) => Effect.Effect<unknown, unknown>
        ]
      > = [
        [/^account 0x/, /^node of the state trie bagl/, (eth) => eth.getBalance(stranger, node.hash)],
        [/^account 0x/, /^node of the state trie bagl/, (eth) => eth.getProof(stranger, [], node.hash)],
        [/^block 0x0000/, /^block but 0x/, (eth) => eth.getBalance(Vault.vault, Hash32.ZERO)],
        [/^block 8/, /number 9$/, (eth) => eth.getBlockByNumber(8n)],
        [/^block earliest/, /number 9$/, (eth) => eth.getBlockByNumber("earliest")],
        [/^block pending/, /number 9$/, (eth) => eth.getBalance(Vault.vault, "pending")],
        [/^transaction 0x/, /not in that$/, (eth) => eth.getTransactionByHash(Hash32.ZERO)],
        [/^transaction 0x/, /not in that$/, (eth) => eth.getTransactionReceipt(Hash32.ZERO)]
      ]
      for (const [wanted, missing, read] of reads) {
        const error = NotInBundleError.fromError(yield* Effect.flip(using(bundle, read)))
        assert.match(error?.wanted ?? "", wanted)
        assert.match(error?.missing ?? "", missing)
      }
    })
  )

  it.effect("names the node that is missing, whichever of them is left out", () =>
    Effect.gen(function* () {
      const { bundle, node } = yield* start
      const question = (eth: VerdictEthClient.Client) =>
        Effect.all([
          eth.getProof(Vault.vault, [0n, 1n].map(StorageKey.fromSlot), node.hash),
          eth.getCode(Vault.vault, node.hash)
        ])
      const needed = new Set<string>()
      yield* using({ ...bundle, nodes: (hash) => (needed.add(Hex.fromBytes(hash)), bundle.nodes(hash)) }, question)
      assert.isAbove(needed.size, 5)
      for (const lost of needed) {
        const without = {
          ...bundle,
          nodes: (hash: Uint8Array) => (Hex.fromBytes(hash) === lost ? undefined : bundle.nodes(hash))
        }
        const error = NotInBundleError.fromError(yield* Effect.flip(using(without, question)))
        const cid = bundle.blocks.find(({ cid }) => Hex.fromBytes(cid.multihash.digest) === lost)!.cid.toString()
        assert.include(error?.missing, cid)
      }
    })
  )

  it.effect("does not read a variable whose words are not all there", () =>
    Effect.gen(function* () {
      const { bundle } = yield* start
      const read = (path: string) =>
        ContractStorage.ContractStorage.use((storage) =>
          storage.read({ address: Vault.vault, layout: Vault.layout }, path)
        ).pipe(Effect.provide(BundleClient.layer(bundle)))
      assert.strictEqual((yield* read("owner")).value.variable.value, Vault.holders[0])
      const error = yield* Effect.flip(read(`balances[${Vault.holders[3]}]`))
      assert.match(NotInBundleError.fromError(error)?.wanted ?? "", /^slot 0x[0-9a-f]{64} of account 0x/)
    })
  )

  it.effect("reads the block, and that it is empty, where its header proves that", () =>
    Effect.gen(function* () {
      const { bundle, node } = yield* start
      const [block, transaction, receipts, logs, uncle, count] = yield* using(bundle, (eth) =>
        Effect.all([
          eth.getBlockByHash(node.hash, { full: true }),
          eth.getTransactionByBlockHashAndIndex(node.hash, 0n),
          eth.getBlockReceipts(node.hash),
          eth.getLogs({ blockHash: node.hash }),
          eth.getUncleByBlockHashAndIndex(node.hash, 0n),
          eth.getUncleCountByBlockNumber(node.number)
        ])
      )
      for (const { _tag } of [block, transaction, receipts, logs, uncle, count]) assert.strictEqual(_tag, "VERIFIED")
      assert.deepStrictEqual(
        [transaction.value, receipts.value, logs.value, uncle.value, count.value],
        [null, [], [], null, 0n]
      )
      assert.strictEqual(block.value?.number, 9n)
    })
  )

  it.effect("reads the state of a block whose transactions it does not have, and not the block", () =>
    Effect.gen(function* () {
      const node = yield* Effect.promise(() => World.make(Vault.accounts, undefined, keccak256("0x03")))
      const contract = { address: Vault.vault, layout: Vault.layout }
      const paths = ["owner", "name", "many"]
      const { value: bundle } = yield* Effect.provide(
        ProofBundle.make({ block: node.hash, contracts: [{ ...contract, paths }] }),
        node.eth
      )
      for (const options of [{}, { block: node.number }, { block: "latest" }] as const) {
        const verdict = yield* Effect.provide(
          ContractStorage.ContractStorage.use((storage) => storage.readMany(contract, paths, options)),
          BundleClient.layer(bundle)
        )
        assert.strictEqual(verdict._tag, "VERIFIED")
        assert.deepStrictEqual(verdict.value.variables[0]?.value, Vault.holders[0])
      }
      assert.strictEqual((yield* using(bundle, (eth) => eth.getBalance(Vault.vault, "latest"))).value, 5n)
      assert.strictEqual((yield* using(bundle, (eth) => eth.getUncleCountByBlockHash(node.hash))).value, 0n)
      const reads: ReadonlyArray<(eth: VerdictEthClient.Client) => Effect.Effect<unknown, unknown>> = [
        (eth) => eth.getBlockByHash(node.hash),
        (eth) => eth.getBlockByNumber("latest", { full: true }),
        (eth) => eth.getTransactionByBlockHashAndIndex(node.hash, 0n),
        (eth) => eth.getBlockReceipts(node.hash)
      ]
      for (const read of reads) {
        const error = NotInBundleError.fromError(yield* Effect.flip(using(bundle, read)))
        assert.match(error?.missing ?? "", /^node of the transactions' trie bagj/)
      }
    })
  )

  it.effect("serves code that knows the plain client, and refuses what needs more than a proof", () =>
    Effect.gen(function* () {
      const { bundle } = yield* start
      const plain = BundleClient.layerPlain(bundle)
      const ask = <A, E>(read: (eth: EthClient.Client) => Effect.Effect<A, E>) =>
        Effect.provide(EthClient.EthClient.use(read), plain)
      assert.strictEqual(yield* ask((eth) => eth.getBalance(Vault.vault)), 5n)
      assert.strictEqual(yield* ask((eth) => eth.blockNumber), 9n)
      const refused: ReadonlyArray<(eth: EthClient.Client) => EthClient.EthRead<unknown>> = [
        (eth) => eth.chainId,
        (eth) => eth.call({ to: Vault.vault }),
        (eth) => eth.estimateGas({ to: Vault.vault }),
        (eth) => eth.createAccessList({ to: Vault.vault }),
        (eth) => eth.sendRawTransaction("0x"),
        (eth) => eth.feeHistory(1n),
        (eth) => eth.gasPrice
      ]
      for (const read of refused) assert.match((yield* Effect.flip(ask(read))).message, /-32601/)
    })
  )
})
