/** Reads a contract with `ContractStorage`, from a node in memory. The contract was compiled and run before. */
import { Address, type Hash32 } from "@plumbline/codec"
import { TrustedBlock } from "@plumbline/eth-methods"
import { ContractStorage, type Layout } from "@plumbline/storage-layout"
import { Effect, type Layer } from "effect"

import type * as Evm from "./evm.ts"
import * as Node from "./node.ts"

export interface Started {
  readonly node: Node.Node
  readonly contract: ContractStorage.StoredContract
  /** Runs a read, with the given trust or none. */
  readonly ask: <A, E>(
    question: (storage: ContractStorage.Reader, contract: ContractStorage.StoredContract) => Effect.Effect<A, E>,
    trust?: Layer.Layer<TrustedBlock.TrustedBlock>
  ) => Effect.Effect<A, E>
  /** The slots and the block of each eth_getProof that was sent. */
  readonly proofs: () => ReadonlyArray<{ readonly slots: ReadonlyArray<string>; readonly block: Hash32.Hash32 }>
  readonly count: (method: string) => number
}

export const start = (
  deployed: Evm.Deployed,
  layout: Layout.Layout,
  options: { readonly lie?: Node.Lie; readonly stateRoots?: ReadonlyArray<Uint8Array> } = {}
): Effect.Effect<Started> =>
  Effect.map(
    Effect.promise(() => Node.make(deployed, options.lie, options.stateRoots)),
    (node) => {
      const contract = { address: Address.fromHexUnsafe(deployed.address), layout }
      return {
        node,
        contract,
        ask: (question, trust = TrustedBlock.layerNone()) =>
          Effect.provide(
            ContractStorage.ContractStorage.use((storage) => question(storage, contract)),
            node.storage(trust)
          ),
        proofs: () =>
          node.calls.flatMap(({ method, params }) => {
            const [, slots, block] = params as ReadonlyArray<any>
            return method === "eth_getProof" ? [{ slots, block: block.blockHash }] : []
          }),
        count: (method) => node.calls.filter((call) => call.method === method).length
      }
    }
  )
