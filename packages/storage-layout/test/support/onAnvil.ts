/** Reads variables on anvil, with proofs from the hash of its latest block. */
import { Address, Hash32 } from "@plumbline/codec"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { ContractStorage, type Layout } from "@plumbline/storage-layout"
import { Effect, Layer } from "effect"

import type { Anvil } from "./anvil.ts"

export const readMany = async (
  { client, url }: Anvil,
  { address, layout }: { readonly address: string; readonly layout: Layout.Layout },
  paths: ReadonlyArray<string>
): Promise<Effect.Success<ReturnType<ContractStorage.Reader["readMany"]>>> => {
  const { hash } = await client.getBlock()
  const storage = ContractStorage.layer().pipe(
    Layer.provide(VerdictEthClient.layer()),
    Layer.provide([HttpTransport.layer({ url, timeout: "2 minutes" }), TrustedBlock.layerNone()])
  )
  const contract = { address: Address.fromHexUnsafe(address), layout }
  const read = ContractStorage.ContractStorage.use((storage) =>
    storage.readMany(contract, paths, { block: Hash32.fromHexUnsafe(hash) })
  )
  return Effect.runPromise(Effect.provide(read, storage))
}
