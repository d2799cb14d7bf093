/**
 * Bundles of every block of the history chain, with all contents of the block. A value read from a bundle, offline,
 * equals the node's answer.
 */
import { assert, describe, it } from "@effect/vitest"
import { Address, Hash32 } from "@plumbline/codec"
import { History, HistoryChain } from "@plumbline/devnet"
import { StorageKey, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { BundleClient, ProofBundle } from "@plumbline/proof-bundle"
import { Effect, Layer, Result } from "effect"

const node = VerdictEthClient.layer().pipe(Layer.provide([History.layerTransport(), TrustedBlock.layerNone()]))

const contracts = Object.values(HistoryChain.contracts).map(({ address }) => Address.fromHexUnsafe(address))
const slots = [0n, 1n, 2n, 3n, 2n ** 256n - 1n].map(StorageKey.fromSlot)

/** Reads everything about a block that the clients can read. */
const readAll = (eth: VerdictEthClient.Client, hash: Hash32.Hash32) =>
  Effect.all({
    block: eth.getBlockByHash(hash, { full: true }),
    hashes: eth.getBlockByHash(hash),
    count: eth.getBlockTransactionCountByHash(hash),
    first: eth.getTransactionByBlockHashAndIndex(hash, 0n),
    none: eth.getTransactionByBlockHashAndIndex(hash, 1000n),
    receipts: eth.getBlockReceipts({ blockHash: hash }),
    logs: eth.getLogs({ blockHash: hash }),
    uncles: eth.getUncleCountByBlockHash(hash),
    uncle: eth.getUncleByBlockHashAndIndex(hash, 0n),
    accounts: Effect.forEach(contracts, (address) => eth.getProof(address, slots, hash)),
    codes: Effect.forEach(contracts, (address) => eth.getCode(address, hash)),
    words: Effect.forEach(contracts, (address) => eth.getStorageAt(address, slots[0]!, hash))
  })

describe("bundles of the history chain", () => {
  it.effect("answer what the node answers, block after block, and the same bytes come out again", () =>
    Effect.gen(function* () {
      const eth = yield* VerdictEthClient.VerdictEthClient
      for (const { hash: text, number } of HistoryChain.blocks) {
        const hash = Hash32.fromHexUnsafe(text)
        const wanted: ProofBundle.WantedContents = {
          block: hash,
          accounts: contracts.map((address) => ({ address, slots, code: true })),
          transactions: true,
          receipts: true,
          uncles: true
        }
        const made = yield* ProofBundle.make(wanted)
        assert.deepStrictEqual([number, made._tag], [number, "VERIFIED"])
        const file = ProofBundle.encode(made.value)
        const bundle = Result.getOrThrow(ProofBundle.open(file, hash))
        assert.isTrue(Buffer.from(ProofBundle.encode(bundle)).equals(file))

        const theirs: Record<string, any> = yield* readAll(eth, hash)
        const ours: Record<string, any> = yield* readAll(BundleClient.makeVerdicts(bundle), hash)
        for (const [name, verdict] of Object.entries(ours)) {
          const expected = theirs[name]
          const [got, want] = [verdict, expected].map((one) => (Array.isArray(one) ? one.map(plain) : plain(one)))
          assert.deepStrictEqual(got, want, `${name} of block ${number}`)
        }
        // Makes the bundle again, this time from the first bundle instead of a node.
        const again = yield* ProofBundle.make(wanted).pipe(
          Effect.provideService(VerdictEthClient.VerdictEthClient, BundleClient.makeVerdicts(bundle))
        )
        assert.isTrue(Buffer.from(ProofBundle.encode(again.value)).equals(file))
      }
    }).pipe(Effect.provide(node))
  )
})

/**
 * Returns the verdict and the value, without the fields that no hash of the block covers: a node sends these fields,
 * but a bundle does not contain them.
 *
 * Withdrawals have a root in the header, but IPLD has no codec for their trie.
 */
const plain = ({ _tag, value }: { readonly _tag: string; readonly value: any }): unknown => [_tag, without(value)]

const beside = new Set(["totalDifficulty", "size", "withdrawals", "blobGasPrice"])

const without = (value: any): any => {
  if (Array.isArray(value)) return value.map(without)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, member]) =>
      beside.has(field) || member === undefined ? [] : [[field, without(member)]]
    )
  )
}
