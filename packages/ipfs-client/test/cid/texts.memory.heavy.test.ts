import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

import { assert, it } from "@effect/vitest"
import { Cid } from "@plumbline/ipfs-client"
import { Result } from "effect"

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

const used = (): number => {
  collectGarbage()
  collectGarbage()
  return getHeapStatistics().used_heap_size
}

const COUNT = 65_536

it("keeps a CID and its text in little more memory than their parts", () => {
  const block = new Uint8Array(36 * COUNT)
  const view = new DataView(block.buffer)
  for (let i = 0; i < COUNT; i++) {
    block.set([1, 0x71, 0x12, 0x20], 36 * i)
    view.setUint32(36 * i + 4, i)
  }
  for (const version of [0, 1]) {
    const before = used()
    const cids = Array.from({ length: COUNT }, (_, i) =>
      Result.getOrThrow(Cid.fromBytes(block.subarray(36 * i + (version === 0 ? 2 : 0), 36 * (i + 1))))
    )
    const texts = cids.map((cid) => Cid.toText(cid))
    const each = (used() - before) / COUNT
    // A CID of multiformats has three arrays. A text that is a chain of its characters takes 1,500 bytes more.
    assert.isBelow(each, 900, `version ${version}`)
    assert.strictEqual(new Set(texts).size, COUNT)
  }
})
