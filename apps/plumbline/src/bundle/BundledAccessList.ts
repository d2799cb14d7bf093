/** The access list of a bundle's block, read from the bundle alone. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as BlockAccessList from "@plumbline/eth-methods/model/BlockAccessList"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"
import * as BundleClient from "@plumbline/proof-bundle/read/BundleClient"
import * as NotInBundleError from "@plumbline/proof-bundle/read/NotInBundleError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** True if the bundle holds the block of the list. A list that is empty has no block. */
export const isKept = ({ header: { blockAccessListHash: hash }, nodes }: ProofBundle.ProofBundle): boolean =>
  hash !== undefined && nodes(Hash32.toBytes(hash)) !== undefined

/** Reads the list. It is null in no bundle. */
export const read = (
  bundle: ProofBundle.ProofBundle
): Effect.Effect<
  Verdict<BlockAccessList.BlockAccessList | null>,
  JsonRpcError | NotInBundleError.NotInBundleError | RefutedError
> =>
  Effect.mapError(
    BundleClient.makeVerdicts(bundle).getBlockAccessList(bundle.blockHash),
    (error) => NotInBundleError.fromError(error) ?? error
  )

/** Returns the list in the form of eth_getBlockAccessList. */
export const wire = /* @__PURE__ */ Schema.encodeSync(BlockAccessList.BlockAccessList)
