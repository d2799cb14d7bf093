import { assert, describe, it } from "@effect/vitest"
import { Cid, IpfsPath } from "@plumbline/ipfs-client"
import { Result } from "effect"

const HELLO = "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD" as Cid.CidText

describe("a path", () => {
  it("is a CID and names, with a namespace or without", () => {
    const paths: ReadonlyArray<readonly [string, IpfsPath.IpfsPathParts]> = [
      [HELLO, { namespace: "ipfs", root: HELLO, names: [] }],
      [`${HELLO}/a/b c`, { namespace: "ipfs", root: HELLO, names: ["a", "b c"] }],
      [`/ipfs/${HELLO}/`, { namespace: "ipfs", root: HELLO, names: [] }],
      [`/ipfs/${HELLO}/ü/...`, { namespace: "ipfs", root: HELLO, names: ["ü", "..."] }],
      [`ipfs://${HELLO}/a`, { namespace: "ipfs", root: HELLO, names: ["a"] }],
      [`IPFS:${HELLO}/a%20b`, { namespace: "ipfs", root: HELLO, names: ["a%20b"] }],
      ["ipns://docs.example/", { namespace: "ipns", root: "docs.example", names: [] }],
      ["/ipns/docs.example/a", { namespace: "ipns", root: "docs.example", names: ["a"] }]
    ]
    for (const [text, parts] of paths) {
      assert.deepStrictEqual(Result.getOrThrow(IpfsPath.split(text)), parts)
      assert.strictEqual(IpfsPath.fromTextUnsafe(text), text)
    }
  })

  it("is nothing else", () => {
    const wrong = [
      ["", "NoCid"],
      ["/", "NoCid"],
      ["a", "NoCid"],
      ["/ipfs/", "NoCid"],
      ["/ipfs/nobody/a", "NoCid"],
      [`/ipfs//${HELLO}`, "NoCid"],
      [`//${HELLO}`, "NoCid"],
      [`/ipld/${HELLO}`, "NoCid"],
      ["/ipns/", "NoCid"],
      [`ipfs:///${HELLO}`, "NoCid"],
      [`ipfs:ipfs:${HELLO}`, "NoCid"],
      [`http://${HELLO}`, "NoCid"],
      ["/ipns/..", "NoCid"],
      [`${HELLO}//a`, "BadName"],
      [`${HELLO}/../a`, "BadName"],
      [`${HELLO}/.`, "BadName"],
      [`${HELLO}/a\u0000`, "BadName"],
      [`${HELLO}/${"a".repeat(5000)}`, "TooLong"]
    ] as const
    for (const [text, reason] of wrong) {
      const result = IpfsPath.fromText(text)
      assert.strictEqual(Result.isFailure(result) && result.failure.reason, reason, text)
    }
  })

  it("is made of a CID and names, none of which is more than a name", () => {
    assert.strictEqual(IpfsPath.make(Cid.fromTextUnsafe(HELLO), "a", "b"), `/ipfs/${HELLO}/a/b`)
    assert.strictEqual(IpfsPath.make(HELLO), `/ipfs/${HELLO}`)
    for (const name of ["", ".", "..", "a/b"]) {
      assert.throws(() => IpfsPath.make(HELLO, name), "a path with an empty name")
    }
  })
})
