/** `--trust`: the hash of a block that the reader knows to be on the chain. A command reads it once. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import type { UsageError } from "../terminal/UsageError.ts"
import * as BlockReference from "./BlockReference.ts"

/** The trusted hash, if there is one. */
export type Trust = Hash32.Hash32 | undefined

/** Reads the value of the flag. */
export const parse = ({ trust }: { readonly trust: Option.Option<string> }): Result.Result<Trust, UsageError> =>
  Option.match(trust, {
    onNone: () => Result.succeed(undefined),
    onSome: (text) => BlockReference.hash(text, "--trust")
  })

/** The block that a client ties its answers to. */
export const layer = (trust: Trust): Layer.Layer<TrustedBlock.TrustedBlock> =>
  trust === undefined ? TrustedBlock.layerNone : TrustedBlock.layerPinned(trust)
