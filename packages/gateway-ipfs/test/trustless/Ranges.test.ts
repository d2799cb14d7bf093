/** Ranges of raw blocks. The expected answers are those of Kubo 0.43.0 over HTTP. */
import { assert, it } from "@effect/vitest"
import * as Service from "@plumbline/gateway/support/service"
import { Cid } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result } from "effect"

import * as Ranges from "../../src/trustless/ranges.ts"
import * as Ipfs from "../support/ipfs.ts"

const BLOCK = Ipfs.bytesOf("hello")
const CID = Cid.toText(Ipfs.RAW)

const get = (headers: Readonly<Record<string, string>>, method = "GET") =>
  Effect.gen(function* () {
    const service = yield* Ipfs.start({
      blockGet: () => Effect.succeed(BLOCK),
      blockStat: () => Effect.succeed({ cid: Ipfs.RAW, size: BLOCK.length }),
      dagResolve: () => Effect.succeed({ cid: Ipfs.RAW, remainder: "" })
    })
    const answer = yield* Effect.promise(() =>
      fetch(`${service.url}/ipfs/${CID}?format=raw`, { method, headers: { ...BASIC, ...headers } })
    )
    const body = yield* Effect.promise(() => answer.text())
    return [answer.status, answer.headers.get("content-range"), body, answer.headers.get("content-length")]
  }).pipe(Effect.scoped)

const BASIC = { authorization: `Basic ${Buffer.from(`${Service.KEY}:${Service.SECRET}`).toString("base64")}` }

it.live("a range of a raw block is the part that the header names", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* get({ range: "bytes=1-3" }), [206, "bytes 1-3/5", "ell", "3"])
    assert.deepStrictEqual(yield* get({ range: "bytes=3-" }), [206, "bytes 3-4/5", "lo", "2"])
    assert.deepStrictEqual(yield* get({ range: "bytes=-2" }), [206, "bytes 3-4/5", "lo", "2"])
    assert.deepStrictEqual(yield* get({ range: "bytes=4-100" }), [206, "bytes 4-4/5", "o", "1"])
    assert.deepStrictEqual(yield* get({ range: "bytes=0-0,2-2" }), [206, "bytes 0-0/5", "h", "1"])
    assert.deepStrictEqual((yield* get({ range: "bytes=5-" })).slice(0, 2), [416, "bytes */5"])
    assert.deepStrictEqual((yield* get({ range: "bytes=3-2" }))[0], 400)
    assert.deepStrictEqual((yield* get({ range: "items=0-1" }))[0], 400)
    assert.deepStrictEqual(yield* get({ range: "bytes=1-3" }, "HEAD"), [206, "bytes 1-3/5", "", "3"])
    assert.deepStrictEqual(yield* get({}), [200, null, "hello", "5"])
  })
)

it.live("a range is given only of the block that the reader has a part of", () =>
  Effect.gen(function* () {
    const range = "bytes=1-3"
    assert.strictEqual((yield* get({ range, "if-range": `"${CID}.raw"` }))[0], 206)
    assert.strictEqual((yield* get({ range, "if-range": `W/"${CID}.raw"` }))[0], 200)
    assert.strictEqual((yield* get({ range, "if-range": '"other"' }))[0], 200)
    assert.strictEqual((yield* get({ range, "if-none-match": `"${CID}.raw"` }))[0], 304)
  })
)

it("a header is read within the block, whatever it says", () => {
  const random = Random.make(7)
  const alphabet = "bytes=0123456789-,* \u00e9x"
  for (let run = 0; run < Random.runs(2000); run++) {
    const rest = Array.from({ length: Random.int(random, 24) }, () => alphabet[Random.int(random, alphabet.length)])
    const size = 1 + Random.int(random, 20)
    const part = Ranges.read(`bytes=${rest.join("")}`, size)
    if (Result.isFailure(part)) assert.include([400, 416], part.failure.status)
    else if (part.success !== undefined) {
      const { from, to } = part.success
      assert.isTrue(from >= 0 && from <= to && to <= size, rest.join(""))
    }
  }
  assert.isTrue(Result.isFailure(Ranges.read(`bytes=${"0-0,".repeat(1000)}`, 5)))
})
