/** Opens, reads and writes a bundle of 36 words of a token, and verifies the same proofs in the JSON form of nodes. */
import { CarReader } from "@ipld/car"
import { type Block, VerdictEthClient, Verify } from "@plumbline/eth-methods"
import { EthMethods, StorageKey } from "@plumbline/eth-methods"
import { BundleClient, BundleIpfs, ProofBundle } from "@plumbline/proof-bundle"
import { ContractStorage } from "@plumbline/storage-layout"
import type { Verdict } from "@plumbline/verdict"
import { Effect, Result, Schema } from "effect"
import { expect, test } from "vitest"

import * as Vault from "../test/support/vault.ts"
import * as World from "../test/support/world.ts"

const node = await World.make(Vault.accounts)
const contract = { address: Vault.vault, layout: Vault.layout }
const eth = await Effect.runPromise(Effect.provide(VerdictEthClient.VerdictEthClient, node.eth))
const making = ProofBundle.make({ block: node.hash, contracts: [{ ...contract, paths: Vault.paths }] }).pipe(
  Effect.provideService(VerdictEthClient.VerdictEthClient, eth)
)
const { value: bundle } = await Effect.runPromise(making)
const file = ProofBundle.encode(bundle)

const slots = [...Vault.storage.keys()]
const json = JSON.stringify(await node.proof(Vault.vault, slots))
const question = { address: Vault.vault, storageKeys: slots.map(StorageKey.fromSlot) }
const block = (await Effect.runPromise(eth.getBlockByHash(node.hash))) as Verdict.Verified<Block.WithHashes>
const decode = Schema.decodeUnknownSync(EthMethods.eth_getProof.result)

const storage = ContractStorage.make(BundleClient.makeVerdicts(bundle))

test("a bundle opened", async ({ bench }) => {
  const result = await bench.compare(
    bench("open", () => {
      Result.getOrThrow(ProofBundle.open(file, node.hash))
    }),
    bench("eth_getProof's JSON parsed and verified", () => {
      Result.getOrThrow(Verify.account(decode(JSON.parse(json)), question, block))
    }),
    bench("@ipld/car, reading without any hash", async () => {
      const reader = await CarReader.fromBytes(file)
      for await (const _ of reader.blocks());
    }),
    { time: 300 }
  )
  expect(result).toBeDefined()
})

test("a bundle read and written", async ({ bench }) => {
  const result = await bench.compare(
    bench("readMany, 34 variables, verified", async () => {
      await Effect.runPromise(storage.readMany(contract, Vault.paths, { block: node.hash }))
    }),
    bench("encode", () => {
      ProofBundle.encode(bundle)
    }),
    bench("listOf", () => {
      BundleIpfs.listOf(bundle)
    }),
    { time: 300 }
  )
  expect(result).toBeDefined()
})
