import * as UnixFs from "@plumbline/ipfs-client/unixfs/UnixFs"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

import * as Progress from "../terminal/Progress.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as AskedNode from "./AskedNode.ts"
import * as ContentBytes from "./ContentBytes.ts"
import * as ContentReference from "./ContentReference.ts"
import * as IpfsContent from "./IpfsContent.ts"
import type { IpfsCommandFlags } from "./IpfsFlags.ts"
import * as IpfsReasons from "./IpfsReasons.ts"

/** `plumbline ipfs cat`: the content is on standard output, the verdict on standard error. */
export const run = Effect.fnUntraced(function* (flags: IpfsCommandFlags["cat"]) {
  const reference = yield* Effect.fromResult(ContentReference.parse(flags))
  const offset = yield* natural("--offset", flags.offset, 0)
  const length = yield* natural("--length", flags.length, Number.MAX_SAFE_INTEGER)
  const stdio = yield* Stdio.Stdio
  // The progress bar and the content would write over each other.
  const isQuiet = flags.json || (yield* stdio.stdoutIsTerminal)
  return yield* AskedNode.read(
    flags,
    Effect.fnUntraced(function* (node: AskedNode.AskedNode) {
      const found = yield* ContentReference.find(flags, reference)
      const cid = yield* IpfsContent.resolve(node.blocks, found.place)
      const { blocks, stat } = yield* IpfsContent.open(node.blocks, cid)
      const size = Math.max(0, Math.min(length, stat.size - offset))
      const content = UnixFs.cat(blocks, cid, { offset, length })
      const progress = yield* Progress.make("reading", { isQuiet })
      progress.expect(size)
      const bytes = Stream.tap(content, (piece) => Effect.sync(() => progress.done(piece.length)))
      const value = flags.json ? yield* ContentBytes.collect(bytes, size) : yield* ContentBytes.print(bytes)
      const proven = [IpfsReasons.FileBytes({ size, from: size === stat.size ? undefined : offset })]
      return ContentReference.answer(found, { value, proven }, () => [])
    }),
    "stderr"
  )
})

const natural = (name: string, given: Option.Option<number>, usual: number): Effect.Effect<number, UsageError> => {
  const value = Option.getOrElse(given, () => usual)
  return Number.isSafeInteger(value) && value >= 0
    ? Effect.succeed(value)
    : Effect.fail(new UsageError({ problem: `${name} must be a number of bytes, 0 or more` }))
}
