/** Writes the proof of a contract's variables to a file, and reads them by name without any node. */
import { readFile } from "node:fs/promises"

import { Address, Hash32 } from "@plumbline/codec"
import { Anvil, PreparedState } from "@plumbline/devnet"
import { VerdictEthClient } from "@plumbline/eth-methods"
import { BundleClient, NotInBundleError, ProofBundle } from "@plumbline/proof-bundle"
import { ContractStorage, Layout } from "@plumbline/storage-layout"
import { Effect, Result } from "effect"

const { token } = PreparedState.contracts
const storageLayout = JSON.parse(await readFile(PreparedState.layoutFile(token), "utf8"))
const contract = {
  address: Address.fromHexUnsafe(token.address),
  layout: Result.getOrThrow(Layout.fromSolc(storageLayout))
}
const hash = Hash32.fromHexUnsafe(PreparedState.head.hash)

// with a node
const making = Effect.gen(function* () {
  const { url } = yield* Anvil.Anvil
  const paths = ["name", "totalSupply", `balanceOf[${PreparedState.accounts[0]!.address}]`]
  const made = ProofBundle.make({ block: hash, contracts: [{ ...contract, paths }] })
  return ProofBundle.encode((yield* Effect.provide(made, VerdictEthClient.layerUrl(url))).value)
})
const file = await Effect.runPromise(Effect.provide(making, Anvil.layer()))

// the rest also runs on any other machine that has the file, the hash and the layout
const bundle = Result.getOrThrow(ProofBundle.open(file, hash))
const read = (...paths: ReadonlyArray<string>) =>
  ContractStorage.ContractStorage.use((storage) => storage.readMany(contract, paths)).pipe(
    Effect.provide(BundleClient.layer(bundle))
  )
const { _tag, value } = await Effect.runPromise(read("name", "totalSupply"))
console.log(_tag, ...value.variables.map(({ value }) => value)) // => VERIFIED Plumb 1000000000000000000000000n
const error = await Effect.runPromise(Effect.flip(read("symbol")))
console.log(NotInBundleError.fromError(error)?.wanted.startsWith("slot 0x")) // => true
