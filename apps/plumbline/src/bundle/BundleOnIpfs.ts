/**
 * Reads and publishes bundles on an IPFS node. It is a separate module, so that commands that need no node do not load
 * it.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsClient from "@plumbline/ipfs-client/client/IpfsClient"
import * as ProvenIpfsClient from "@plumbline/ipfs-client/proven/ProvenIpfsClient"
import * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"
import * as BundleIpfs from "@plumbline/proof-bundle/ipfs/BundleIpfs"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import * as Print from "../answer/Print.ts"
import * as IpfsFlags from "../ipfs/IpfsFlags.ts"
import * as RetryPolicy from "../node/RetryPolicy.ts"
import * as BundleFile from "./BundleFile.ts"
import * as BundleReasons from "./BundleReasons.ts"
import * as BundleRefusal from "./BundleRefusal.ts"
import * as BundleView from "./BundleView.ts"

export interface PublishFlags extends IpfsFlags.IpfsFlags {
  readonly bundle: string
}

/** `plumbline publish`: sends the file only if the file is a bundle of the block that it names. */
export const publish = Effect.fnUntraced(function* (flags: PublishFlags) {
  const file = yield* BundleFile.read(flags.bundle)
  const ask = Effect.gen(function* () {
    const bundle = yield* Effect.fromResult(
      ProofBundle.open(file, yield* Effect.fromResult(ProofBundle.claimedBlock(file)))
    )
    const published = yield* Effect.provide(BundleIpfs.publish(bundle), yield* clientOf(flags, { retries: 0 }))
    const { blocks, bytes } = published
    const [root, list] = [Cid.toText(published.root), Cid.toText(published.list)]
    const shown: Print.PrintableAnswer = {
      reply: {
        verdict: "VERIFIED",
        value: { root, list, blocks, bytes },
        anchor: Anchor.block(bundle.blockHash),
        proven: [BundleReasons.Sent({}), BundleReasons.ListCid({})],
        claimed: [Claim.question("pin", BundleReasons.Pinned({}))]
      },
      view: (style) => BundleView.published(published, style)
    }
    return shown
  })
  yield* Print.answer(flags, { ask, refusal: BundleRefusal.refusal({ anchor: null, subject: "the bundle" }) })
})

/** Fetches the bundle that a node has, and checks it. */
export const fetch = Effect.fnUntraced(function* (flags: IpfsFlags.IpfsFlags, cid: Cid.Cid, trusted: Hash32.Hash32) {
  return yield* Effect.provide(BundleIpfs.fetch(cid, trusted), yield* clientOf(flags))
})

const clientOf = Effect.fnUntraced(function* (
  flags: IpfsFlags.IpfsFlags,
  options: Pick<IpfsClient.IpfsClientOptions, "retries"> = {}
) {
  const endpoint = yield* IpfsFlags.endpoint(flags)
  const policy = yield* RetryPolicy.ofIpfs(flags)
  return ProvenIpfsClient.layer().pipe(
    Layer.provide(IpfsClient.layer({ ...endpoint, ...policy, ...options })),
    Layer.provide(NodeHttpClient.layerUndici)
  )
})
