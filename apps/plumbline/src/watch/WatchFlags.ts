/** The flags of `plumbline watch`, and the filter that they make. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as LogFilter from "@plumbline/eth-methods/model/LogFilter"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import * as AccountReference from "../answer/AccountReference.ts"
import * as BlockReference from "../answer/BlockReference.ts"
import * as ReadFlags from "../answer/ReadFlags.ts"
import * as PollFlag from "../node/PollFlag.ts"
import * as JsonFlag from "../terminal/JsonFlag.ts"
import { UsageError } from "../terminal/UsageError.ts"

const { json: _, url: __, ...reading } = ReadFlags.flags

/** The flags of both commands. */
export const heads = {
  url: Flag.Redacted("url").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription(
      "Any JSON-RPC or service URL; may be repeated: a node that lies or fails is left for the next one (default: the service that `plumbline up` started)"
    ),
    Flag.atLeast(0)
  ),
  ...reading,
  from: Flag.String("from").pipe(
    Flag.withMetavar("number|tag"),
    Flag.withDescription(
      "The first block to tell (default: the head). Without effect if the file of --cursor exists: that one goes on"
    ),
    Flag.optional
  ),
  cursor: Flag.String("cursor").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription("Keep the place in this file, and go on from there after a restart (default: keep nothing)"),
    Flag.optional
  ),
  head: Flag.Literals("head", ["latest", "safe", "finalized"]).pipe(
    Flag.withDescription("The newest block to tell (default: latest; finalized with --l1)"),
    Flag.optional
  ),
  poll: PollFlag.flag,
  json: Flag.withDescription(
    JsonFlag.flag,
    "Print one JSON object a line: verdict, anchor, head or log, removed, cursor"
  )
}

/** The flags of `watch logs`. */
export const logs = {
  address: Flag.String("address").pipe(
    Flag.withMetavar("address"),
    Flag.withDescription("A contract whose logs are told; may be repeated (default: all contracts)"),
    Flag.atLeast(0)
  ),
  topic: Flag.String("topic").pipe(
    Flag.withMetavar("topics"),
    Flag.withDescription(
      'The topic at the next position: a hash, alternatives divided by commas, or "*" for any; may be repeated, at most 4 times'
    ),
    Flag.atLeast(0)
  ),
  ...heads
}

export type WatchFlags = Command.Command.Config.Infer<typeof heads>
export type WatchLogsFlags = Command.Command.Config.Infer<typeof logs>

/** The first block of a watch. */
export type WatchStart = bigint | "latest" | "safe" | "finalized"

/** Returns the block of `--from`; undefined without the flag. */
export const from = (given: Option.Option<string>): Result.Result<WatchStart | undefined, UsageError> =>
  Option.match(given, {
    onNone: () => Result.succeed(undefined),
    onSome: (text) =>
      Result.flatMap(BlockReference.parse(text, "--from"), (reference) =>
        reference._tag === "Hash" || reference.block === "pending" || isTooHigh(reference.block)
          ? usage("--from must be the number of a block, or one of earliest, latest, safe, finalized")
          : Result.succeed(reference.block === "earliest" ? 0n : reference.block)
      )
  })

const isTooHigh = (block: bigint | string): boolean =>
  typeof block === "bigint" && block > BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Returns the filter of the flags. The first `--topic` is about the first topic, which is the event, the second one about
 * the second topic, and so on.
 */
export const selection = ({
  address,
  topic
}: Pick<WatchLogsFlags, "address" | "topic">): Result.Result<LogFilter.Selection, UsageError> =>
  Result.gen(function* () {
    if (address.length > LogFilter.MAX_ALTERNATIVES) {
      return yield* usage(`--address may be given at most ${LogFilter.MAX_ALTERNATIVES} times`)
    }
    if (topic.length > LogFilter.MAX_TOPICS) {
      return yield* usage(
        `--topic may be given at most ${LogFilter.MAX_TOPICS} times, one for each position. Divide alternatives by commas`
      )
    }
    const addresses = []
    for (const text of address) addresses.push(yield* AccountReference.address(text, "--address"))
    const topics = []
    for (const text of topic) topics.push(yield* alternatives(text))
    return LogFilter.trimmed({
      ...(addresses.length === 0 ? {} : { address: addresses }),
      ...(topics.length === 0 ? {} : { topics })
    })
  })

const alternatives = (text: string): Result.Result<ReadonlyArray<Hash32.Hash32> | null, UsageError> =>
  Result.gen(function* () {
    if (ANY.has(text)) return null
    const parts = text.split(",", LogFilter.MAX_ALTERNATIVES + 1)
    if (parts.length > LogFilter.MAX_ALTERNATIVES) {
      return yield* usage(`--topic may name at most ${LogFilter.MAX_ALTERNATIVES} alternatives`)
    }
    const hashes = []
    for (const part of parts) hashes.push(yield* BlockReference.hash(part.trim(), '--topic, unless it is "*",'))
    return hashes
  })

/** The words for any topic: that of a shell, which must be quoted there, and that of JSON-RPC. */
const ANY: ReadonlySet<string> = new Set(["*", "null"])

const usage = (problem: string): Result.Result<never, UsageError> => Result.fail(new UsageError({ problem }))
