/** Computes the CIDs of blocks that are added. */
import * as Effect from "effect/Effect"

import * as Cid from "../cid/Cid.ts"
import * as Multihash from "../cid/Multihash.ts"
import { RAW } from "../codec/ipldCodecs.ts"

export interface CidNaming {
  readonly cidVersion: 0 | 1
  readonly hash: Multihash.MultihashName
  readonly inlineLimit?: number | undefined
}

/** Returns the CID of a block. */
export const cidOf = (naming: CidNaming, codec: number, bytes: Uint8Array): Cid.Cid =>
  inlined(naming, codec, bytes) ?? named(naming, codec, Multihash.digestOf(naming.hash, bytes))

/** Computes `cidOf` with the platform's hash function if that is faster. */
export const cidEffect = (naming: CidNaming, codec: number, bytes: Uint8Array): Effect.Effect<Cid.Cid> => {
  const within = inlined(naming, codec, bytes)
  return within === undefined
    ? Effect.map(Effect.orDie(Multihash.digestEffect(Multihash.codes[naming.hash], bytes)), (digest) =>
        named(naming, codec, digest)
      )
    : Effect.succeed(within)
}

const inlined = ({ inlineLimit }: CidNaming, codec: number, bytes: Uint8Array): Cid.Cid | undefined =>
  inlineLimit !== undefined && bytes.length <= inlineLimit ? Cid.make(codec, Multihash.IDENTITY, bytes) : undefined

const named = ({ cidVersion, hash }: CidNaming, codec: number, digest: Uint8Array): Cid.Cid =>
  cidVersion === 0 && codec !== RAW && hash === "sha2-256"
    ? Cid.makeV0(digest)
    : Cid.make(codec, Multihash.codes[hash], digest)
