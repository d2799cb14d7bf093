import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"

import * as OutputFile from "../files/OutputFile.ts"
import { Shutdown } from "../home/Shutdown.ts"
import * as Progress from "../terminal/Progress.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as AskedNode from "./AskedNode.ts"
import * as ContentReference from "./ContentReference.ts"
import * as ContentView from "./ContentView.ts"
import * as IpfsContent from "./IpfsContent.ts"
import type { IpfsCommandFlags } from "./IpfsFlags.ts"
import * as IpfsReasons from "./IpfsReasons.ts"
import * as TreeWriter from "./TreeWriter.ts"

/**
 * The command was told to stop before it was done; `reason` is the origin of the signal. The part that it had written
 * is removed.
 */
export class StoppedError extends Schema.TaggedError<StoppedError>()("StoppedError", { reason: Schema.String }) {
  override get message(): string {
    return `${this.reason}: nothing was written`
  }
}

/** `plumbline ipfs get` */
export const run = Effect.fnUntraced(function* (flags: IpfsCommandFlags["get"]) {
  const path = yield* Path.Path
  const reference = yield* Effect.fromResult(ContentReference.parse(flags))
  const target = yield* targetOf(flags.output, ContentReference.lastName(reference))
  const named = Option.getOrUndefined(flags.output)
  const into = named === undefined || [named, path.resolve(named)].includes(target) ? undefined : named
  const output = yield* OutputFile.find(target)
  yield* OutputFile.checkJson(output, flags.json)
  if (output._tag === "File" || output._tag === "Directory") {
    if (!flags.force) yield* TreeWriter.refuseTaken(target)
  } else yield* OutputFile.checkFree(output, flags.force)
  const printed = output._tag === "Stdout" ? "stderr" : "stdout"
  // After a signal, the command first removes its unfinished output.
  const stdio = yield* Stdio.Stdio
  const stopped = Effect.flatMap(yield* Shutdown, (reason) => Effect.fail(new StoppedError({ reason })))
  const got = AskedNode.read(
    flags,
    Effect.fnUntraced(function* (node: AskedNode.AskedNode) {
      const found = yield* ContentReference.find(flags, reference)
      const cid = yield* IpfsContent.resolve(node.blocks, found.place)
      const content = yield* IpfsContent.open(node.blocks, cid)
      // The progress bar and the content would write over each other.
      const isQuiet = flags.json || (output._tag === "Stdout" && (yield* stdio.stdoutIsTerminal))
      const progress = yield* Progress.make("getting", { isQuiet })
      // The size of a directory is known only after it was read.
      if (content.stat.kind === "file") progress.expect(content.stat.size)
      const options = { force: flags.force, onWritten: progress.done }
      const written =
        output._tag === "Stdout" || output._tag === "Stream"
          ? yield* TreeWriter.pour(content, output, progress.done)
          : output._tag === "File" && content.stat.kind === "file"
            ? yield* TreeWriter.write(content, node.blocks, { ...options, target: output.target, old: output.old })
            : yield* TreeWriter.write(content, node.blocks, { ...options, target })
      const answer = { value: { path: target, ...written }, proven: [IpfsReasons.Written({})] }
      return ContentReference.answer(found, answer, (style) => ContentView.written(target, into, written, style))
    }),
    printed
  )
  return yield* Effect.raceFirst(got, stopped)
})

/**
 * Returns the target: standard output; or the content's own name, if the given name is an existing directory; or else
 * the given name.
 */
const targetOf = Effect.fnUntraced(function* (output: Option.Option<string>, name: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (Option.contains(output, OutputFile.STDOUT)) return OutputFile.STDOUT
  const given = path.resolve(Option.getOrElse(output, () => "."))
  const isDirectory = yield* Effect.orElseSucceed(
    Effect.map(fs.stat(given), ({ type }) => type === "Directory"),
    () => false
  )
  if (!isDirectory) return given
  if (!TreeWriter.isFileName(name, path.sep)) {
    return yield* new UsageError({
      problem: "path: its last name cannot be a file's on this machine: choose another one with -o"
    })
  }
  return path.join(given, name)
})
