/** Finds the links of blocks, in steps. */
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import * as IpfsReason from "../cid/IpfsReason.ts"
import { unproven } from "../cid/unprovenContent.ts"
import type { BlockLinks } from "../codec/blockLinks.ts"
import * as IpldCodecs from "../codec/ipldCodecs.ts"
import type { Steps } from "../work/steps.ts"
import type { LimitExceeded, MalformedBlock } from "./DagError.ts"
import { flawed } from "./malformedBlock.ts"

/** The errors of decoding a block or finding its links. */
export type DecodeError = MalformedBlock | LimitExceeded | UnprovenError

export function* linksSteps({
  bytes,
  cid
}: {
  readonly bytes: Uint8Array
  readonly cid: Cid.Cid
}): Steps<Result.Result<BlockLinks, DecodeError>> {
  const codec = IpldCodecs.all.get(cid.code)
  return codec === undefined ? unknownCodec(cid) : Result.mapError(yield* codec.links(bytes), flawed(cid))
}

export const unknownCodec = (cid: Cid.Cid): Result.Result<never, UnprovenError> =>
  Result.fail(unproven(Cid.toText(cid), IpfsReason.UnreadableCodec({ code: cid.code, reading: "values" })))
