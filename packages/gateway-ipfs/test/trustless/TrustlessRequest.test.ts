import { assert, describe, it } from "@effect/vitest"
import { Cid } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"

import * as TrustlessRequest from "../../src/trustless/trustlessRequest.ts"

const CID = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"
const RAW = "application/vnd.ipld.raw"
const CAR = "application/vnd.ipld.car"

const read = (path: string, query = "format=car", accept?: string) => TrustlessRequest.read({ path, query, accept })

const shown = (result: ReturnType<typeof read>) => {
  if (Result.isFailure(result)) return result.failure.status
  const { bytes, duplicates, form, isNegotiated, order, scope } = result.success
  const range = bytes === undefined ? "" : ` ${bytes.from}:${bytes.to ?? "*"}`
  return `${form} ${scope}${range} ${order} ${duplicates ? "y" : "n"}${isNegotiated ? " negotiated" : ""}`
}

describe("the form", () => {
  it.each<readonly [query: string, accept: string | undefined, expected: string | number]>([
    ["format=raw", undefined, "raw block dfs n"],
    ["format=car", undefined, "car all dfs n"],
    ["format=car", RAW, "car all dfs n"],
    ["format=raw", `${CAR};dups=y`, "raw block dfs n"],
    ["", RAW, "raw block dfs n negotiated"],
    ["", CAR, "car all dfs n negotiated"],
    ["", `text/html, ${CAR}; version=1; order=dfs; dups=y, */*;q=0.1`, "car all dfs y negotiated"],
    ["", `${CAR};q=0.5, ${RAW}`, "raw block dfs n negotiated"],
    ["", `${CAR}, ${RAW}`, "car all dfs n negotiated"],
    ["", `${CAR};q=0, ${RAW};q=0.1`, "raw block dfs n negotiated"],
    ["", `${CAR.toUpperCase()};ORDER="unk"`, "car all unk n negotiated"],
    ["format=car", `${CAR};dups=y;order=unk`, "car all unk y"],
    ["format=car&car-dups=n&car-order=dfs&car-version=1", `${CAR};dups=y;order=unk;version=2`, "car all dfs n"],
    ["format=tar", CAR, "car all dfs n negotiated"],
    // Source: the specification. Forms for which Kubo has to deserialize content get 406.
    ["", undefined, 400],
    ["", "*/*", 406],
    ["", "text/html", 406],
    ["format=tar", undefined, 406],
    ["format=ipns-record", undefined, 406],
    ["", "application/vnd.ipfs.ipns-record", 406],
    ["", `${CAR};q=0`, 406],
    ["format=car&car-version=2", undefined, 400],
    ["format=car&car-order=bfs", undefined, 400],
    ["format=car&car-dups=maybe", undefined, 400],
    ["", `${CAR};version=2`, 400]
  ])("of ?%s with Accept %s is %s", (query, accept, expected) => {
    assert.strictEqual(shown(read(CID, query, accept)), expected)
  })
})

describe("the scope", () => {
  it.each<readonly [query: string, expected: string | number]>([
    ["dag-scope=block", "car block dfs n"],
    ["dag-scope=entity", "car entity dfs n"],
    ["dag-scope=all", "car all dfs n"],
    ["entity-bytes=0:*", "car entity 0:* dfs n"],
    ["entity-bytes=-1024:*", "car entity -1024:* dfs n"],
    ["dag-scope=all&entity-bytes=499:-1000", "car entity 499:-1000 dfs n"],
    ["dag-scope=block&entity-bytes=1:2", "car block 1:2 dfs n"],
    ["entity-bytes=7:7", "car entity 7:7 dfs n"],
    ["entity-bytes=5:-1", "car entity 5:-1 dfs n"],
    ["entity-bytes=-9:3", "car entity -9:3 dfs n"],
    ["entity-bytes=1:2&entity-bytes=x", "car entity 1:2 dfs n"],
    ["dag-scope=", 400],
    ["dag-scope=everything", 400],
    ["entity-bytes=", 400],
    ["entity-bytes=1", 400],
    ["entity-bytes=1:2:3", 400],
    ["entity-bytes=*:1", 400],
    ["entity-bytes=2:1", 400],
    ["entity-bytes=-1:-2", 400],
    ["entity-bytes=1.5:2", 400],
    ["entity-bytes=0x1:2", 400],
    ["entity-bytes=12345678901234567890:*", 400]
  ])("of ?%s is %s", (query, expected) => {
    assert.strictEqual(shown(read(CID, `format=car&${query}`)), expected)
    // A request for a single block ignores the parameters that select a part.
    assert.strictEqual(shown(read(CID, `format=raw&${query}`)), "raw block dfs n")
  })
})

describe("the path", () => {
  it.each<readonly [path: string, expected: string | number]>([
    [CID, `/ipfs/${CID}`],
    [`${CID}/`, `/ipfs/${CID}`],
    [`${CID}/a/b%20c`, `/ipfs/${CID}/a/b%20c`],
    [`${CID}/a%2Fb`, `/ipfs/${CID}/a/b`],
    [`${CID}/%C3%BC%0D%0A`, `/ipfs/${CID}/%C3%BC%0D%0A`],
    ["", 400],
    ["x", 400],
    [CID.slice(0, -1), 400],
    [`${CID}//a`, 400],
    [`${CID}/..`, 400],
    [`${CID}/%2e%2e/a`, 400],
    [`${CID}/%00`, 400],
    [`${CID}/%`, 400],
    [`${CID}/%FF`, 400],
    [`ipns/${CID}`, 400],
    [`${CID}/${"a".repeat(4096)}`, 400]
  ])("%s is %s", (path, expected) => {
    const result = read(path)
    assert.strictEqual(Result.isFailure(result) ? result.failure.status : result.success.path, expected)
  })
})

it("the name of a download is at most 255 characters", () => {
  const named = read(CID, `format=car&filename=${"n".repeat(255)}`)
  assert.strictEqual(Result.getOrThrow(named).filename?.length, 255)
  assert.strictEqual(shown(read(CID, `format=car&filename=${"n".repeat(256)}`)), 400)
  assert.isUndefined(Result.getOrThrow(read(CID, "format=car&filename=")).filename)
})

it("any text is a request or a refusal with one line, and never throws; what is read is what was sent", () => {
  const random = Random.make(55)
  const words = [CID, "/", "..", "%", "%2F", "%ff", "format", "=", "&", "car", "raw", "dag-scope", "entity", "all"]
  const more = [
    "entity-bytes",
    "-1:5",
    "0:*",
    "car-dups",
    "y",
    "car-order",
    "dfs",
    ";",
    ",",
    "q=0.3",
    RAW,
    CAR,
    "\u{1f600}"
  ]
  const text = (length: number) =>
    Array.from({ length: Random.int(random, length) }, () =>
      Random.chance(random, 0.9)
        ? Random.pick(random, [...words, ...more])
        : String.fromCharCode(Random.int(random, 0x300))
    ).join("")
  for (let run = 0; run < Random.runs(3000); run++) {
    const path = Random.chance(random, 0.7) ? `${CID}${text(3)}` : text(5)
    const result = TrustlessRequest.read({
      path,
      query: text(12),
      accept: Random.chance(random, 0.5) ? text(6) : undefined
    })
    if (Result.isFailure(result)) {
      assert.include([400, 406], result.failure.status)
      assert.notMatch(result.failure.text, /[\r\n]/u)
      continue
    }
    const wanted = result.success
    assert.strictEqual(Cid.toText(wanted.root), CID)
    // The path is valid in a header, and parsing it again gives the same request.
    assert.match(wanted.path, /^[\u0021-\u007e]+$/u)
    const again = Result.getOrThrow(read(wanted.path.slice("/ipfs/".length)))
    assert.deepStrictEqual(again.names, wanted.names)
    if (wanted.bytes !== undefined) assert.isTrue(Number.isInteger(wanted.bytes.from))
  }
})
