/** Tests of conversions between codecs without loss, with CIDs from Kubo 0.43 as an independent source. */
import { assert, describe, it } from "@effect/vitest"
import * as dagCbor from "@ipld/dag-cbor"
import * as dagJson from "@ipld/dag-json"
import * as dagPb from "@ipld/dag-pb"
import { Block, Cid, DagCodec, DagPbObject, WorkScheduler } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result } from "effect"
import { CID } from "multiformats/cid"

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const transcoded = (
  from: DagCodec.ValueCodecName,
  to: DagCodec.ValueCodecName,
  bytes: Uint8Array
): Result.Result<Uint8Array, string> =>
  Result.flatMap(DagCodec.decode(from, bytes), (value) => DagCodec.encode(to, value))

/** Results of `dag/put` of Kubo 0.43.0: the given dag-json, and the stored block. */
const STORED: ReadonlyArray<readonly [json: string, store: DagCodec.ValueCodecName, block: string]> = [
  ['{"a":1.0}', "dag-cbor", "a16161fb3ff0000000000000"],
  ['{"a":1.0}', "dag-json", hex(utf8('{"a":1}'))],
  ['{"a":-0}', "dag-cbor", "a1616100"],
  ['{"a":-0}', "dag-json", hex(utf8('{"a":0}'))],
  ['{"a":-0.0}', "dag-cbor", "a16161fb8000000000000000"],
  [
    "[1e3, 1E3, 1e-7, 1e21, 1.5e300, 0.1]",
    "dag-cbor",
    "86fb408f400000000000fb408f400000000000fb3e7ad7f29abcaf48fb444b1ae4d6e2ef50fb7e41eb2d66005835fb3fb999999999999a"
  ],
  ["[1e3, 1E3, 1e-7, 1e21, 1.5e300, 0.1]", "dag-json", hex(utf8("[1000,1000,1e-7,1e+21,1.5e+300,0.1]"))],
  [
    "[9007199254740993, 9223372036854775807, -9223372036854775808]",
    "dag-cbor",
    "831b00200000000000011b7fffffffffffffff3b7fffffffffffffff"
  ],
  [
    '{"b":1,"a":2,"aa":1,"\\u2028":"\\u2028<&>\\u007f\\u0001\\/é\\ud83d\\ude00"}',
    "dag-json",
    "7b2261223a322c226161223a312c2262223a312c225c7532303238223a225c75323032383c263e7f5c75303030312fc3a9f09f9880227d"
  ],
  ['{"b":1,"aa":2,"a":1}', "dag-cbor", "a361610161620162616102"],
  ['"\\ud800"', "dag-cbor", "63efbfbd"],
  ['["\\ud800x\\udc00\\ud800"]', "dag-cbor", "816aefbfbd78efbfbdefbfbd"],
  ['{"/":"bafkqaaqha4"}', "dag-cbor", "d82a4700015500020707"],
  ['{"/":"bafkqaaqha4","x":1}', "dag-cbor", "a2612f6b6261666b71616171686134617801"],
  ['{"x":1,"/":"bafkqaaqha4"}', "dag-cbor", "a2612f6b6261666b71616171686134617801"],
  ['{"/":{"bytes":"AAE"}}', "dag-cbor", "420001"],
  ['{"/":{"bytes":"AAE="}}', "dag-cbor", "420001"],
  ['{"/":{"bytes":"AA1"}}', "dag-cbor", "42000d"],
  ['{"/":{"bytes":1}}', "dag-cbor", "a1612fa165627974657301"],
  ['{"/":1}', "dag-cbor", "a1612f01"],
  ['{"/":{"bytes":"CAE"}}', "raw", "0801"],
  ["null", "dag-json", hex(utf8("null"))],
  [" [ 1 ] \n", "dag-cbor", "8101"],
  ['{"Links":[]}', "dag-pb", ""],
  [
    '{"Data":{"/":{"bytes":"CAE"}},"Links":[{"Hash":{"/":"bafkqaaqha4"},"Name":"b","Tsize":1},{"Hash":{"/":"bafkqaaqha4"},"Name":"a","Tsize":1}]}',
    "dag-pb",
    "120d0a060155000207071201611801120d0a0601550002070712016218010a020801"
  ],
  ['{"Data":{"/":{"bytes":"CAE"}},"Links":[{"Hash":{"/":"bafkqaaqha4"}}]}', "dag-pb", "12080a060155000207070a020801"]
]

/** Values that Kubo 0.43.0 refuses to store, with status 500. */
const REFUSED: ReadonlyArray<readonly [json: string, store: DagCodec.ValueCodecName]> = [
  ["1e400", "dag-cbor"],
  ["100000000000000000000", "dag-json"],
  ["[01]", "dag-cbor"],
  ["[-]", "dag-cbor"],
  ['{"a":1,"a":2}', "dag-cbor"],
  ['{"/":"nope"}', "dag-cbor"],
  ['{"/":{"bytes":"AA_"}}', "dag-cbor"],
  ["[1] [2]", "dag-cbor"],
  ["", "dag-cbor"],
  ["tru", "dag-cbor"],
  ['"a\tb"', "dag-cbor"],
  ['{"x":1}', "dag-pb"],
  ['{"Data":{"/":{"bytes":"CAE"}}}', "dag-pb"],
  ['{"Links":[{"Hash":{"/":"bafkqaaqha4"},"Tsize":1.0}]}', "dag-pb"],
  ['"abc"', "raw"]
]

describe("bytes in dag-json", () => {
  const bytesOf = (text: string) => DagCodec.decode("dag-json", utf8(JSON.stringify({ "/": { bytes: text } })))

  it("of any length are written and read as Node's base64, with and without padding and line breaks", () => {
    const random = Random.make(30)
    const lengths = [0, 1, 2, 3, 98_303, 98_304, 98_305, 300_000]
    for (const length of [...lengths, ...Array.from({ length: 50 }, () => Random.int(random, 2000))]) {
      const bytes = Random.bytes(random, length)
      const text = Buffer.from(bytes).toString("base64")
      const unpadded = text.replace(/=+$/, "")
      assert.deepStrictEqual(bytesOf(text), Result.succeed(bytes), `${length}`)
      assert.deepStrictEqual(bytesOf(unpadded), Result.succeed(bytes), `${length}`)
      assert.deepStrictEqual(bytesOf(`\r\n${text.replaceAll(/.{76}/g, "$&\n")}\n`), Result.succeed(bytes), `${length}`)
      const written = Result.getOrThrow(DagCodec.encode("dag-json", bytes))
      assert.strictEqual(new TextDecoder().decode(written), `{"/":{"bytes":"${unpadded}"}}`)
    }
  })

  it("are refused exactly where a grammar of base64 refuses the text", () => {
    const random = Random.make(31)
    const grammar = /^(?:[\w+/]{4})*(?:[\w+/]{2}(?:==)?|[\w+/]{3}=?)?$/
    const counts = { read: 0, refused: 0 }
    for (let i = 0; i < Random.runs(5000); i++) {
      const text = Array.from({ length: Random.int(random, 10) }, () =>
        Random.pick(random, ["A", "z", "9", "+", "/", "Q", "b", "=", "=", "_", "-", " ", "\n", "\r", "é", "水"])
      ).join("")
      const digits = text.replaceAll(/[\r\n]/g, "")
      const isRight = grammar.test(digits) && !digits.includes("_")
      const read = bytesOf(text)
      assert.strictEqual(Result.isSuccess(read), isRight, JSON.stringify(text))
      counts[isRight ? "read" : "refused"]++
      if (isRight) assert.deepStrictEqual(read, Result.succeed(new Uint8Array(Buffer.from(digits, "base64"))))
    }
    assert.isAbove(Math.min(counts.read, counts.refused), 100)
  })
})

describe("a long string", () => {
  it("is written in pieces as in one piece", () => {
    const random = Random.make(32)
    const letters = ["a", "é", "水", "\u{1f600}", '"', "\\", "\n", "\b", "\u2028"]
    for (let i = 0; i < Random.runs(5); i++) {
      const text = Array.from({ length: 60_000 }, () => Random.pick(random, letters)).join("")
      const value = { [`${text}k`]: text }
      for (const codec of ["dag-json", "dag-cbor"] as const) {
        const written = Result.getOrThrow(DagCodec.encode(codec, value))
        const read: unknown = codec === "dag-json" ? dagJson.decode(written) : dagCbor.decode(written)
        assert.deepStrictEqual(read, value)
      }
      const emoji = Result.getOrThrow(DagCodec.encode("dag-json", `${"x".repeat(i)}${"\u{1f600}".repeat(40_000)}`))
      assert.strictEqual(JSON.parse(Buffer.from(emoji).toString()), `${"x".repeat(i)}${"\u{1f600}".repeat(40_000)}`)
    }
    assert.isTrue(Result.isFailure(DagCodec.encode("dag-json", `${"x".repeat(50_000)}\ud800`)))
  })

  it("that is not UTF-8 is shown in pieces as in one piece", () => {
    const random = Random.make(33)
    const pieces = [[0x61], [0xc3, 0xa9], [0xe6, 0xb0, 0xb4], [0xf0, 0x9f, 0x98, 0x80], [0x80], [0xff], [0xf0, 0x9f]]
    for (let i = 0; i < Random.runs(5); i++) {
      const bytes = Uint8Array.from(Array.from({ length: 30_000 }, () => Random.pick(random, pieces)).flat())
      for (const given of [bytes, new Uint8Array(50_000).fill(0x80)]) {
        const written = Result.getOrThrow(DagCodec.encode("dag-json", new DagCodec.Text(given)))
        assert.strictEqual(JSON.parse(Buffer.from(written).toString()), DagPbObject.text(given))
      }
    }
  })

  it("is read in pieces as JSON.parse reads it in one piece", () => {
    const random = Random.make(34)
    const letters = ["a", "é", "水", "\u{1f600}", '\\"', "\\\\", "\\n", "\\u0041", "\\ud83d\\ude00", "\\ud83d", "\\/"]
    for (let i = 0; i < Random.runs(5); i++) {
      const long = (count: number) => Array.from({ length: count }, () => Random.pick(random, letters)).join("")
      const plain = "x".repeat(131_060 + Random.int(random, 30))
      const text = `{"${plain}${long(90_000)}k":"${plain}${long(90_000)}","s":["${plain}","",null],"t":"${plain}\\n"}`
      const read: unknown = Effect.runSync(DagCodec.parseJson(utf8(text)))
      const expected = JSON.parse(text, (_, value) => (typeof value === "string" ? value.toWellFormed() : value))
      assert.deepStrictEqual(
        Object.entries(read as object),
        Object.entries(expected as object).map(([name, value]) => [name.toWellFormed(), value])
      )
      for (const flaw of ["\n", "\\u00g0", "\\x", '\\u"']) {
        const flawed = utf8(`["${plain}${flaw}${plain}"]`)
        assert.strictEqual(Effect.runSync(Effect.flip(DagCodec.parseJson(flawed))), "not json", flaw)
      }
      assert.strictEqual(Effect.runSync(DagCodec.parseJson(utf8(` "${plain}\\n${plain}" `))), `${plain}\n${plain}`)
      const cut = DagCodec.parseJson(utf8(`["${plain}${plain}`))
      assert.strictEqual(Effect.runSync(Effect.flip(cut)), "not json")
    }
  })

  it("and its bytes are read and written in steps of a few milliseconds' work", async () => {
    const data = "QUJD".repeat(1_000_000)
    const counted = (work: Effect.Effect<unknown, unknown>) => {
      let steps = 0
      const run: WorkScheduler.RunsJobs["run"] = (job) =>
        Effect.sync(() => {
          for (;;) {
            steps++
            const value = job.step()
            if (value !== undefined) return value
          }
        })
      return Effect.as(Effect.provideService(work, WorkScheduler.Scheduler, { run }), undefined).pipe(
        Effect.map(() => steps)
      )
    }
    // each step passes 128 KiB of the text: counts of steps hold on any machine, and times do not
    const pieces = data.length / (128 * 1024)
    const json = utf8(JSON.stringify({ Data: data, Links: [] }))
    assert.isAtLeast(await Effect.runPromise(counted(DagCodec.parseJson(json))), pieces)
    const escaped = utf8(JSON.stringify({ Data: `${data}\n`.repeat(1) }))
    assert.isAtLeast(await Effect.runPromise(counted(DagCodec.parseJson(escaped))), pieces)
    assert.isAtLeast(await Effect.runPromise(counted(DagPbObject.putEffect({ data, links: [] }, "base64"))), pieces)
  })
})

describe("a dag-pb node from its links and data", () => {
  it("is the block that the library writes", async () => {
    const cid = Cid.fromTextUnsafe("bafkqaaqha4")
    const names = ["b", "\uffee", "\u{1f600}", "a", "", "é", "ab"]
    const links = Array.from({ length: 2000 }, (_, n) => ({
      name: names[(n * 31) % 7]!,
      cid: Cid.toText(cid),
      size: n
    }))
    const block = await Effect.runPromise(DagPbObject.putEffect({ data: "QUJD", links }, "base64"))
    const Links = links.map(({ name, size }) => ({ Hash: CID.parse("bafkqaaqha4"), Name: name, Tsize: size }))
    assert.deepStrictEqual(block, dagPb.encode(dagPb.prepare({ Data: utf8("ABC"), Links })))
    assert.isUndefined(await Effect.runPromise(DagPbObject.putEffect({ data: "QU_D", links: [] }, "base64")))
  })

  it("has the bytes of a name that is not UTF-8", async () => {
    const [nameBytes, target] = [Uint8Array.of(0x61, 0xff), CID.parse("bafkqaaqha4")]
    const links = [{ name: "a\ufffd", nameBytes, cid: Cid.toText(Cid.fromTextUnsafe("bafkqaaqha4")), size: 7 }]
    const block = await Effect.runPromise(DagPbObject.putEffect({ data: "", links }, "base64"))
    // a link has its hash in field 1, its name in field 2 and its size in field 3
    const link = [0x0a, target.bytes.length, ...target.bytes, 0x12, nameBytes.length, ...nameBytes, 0x18, 7]
    assert.deepStrictEqual(block?.subarray(0, link.length + 2), Uint8Array.of(0x12, link.length, ...link))
  })
})

describe("plain JSON", () => {
  it("is read as JSON.parse reads it, without links and bytes", () => {
    for (const text of ['{"/":{"bytes":"AA"}}', '{"/":"bafkqaaqha4"}', '[1.0,-2,1e3,"\\u00e9",null,true]', " {} "]) {
      assert.deepStrictEqual<unknown>(Effect.runSync(DagCodec.parseJson(utf8(text))), JSON.parse(text), text)
    }
    const refused = [utf8('\ufeff{"a":1}'), Uint8Array.of(0x22, 0xff, 0x22), utf8("[1,]"), utf8('{"a":1,"a":2}')]
    for (const bytes of refused) assert.strictEqual(Effect.runSync(Effect.flip(DagCodec.parseJson(bytes))), "not json")
    const beyond = DagCodec.parseJson(utf8(`[${"0,".repeat(Block.MAX_VALUES)}0]`))
    assert.strictEqual(Effect.runSync(Effect.flip(beyond)), `beyond maxValues, which is ${Block.MAX_VALUES}`)
  })
})

describe("DagCodec", () => {
  it("stores what Kubo stores", () => {
    for (const [json, store, block] of STORED) {
      const stored = transcoded("dag-json", store, utf8(json))
      assert.isTrue(Result.isSuccess(stored), json)
      assert.strictEqual(hex(Result.getOrThrow(stored)), block, `${json} in ${store}`)
    }
    const floats = Result.getOrThrow(transcoded("dag-json", "dag-cbor", utf8('{"a":1.0}')))
    // the CID that Kubo answered
    assert.strictEqual(
      Cid.toText(Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, floats))),
      "bafyreifs2olxiewfjhsszcpgoa4jd3t4eduvyp4bvukn7sjisbjt4fn3k4"
    )
  })

  it("refuses what Kubo refuses, and more that is not JSON", () => {
    for (const [json, store] of REFUSED) {
      assert.isTrue(Result.isFailure(transcoded("dag-json", store, utf8(json))), `${json} in ${store}`)
    }
    for (const json of [
      "[1,]",
      '{"a":1,}',
      "[1.]",
      "[+1]",
      "[.5]",
      "\ufeff1",
      "'a'",
      "[1e]",
      "nan",
      '{"a"}',
      "{1:2}"
    ]) {
      assert.isTrue(Result.isFailure(DagCodec.decode("dag-json", utf8(json))), json)
    }
    assert.isTrue(Result.isFailure(DagCodec.decode("dag-json", Uint8Array.of(0x22, 0xff, 0x22))))
  })

  it("keeps byte order marks, names that are not UTF-8, and keys that mean something to objects", () => {
    const mark = `{"\ufeffa":"\ufeff${"x".repeat(100)}"}`
    const cbor = Result.getOrThrow(transcoded("dag-json", "dag-cbor", utf8(mark)))
    assert.strictEqual(
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(Result.getOrThrow(transcoded("dag-cbor", "dag-json", cbor))),
      mark
    )
    // a link named 0xff: Kubo 0.43 writes this byte in dag-cbor, and \ufffd in dag-json
    const named = Uint8Array.from(Buffer.from("120d0a060155000207071201ff18010a020801", "hex"))
    assert.include(hex(Result.getOrThrow(transcoded("dag-pb", "dag-cbor", named))), "644e616d6561ff")
    assert.include(
      new TextDecoder().decode(Result.getOrThrow(transcoded("dag-pb", "dag-json", named))),
      '"Name":"\\ufffd"'
    )
    assert.deepStrictEqual(Result.getOrThrow(transcoded("dag-pb", "dag-pb", named)), named)
    const proto = Result.getOrThrow(DagCodec.decode("dag-json", utf8('{"__proto__":{"a":1},"constructor":2}')))
    assert.deepStrictEqual(Object.keys(proto as object).sort(), ["__proto__", "constructor"])
    assert.strictEqual(
      new TextDecoder().decode(Result.getOrThrow(DagCodec.encode("dag-json", DagCodec.plain(proto)))),
      '{"__proto__":{"a":1},"constructor":2}'
    )
  })

  it("reads dag-cbor strictly", () => {
    const refused = [
      "1800", // 0 in two bytes
      "190001",
      "1a00000001",
      "1b0000000000000001",
      "5f4100ff", // indefinite length
      "9fff",
      "bfff",
      "a1016161", // a key that is a number
      "a2616101616102", // a key twice
      "a161ff01", // a key that is not UTF-8
      "c101", // another tag
      "d82a01",
      "d82a420101", // a link that does not begin with a zero byte
      "fb7ff0000000000000", // infinity
      "fb7ff8000000000000",
      "f97e00",
      "f8ff",
      "f6f6", // two values
      "81",
      "7a7fffffff",
      "9bffffffffffffffff",
      `${"81".repeat(1025)}00`
    ]
    for (const bytes of refused) {
      assert.isTrue(Result.isFailure(DagCodec.decode("dag-cbor", Uint8Array.from(Buffer.from(bytes, "hex")))), bytes)
    }
    const read = (bytes: string) =>
      Result.getOrThrow(DagCodec.decode("dag-cbor", Uint8Array.from(Buffer.from(bytes, "hex"))))
    assert.deepStrictEqual(read("f7"), null)
    assert.deepStrictEqual(read("f93c00"), new DagCodec.Float(1))
    assert.deepStrictEqual(read("f90001"), 2 ** -24)
    assert.deepStrictEqual(read("fa3fc00000"), 1.5)
    assert.deepStrictEqual(read("1bffffffffffffffff"), 2n ** 64n - 1n)
    assert.deepStrictEqual(read("3bffffffffffffffff"), -(2n ** 64n))
    assert.deepStrictEqual(read("61ff"), new DagCodec.Text(Uint8Array.of(0xff)))
    assert.strictEqual(hex(Result.getOrThrow(DagCodec.encode("dag-cbor", read("61ff")))), "61ff")
    assert.isTrue(
      Result.isSuccess(DagCodec.decode("dag-cbor", Uint8Array.from(Buffer.from(`${"81".repeat(1024)}00`, "hex"))))
    )
  })

  it("agrees with the libraries on all that JavaScript can tell apart", () => {
    const random = Random.make(28)
    const link = Cid.fromTextUnsafe("bafkqaaqha4")
    const value = (depth: number): unknown => {
      switch (Random.int(random, depth > 3 ? 8 : 10)) {
        case 0:
          return null
        case 1:
          return Random.int(random, 2) === 0
        case 2:
          return Random.int(random, 2 ** 31) * (Random.int(random, 2) === 0 ? 1 : -1)
        case 3:
          return Random.int(random, 1000) + 0.5
        case 4:
          return text()
        case 5:
          return Random.bytes(random, Random.int(random, 40))
        case 6:
          return link
        case 7:
          return BigInt(Random.int(random, 2 ** 31)) * 2n ** 32n + 2n ** 53n
        case 8:
          return Array.from({ length: Random.int(random, 4) }, () => value(depth + 1))
        default:
          return Object.fromEntries(Array.from({ length: Random.int(random, 5) }, () => [text(), value(depth + 1)]))
      }
    }
    const LETTERS = ["a", "b", "zz", "é", "水", "\u{1f600}", '"', "\\", "\n", "\u0001", "/ "]
    const text = () =>
      Array.from({ length: Random.int(random, 30) }, () => LETTERS[Random.int(random, LETTERS.length)]).join("")
    for (let i = 0; i < Random.runs(300); i++) {
      const given = value(0)
      const cbor = dagCbor.encode(given)
      const read = Result.getOrThrow(DagCodec.decode("dag-cbor", cbor))
      assert.strictEqual(hex(Result.getOrThrow(DagCodec.encode("dag-cbor", read))), hex(cbor))
      assert.deepStrictEqual(DagCodec.plain(read), dagCbor.decode(cbor))
      const json = dagJson.encode(given)
      const ours = Result.getOrThrow(DagCodec.decode("dag-json", json))
      assert.deepStrictEqual(DagCodec.plain(ours), dagJson.decode(json))
      // The library reads the same value from our block. The order of keys is Kubo's.
      assert.deepStrictEqual(dagJson.decode(Result.getOrThrow(DagCodec.encode("dag-json", ours))), dagJson.decode(json))
      assert.strictEqual(hex(Result.getOrThrow(DagCodec.encode("dag-cbor", ours))), hex(cbor))
    }
  })

  it("reads no mutated block otherwise than the libraries do, but where they are loose", () => {
    const random = Random.make(29)
    const link = Cid.fromTextUnsafe("bafkqaaqha4")
    const cbor = dagCbor.encode({
      a: [1, -2, 3.5, "x", null, true, link],
      bb: { c: Uint8Array.of(1, 2) },
      d: 2n ** 60n
    })
    const pb = dagPb.encode({
      Data: Uint8Array.of(8, 1),
      Links: ["a", "b"].map((Name) => ({ Hash: link, Name, Tsize: 5 }))
    })
    let same = 0
    for (let i = 0; i < Random.runs(Random.sized(4000)); i++) {
      const [codec, truth, library] =
        i % 2 === 0 ? (["dag-cbor", cbor, dagCbor] as const) : (["dag-pb", pb, dagPb] as const)
      const bytes = Uint8Array.from(truth)
      for (let n = 1 + Random.int(random, 2); n > 0; n--)
        bytes[Random.int(random, bytes.length)] = Random.int(random, 256)
      const ours = Result.map(DagCodec.decode(codec, bytes), DagCodec.plain)
      const theirs = Result.try((): unknown => library.decode(bytes))
      if (Result.isFailure(ours)) continue
      // The libraries accept text that is not UTF-8 and drop byte order marks. Our codec accepts nothing that they
      // refuse.
      assert.isTrue(Result.isSuccess(theirs), hex(bytes))
      if (!JSON.stringify(ours.success, bigints).includes("\\ufffd") && !isShown(ours.success)) {
        assert.deepStrictEqual(ours.success, Result.getOrThrow(theirs), hex(bytes))
        same++
      }
    }
    assert.isAbove(same, 100)
  })
})

const bigints = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)

/** True if a string in the value stands for bytes that are not UTF-8, or begins with a byte order mark. */
const isShown = (value: unknown): boolean => /[\ufffd\ufeff]/.test(JSON.stringify(value, bigints))
