/** Tests bundles of real mainnet blocks. They are made from nodes' answers, and read without the nodes. */
import { assert, it } from "@effect/vitest"
import { Address, Hash32 } from "@plumbline/codec"
import { StorageKey, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { BundleClient, BundleIpfs, NotInBundleError, ProofBundle } from "@plumbline/proof-bundle"
import { Effect, Layer, Result } from "effect"

import { conformance, files, json, text } from "./support/fixtures.ts"

/** Returns a client of a node that knows only these answers, by method and parameters. */
const clientOf = (answers: ReadonlyMap<string, unknown>): Layer.Layer<VerdictEthClient.VerdictEthClient> => {
  const call = ({ method, params }: Transport.WireCall) => {
    const known = answers.get(nameOf(method, params))
    const reason = new JsonRpcError.RemoteError({ code: -32000, message: "not among the fixtures" })
    return known === undefined ? Effect.fail(new JsonRpcError.JsonRpcError({ method, reason })) : Effect.succeed(known)
  }
  const node = Layer.succeed(Transport.Transport, { call, callAll: Transport.oneByOne(call) })
  return VerdictEthClient.layer().pipe(Layer.provide([node, TrustedBlock.layerNone()]))
}

const nameOf = (method: string, params: ReadonlyArray<unknown>): string =>
  JSON.stringify([method, params]).toLowerCase()

const reopened = (bundle: ProofBundle.ProofBundle): ProofBundle.ProofBundle => {
  const file = ProofBundle.encode(bundle)
  const opened = Result.getOrThrow(ProofBundle.open(file, bundle.blockHash))
  assert.isTrue(Buffer.from(ProofBundle.encode(opened)).equals(file))
  return opened
}

conformance("proof bundles", () => {
  it.effect("hold accounts, a slot and code of mainnet, as helios knows them", () =>
    Effect.gen(function* () {
      const read = (name: string): any => json(`3-mainnet/helios/rpc/${name}.json`)
      const block = read("block")
      const hash = Hash32.fromHexUnsafe(block.hash)
      const [proof, minerProof] = [read("proof"), read("block_miner_proof")]
      const slot = StorageKey.fromSlot(1n)
      const at = { blockHash: hash }
      const answers = new Map<string, unknown>([
        [nameOf("eth_getBlockByHash", [hash, false]), block],
        [nameOf("eth_getProof", [proof.address, [slot], at]), proof],
        [nameOf("eth_getProof", [proof.address, [], at]), { ...proof, storageProof: [] }],
        [nameOf("eth_getProof", [minerProof.address, [], at]), minerProof],
        [nameOf("eth_getCode", [proof.address, at]), read("account").code]
      ])
      const [deposits, miner] = [proof, minerProof].map(({ address }) => Address.fromHexUnsafe(address))
      const made = yield* ProofBundle.make({
        block: hash,
        accounts: [{ address: deposits!, slots: [slot], code: true }, { address: miner! }]
      }).pipe(Effect.provide(clientOf(answers)))
      assert.strictEqual(made._tag, "VERIFIED")
      const bundle = reopened(made.value)
      assert.sameMembers([...bundle.accounts], [deposits, miner])

      const eth = BundleClient.makeVerdicts(bundle)
      const [word, code, account, balance] = yield* Effect.all([
        eth.getStorageAt(deposits!, slot, hash),
        eth.getCode(deposits!, hash),
        eth.getProof(deposits!, [slot], hash),
        eth.getBalance(miner!, hash)
      ])
      const facts: ReadonlyArray<any> = json("6-storage-layout/facts.json").proofBacked
      assert.strictEqual(word.value, facts.find(({ variable }) => variable === "branch[1]").value)
      assert.strictEqual(code.value, read("account").code)
      assert.deepStrictEqual(account.value.accountProof, proof.accountProof)
      assert.deepStrictEqual(account.value.storageProof[0]!.proof, proof.storageProof[0].proof)
      assert.strictEqual(balance.value, BigInt(minerProof.balance))
      for (const verdict of [word, code, account, balance]) assert.strictEqual(verdict._tag, "VERIFIED")

      // The block has transactions, but the bundle does not hold them.
      const missing = NotInBundleError.fromError(yield* Effect.flip(eth.getBlockByHash(hash)))
      assert.strictEqual(missing?.wanted, "the block's transactions")
      const sources = ["proof", "block_miner_proof", "account"].map((name) => text(`3-mainnet/helios/rpc/${name}.json`))
      const bytes = ProofBundle.encode(bundle).length
      const asJson = sources.reduce((sum, one) => sum + one.length, 0)
      console.log(`helios: ${bytes} bytes as a bundle, ${asJson} as JSON`)
      assert.isBelow(bytes * 2, asJson)
    })
  )

  for (const file of files("9-bench/block*.json")) {
    it.effect(`hold all transactions of mainnet: ${file}`, () =>
      Effect.gen(function* () {
        const block = json(file)
        const hash = Hash32.fromHexUnsafe(block.hash)
        const hashes = block.transactions.map((transaction: any) => transaction.hash)
        const answers = new Map<string, unknown>([
          [nameOf("eth_getBlockByHash", [hash, false]), { ...block, transactions: hashes }],
          [nameOf("eth_getBlockByHash", [hash, true]), block]
        ])
        const made = yield* ProofBundle.make({ block: hash, transactions: true }).pipe(
          Effect.provide(clientOf(answers))
        )
        const bundle = reopened(made.value)
        const eth = BundleClient.makeVerdicts(bundle)
        const [whole, named, last, none] = yield* Effect.all([
          eth.getBlockByHash(hash, { full: true, senders: false }),
          eth.getBlockByHash(hash),
          eth.getTransactionByBlockHashAndIndex(hash, BigInt(hashes.length - 1)),
          eth.getTransactionByBlockHashAndIndex(hash, BigInt(hashes.length))
        ])
        for (const verdict of [whole, named, last, none]) assert.strictEqual(verdict._tag, "VERIFIED")
        assert.deepStrictEqual(named.value?.transactions, hashes)
        assert.deepStrictEqual(
          whole.value?.transactions.map(({ from }) => from),
          block.transactions.map(({ from }: any) => from)
        )
        assert.strictEqual(last.value?.hash, hashes.at(-1))
        assert.isNull(none.value)
        assert.strictEqual(BundleIpfs.listOf(bundle).cid.code, 0x71)
      })
    )
  }
})
