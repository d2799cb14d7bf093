/**
 * Compares the answers in memory with a simple list: the answers that stay, the dropped answers, and the number of
 * bytes.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"

import { AnswerMemory } from "../../src/cache/answerMemory.ts"

/** Returns the size of an entry: its key, its answer and 200 bytes. */
const sizeOf = ({ answer, key }: Kept): number => key.length + answer.length + 200

interface Kept {
  readonly key: string
  readonly answer: Uint8Array
}

describe("the memory of answers", () => {
  it("keeps those that a searched list keeps, in every order of use", () => {
    for (let seed = 1; seed <= 50; seed++) {
      const random = Random.make(seed)
      const most = 2000 + Random.int(random, 8000)
      const memory = new AnswerMemory(most)
      let kept: Array<Kept> = []
      for (let step = 0; step < 400; step++) {
        const key = `k${Random.int(random, 40)}`
        const known = kept.find((one) => one.key === key)
        if (random() < 0.5) {
          assert.strictEqual(memory.get(key), known?.answer)
          if (known !== undefined) kept = [...kept.filter((one) => one !== known), known]
        } else {
          const one = { key, answer: new Uint8Array(Random.int(random, 1200)) }
          memory.set(key, one.answer)
          if (sizeOf(one) <= most / 8) {
            kept = [...kept.filter((other) => other !== known), one]
            while (kept.reduce((sum, other) => sum + sizeOf(other), 0) > most) kept.shift()
          }
        }
        assert.strictEqual(memory.entries, kept.length)
        assert.strictEqual(
          memory.bytes,
          kept.reduce((sum, one) => sum + sizeOf(one), 0)
        )
      }
      for (const { answer, key } of kept) assert.strictEqual(memory.get(key), answer)
    }
  })
})
