/** Blocks, proven by their hashes. */
import * as Evidence from "@plumbline/verdict/Evidence"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { claim, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type * as EthClient from "../client/EthClient.ts"
import { lacksMethod } from "../client/unsupportedReads.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as Input from "../model/Input.ts"
import { verifyBlock } from "../proof/verifyBlock.ts"
import type { BlockLocator, FoundBlock } from "./blockLocator.ts"
import { type ReorgRead, retryOnReorg } from "./reorgRetry.ts"
import { settle } from "./trustLink.ts"
import type { Client, BlockOptions, VerdictRead } from "./verdictClient.ts"
import * as VerifiedUncles from "./verifiedUncles.ts"

export const make = (chain: BlockLocator): Pick<Client, "getBlockByHash" | "getBlockByNumber"> => {
  /** Proves the uncles of a block, if it has some, and its size. For that, it reads the uncles' headers. */
  const withUncles = <B extends Block.Block>(located: FoundBlock<B>): ReorgRead<Verdict<B>> => {
    const { hash, verdict } = located
    if (verdict._tag === "CLAIMED" || verdict.claimed.every(({ field }) => field !== "uncles")) {
      return Effect.succeed(verdict)
    }
    const way = { byNumber: false }
    const proven = Effect.flatMap(
      VerifiedUncles.all(verdict, VerifiedUncles.askOf(chain.eth, hash, verdict.value, way), chain),
      (uncles): VerdictRead<Verdict<B>> =>
        Effect.fromResult(
          Result.map(
            verifyBlock(verdict.value, hash, {
              senders: false,
              chainId: chain.chainId,
              engine: chain.engine,
              forks: chain.forks,
              uncles: uncles.value
            }),
            (again) => joined(verdict, again)
          )
        )
    )
    // a node that lacks these methods does not lie
    return Effect.catch(VerifiedUncles.unlessAnother(proven, located, way), (error) =>
      error._tag === "JsonRpcError" && lacksMethod(error) ? Effect.succeed(verdict) : Effect.fail(error)
    )
  }

  const get = <const Options extends BlockOptions>(
    method: string,
    parameter: BlockParameter.BlockParameter,
    options?: Options
  ): VerdictRead<Verdict<EthClient.BlockOf<Options> | null>> =>
    retryOnReorg(
      method,
      Effect.flatMap(
        chain.locate(parameter, options),
        (located): ReorgRead<Verdict<EthClient.BlockOf<Options> | null>> => {
          if (located._tag === "Missing") return Effect.succeed(claim(located.value, located.reason))
          return options?.uncleHeaders === true
            ? Effect.map(withUncles(located), (verdict) => settle(located.link, verdict))
            : Effect.succeed(settle(located.link, located.verdict))
        }
      )
    )
  return {
    getBlockByHash: <const Options extends BlockOptions = {}>(hash: Input.Hash32, options?: Options) =>
      get("eth_getBlockByHash", hash, options),
    getBlockByNumber: <const Options extends BlockOptions = {}>(block: BlockParameter.NumberOrTag, options?: Options) =>
      get("eth_getBlockByNumber", block, options)
  }
}

/** Joins two verdicts about one block; the second value is the more complete one. A claim remains only if both have it. */
const joined = <B>(first: Verified<B>, second: Verdict<B>): Verified<B> => {
  const open = new Set(second.claimed.map(({ field }) => field))
  return Proven.amend(first, {
    value: second.value,
    proven: [
      ...first.proven,
      ...second.proven.filter((one) => !first.proven.some((other) => Evidence.equals(one, other)))
    ],
    claimed: first.claimed.filter(({ field }) => open.has(field))
  })
}
