/** Finds the links of blocks, in steps. */
import type { Unproven } from "@plumbline/verdict/Unproven"
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import * as IpfsReason from "../cid/IpfsReason.ts"
import { unproven } from "../cid/unproven.ts"
import * as Codecs from "../codec/codecs.ts"
import type { Links } from "../codec/links.ts"
import type { Steps } from "../work/steps.ts"
import type { LimitExceeded, MalformedBlock } from "./DagError.ts"
import { flawed } from "./flawed.ts"

/** The errors of decoding a block or finding its links. */
export type DecodeError = MalformedBlock | LimitExceeded | Unproven

export function* linksSteps({
  bytes,
  cid
}: {
  readonly bytes: Uint8Array
  readonly cid: Cid.Cid
}): Steps<Result.Result<Links, DecodeError>> {
  const codec = Codecs.all.get(cid.code)
  return codec === undefined ? unknownCodec(cid) : Result.mapError(yield* codec.links(bytes), flawed(cid))
}

export const unknownCodec = (cid: Cid.Cid): Result.Result<never, Unproven> =>
  Result.fail(unproven(Cid.toText(cid), IpfsReason.UnreadableCodec({ code: cid.code, reading: "values" })))
