/** Reads variables of a contract by name, each proven by the block's hash. */
import { readFile } from "node:fs/promises"

import { Anvil, PreparedState } from "@plumbline/devnet"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { ContractStorage, Layout } from "@plumbline/storage-layout"
import { Effect, Layer, Result } from "effect"

const { token } = PreparedState.contracts
const holder = PreparedState.accounts[0]!.address

const program = Effect.gen(function* () {
  const { url } = yield* Anvil.Anvil
  const storageLayout = yield* Effect.promise(() => readFile(PreparedState.layoutFile(token), "utf8"))
  const contract = {
    address: token.address,
    layout: Result.getOrThrow(Layout.fromSolc(JSON.parse(storageLayout)))
  }
  const trust = TrustedBlock.layerPinned(PreparedState.head.hash)
  const storage = ContractStorage.layer().pipe(Layer.provide(VerdictEthClient.layerUrl(url, trust)))
  const read = ContractStorage.ContractStorage.use((storage) =>
    storage.readMany(contract, ["name", "totalSupply", `balanceOf[${holder}]`])
  )
  return yield* Effect.provide(read, storage)
})

const verdict = await Effect.runPromise(Effect.provide(program, Anvil.layer()))
console.log(verdict._tag) // => VERIFIED
for (const { value } of verdict.value.variables) console.log(value)
// => Plumb
// => 1000000000000000000000000n
// => 994000000000000000000000n
