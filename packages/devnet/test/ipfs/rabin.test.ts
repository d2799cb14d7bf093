/** Tests a stream of content that fails before its end: the failure must not complete a chunk. */
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"

import * as RabinChunker from "../../src/ipfs/rabinChunker.ts"
import { random } from "../support/ipfs.ts"

const SIZES = { min: 16, avg: 64, max: 256 }

it.effect("gives no chunk of content that fails before the chunk's end", () =>
  Effect.gen(function* () {
    const content = Buffer.concat(yield* Stream.runCollect(random("cut", 5000)))
    const whole = yield* Stream.runCollect(RabinChunker.chunks(Stream.make(content), SIZES))
    for (const size of [0, 1, 15, 16, 100, 1000, 4999]) {
      const came: Array<Uint8Array> = []
      const cut = Stream.concat(Stream.make(content.subarray(0, size)), Stream.fail("broken"))
      const error = yield* RabinChunker.chunks(cut, SIZES).pipe(
        Stream.runForEach((chunk) => Effect.sync(() => came.push(chunk))),
        Effect.flip
      )
      assert.strictEqual(error, "broken")
      assert.deepStrictEqual(came, whole.slice(0, came.length), `after ${size} bytes`)
    }
  })
)
