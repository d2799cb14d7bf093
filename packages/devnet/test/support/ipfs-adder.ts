/**
 * A program with an IPFS node that adds, unpins and collects endlessly, and reports each step, until it is killed.
 */
import { writeSync } from "node:fs"

import { Effect, Stream } from "effect"

import * as IpfsEmbedded from "../../src/ipfs/IpfsEmbedded.ts"
import { addAll, random } from "./ipfsContent.ts"

const [folder, round] = process.argv.slice(2)

/** Prints a line synchronously, because a buffered line would be lost when the process is killed. */
const say = (...words: ReadonlyArray<string>): void => void writeSync(1, `${words.join(" ")}\n`)

const program = Effect.gen(function* () {
  const node = yield* IpfsEmbedded.make({ folder: folder! })
  say("ready")
  for (let i = 0; ; i++) {
    const files = Array.from({ length: 4 }, (_, file) => ({
      path: `d/${file}`,
      content: random(`${round} ${i} ${file}`, file * 300_000)
    }))
    const small = Array.from({ length: 20 }, (_, file) => ({
      path: `d/small/${file}`,
      content: new Uint8Array(4000).fill(file).map((byte, at) => (at < 8 ? (i >> at) ^ Number(round) : byte))
    }))
    const added = yield* addAll(node, [...files, ...small])
    const cid = String(added.at(-1)?.cid)
    say("added", cid)
    if (i % 3 === 2) {
      say("removing", cid)
      yield* node.pinRm(cid)
      say("removed", cid)
      yield* Stream.runDrain(node.gc)
    }
  }
})

await Effect.runPromise(Effect.scoped(program))
