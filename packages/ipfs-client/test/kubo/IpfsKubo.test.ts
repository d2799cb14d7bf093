/** Tests `IpfsKubo` over nodes like Kubo, Infura and js-ipfs, and over nodes that lie. */
import { createHash } from "node:crypto"
import type { ServerResponse } from "node:http"

import { assert, it } from "@effect/vitest"
import { CarWriter } from "@ipld/car"
import * as Random from "@plumbline/seeded/Random"
import { Effect, type Scope, Stream } from "effect"
import { CID } from "multiformats/cid"
import { create as createDigest } from "multiformats/hashes/digest"

import { type IpfsError, IpfsKubo, type IpfsNode, type IpfsNodeError } from "../../src/index.ts"
import { ofSentence } from "../../src/kubo/kuboFailure.ts"
import * as Clients from "../support/clients.ts"
import { collect } from "../support/collect.ts"
import * as Node from "../support/ipfsNode.ts"
import * as Liar from "../support/liar.ts"

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const over = (url: string): Effect.Effect<IpfsNode.IpfsNodeCommands, IpfsError.IpfsError, Scope.Scope> =>
  Effect.map(Clients.make({ url, retries: 0 }), IpfsKubo.make)

const text = <E>(bytes: Stream.Stream<Uint8Array, E>) => bytes.pipe(Stream.decodeText(), Stream.mkString)

const reasonOf = <A, R>(effect: Effect.Effect<A, IpfsNodeError.IpfsNodeError, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

for (const flavour of ["kubo", "infura", "js-ipfs"] as const) {
  it.live(`over a node like ${flavour}, what is added is read back, pinned and let go`, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const upstream = yield* Node.make(flavour)
        const node = yield* over(upstream.url)
        const added = yield* Stream.runCollect(
          node.add([
            { path: "d/hello.txt", content: utf8("hello world") },
            { path: "d/sub/big", content: Stream.make(new Uint8Array(300_000), new Uint8Array(5)) }
          ])
        )
        assert.deepStrictEqual(
          added.map(({ _tag, name }) => `${_tag} ${name}`),
          ["Added d/hello.txt", "Added d/sub/big", "Added d/sub", "Added d"]
        )
        const last = added.at(-1)
        const root = String(last?._tag === "Added" && last.cid)
        const { bytes, size } = yield* node.cat(`${root}/hello.txt`, { offset: 6, length: 3 })
        assert.deepStrictEqual([size, yield* text(bytes)], [3, "wor"])
        const listed = yield* Stream.runCollect(node.ls(root))
        assert.deepStrictEqual(
          listed.map(({ name, size, type }) => [name, size, type]),
          [
            ["hello.txt", 11, "file"],
            ["sub", 0, "directory"]
          ]
        )
        const found = yield* node.get(`/ipfs/${root}`).pipe(
          Stream.mapEffect(({ content, path }) =>
            Effect.map(Stream.runCollect(content), (pieces) => [path, Buffer.concat(pieces).length])
          ),
          Stream.runCollect
        )
        assert.deepStrictEqual(found, [
          [root, 0],
          [`${root}/hello.txt`, 11],
          [`${root}/sub`, 0],
          [`${root}/sub/big`, 300_005]
        ])
        assert.strictEqual((yield* node.stat(`${root}/sub/big`)).blocks, 2)

        const put = yield* node.blockPut(utf8("hello world"), { pin: false })
        assert.strictEqual(String(put.cid), "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e")
        const data = String(yield* node.dagPut(utf8('{"a":[1,{"b":2}]}')))
        assert.strictEqual(new TextDecoder().decode(yield* node.dagGet(`${data}/a/1`)), '{"b":2}')
        const { cid, remainder } = yield* node.dagResolve(`${data}/a/1/b`)
        assert.deepStrictEqual([String(cid), remainder], [data, "a/1/b"])

        assert.strictEqual(String(yield* node.pinAdd(root, { name: "mine" })), root)
        const [pin] = yield* Stream.runCollect(node.pinLs([`/ipfs/${root}`]))
        assert.deepStrictEqual([String(pin?.cid), pin?.type], [root, "recursive"])
        yield* node.pinRm(root)
        const refused = yield* reasonOf(Stream.runDrain(node.pinLs([`/ipfs/${root}`])))
        assert.strictEqual(refused.message, `path '/ipfs/${root}' is not pinned`)
        assert.strictEqual((yield* node.version).version.length > 0, true)
      })
    )
  )
}

const HELLO = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"

/** Makes an upstream that has `hello world`, and answers some commands in its own way. */
const liar = (lies: Readonly<Record<string, (response: ServerResponse) => void>>) =>
  Effect.flatMap(
    Liar.make((request, response) => {
      const command = new URL(request.url ?? "", "http://node").pathname.replace("/api/v0/", "")
      const lie = lies[command]
      if (lie === undefined) response.end("hello world")
      else lie(response)
    }),
    over
  )

const json = (value: unknown) => (response: ServerResponse) =>
  void response.setHeader("content-type", "application/json").end(`${JSON.stringify(value)}\n`)

const bytes = (content: Uint8Array | string) => (response: ServerResponse) => void response.end(content)

it.live("wrong bytes are never given out, whatever is read, and name what they should have been", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const node = yield* liar({ "block/get": bytes("hello warld"), "dag/export": bytes(yield* carOf("hello warld")) })
      const reads: ReadonlyArray<Effect.Effect<unknown, IpfsNodeError.IpfsNodeError>> = [
        node.blockGet(HELLO),
        node.blockStat(HELLO),
        node.stat(HELLO),
        node.dagGet(HELLO, "raw"),
        Effect.flatMap(node.cat(HELLO), ({ bytes }) => Stream.runDrain(bytes)),
        Stream.runDrain(node.get(HELLO)),
        Stream.runDrain(node.dagExport(HELLO))
      ]
      for (const [i, read] of reads.entries()) {
        const reason = yield* reasonOf(read)
        assert.strictEqual(reason._tag, "Damaged", String(i))
        assert.strictEqual(reason._tag === "Damaged" && reason.cid, HELLO)
      }
      const honest = yield* liar({ "dag/export": bytes(yield* carOf("hello world")) })
      assert.strictEqual(Buffer.from(yield* honest.blockGet(`/ipfs/${HELLO}`)).toString(), "hello world")
      assert.strictEqual(Buffer.concat(yield* Stream.runCollect(honest.dagExport(HELLO))).length, 59 + 48)
    })
  )
)

/**
 * Returns a CAR with one raw block under the CID of `hello world`. The block's bytes may be different.
 *
 * Source: the specification of CARv1.
 */
const carOf = (content: string) =>
  Effect.promise(async () => {
    const cid = CID.parse(HELLO)
    const { out, writer } = CarWriter.create([cid])
    const car = collect<Uint8Array>(out)
    await writer.put({ cid, bytes: utf8(content) })
    await writer.close()
    return Buffer.concat(await car)
  })

it.live("a CID that is not that of what was sent is refused", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const other = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"
      const node = yield* liar({
        add: json({ Name: "f", Hash: "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH", Size: "6" }),
        "block/put": json({ Key: other, Size: 11 }),
        "dag/put": json({ Cid: { "/": other } })
      })
      const added = Stream.runDrain(node.add([{ path: "f", content: utf8("hello world") }]))
      assert.strictEqual((yield* reasonOf(added))._tag, "Damaged")
      assert.strictEqual((yield* reasonOf(node.blockPut(utf8("hello world"))))._tag, "Damaged")
      assert.strictEqual((yield* reasonOf(node.dagPut(utf8("{}"))))._tag, "Damaged")
    })
  )
)

it.live("a list of pins without end, or about something else, is not an answer to whether this is pinned", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const other = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"
      /** Sends the first pin, and then others for as long as the client reads. */
      const endless = (first: string) => (response: ServerResponse) => {
        const line = (cid: string) => `${JSON.stringify({ Cid: cid, Type: "recursive" })}\n`
        const more = () => {
          while (!response.destroyed && response.write(line(other).repeat(100)));
        }
        response.on("drain", more)
        response.setHeader("content-type", "application/json").write(line(first))
        more()
      }
      const honest = yield* liar({ "pin/ls": endless(HELLO) })
      const [pin, ...rest] = yield* Stream.runCollect(honest.pinLs([HELLO]))
      assert.deepStrictEqual([String(pin?.cid), pin?.type, rest], [HELLO, "recursive", []])
      const wrong = yield* liar({ "pin/ls": endless(other) })
      assert.strictEqual((yield* reasonOf(Stream.runCollect(wrong.pinLs([HELLO]))))._tag, "Failed")
    })
  )
)

it.live("an upstream that stalls, before its answer or in the middle of it, is one that failed", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const url = yield* Liar.make((request, response) => {
        if (request.url?.includes("/add")) response.write('{"Name":"f","Bytes":0}\n')
        if (request.url?.includes("pin/add")) response.write('{"Progress":1}\n')
        if (request.url?.includes("pin/ls")) response.write('{"Cid":')
        if (request.url?.includes("dag/import")) response.write(" ")
      })
      const node = yield* Effect.map(Clients.make({ url, retries: 0, timeout: "50 millis" }), IpfsKubo.make)
      const car = Buffer.from(yield* carOf("hello world"))
      const asked: ReadonlyArray<Effect.Effect<unknown, IpfsNodeError.IpfsNodeError>> = [
        node.blockGet(HELLO),
        node.blockPut(utf8("x")),
        node.dagPut(utf8("{}")),
        node.pinAdd(HELLO),
        node.pinRm(HELLO),
        Stream.runDrain(node.pinLs([])),
        Stream.runDrain(node.pinLs([HELLO])),
        Stream.runDrain(node.add([{ path: "f", content: utf8("x") }])),
        Stream.runDrain(node.dagExport(HELLO)),
        node.dagImport(Stream.make(car)),
        node.version
      ]
      for (const [i, ask] of asked.entries()) {
        const reason = yield* reasonOf(ask)
        assert.strictEqual(reason._tag, "Failed", String(i))
        assert.notInclude(reason.message, "127.0.0.1")
      }
    })
  )
)

it.live("what the source of the content fails with is passed on, whatever it is", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const upstream = yield* Node.make("kubo")
      const node = yield* over(upstream.url)
      const cut = Stream.concat(Stream.make(utf8("half")), Stream.fail({ _tag: "RefutedError", mine: true } as const))
      const error = yield* Effect.flip(Stream.runDrain(node.add([{ content: cut }])))
      assert.deepStrictEqual(error, { _tag: "RefutedError", mine: true })
      assert.deepStrictEqual(yield* Effect.flip(node.dagImport(cut)), { _tag: "RefutedError", mine: true })
      const ended = Stream.concat(Stream.make({ content: utf8("a") }), Stream.fail("ended" as const))
      assert.strictEqual(yield* Effect.flip(Stream.runDrain(node.add(ended))), "ended")
      for (const path of ["../f", "a//b", "/f", "a/."]) {
        const reason = yield* reasonOf(Stream.runDrain(node.add([{ path, content: utf8("f") }])))
        assert.strictEqual(reason._tag, "InvalidRequest", path)
      }
    })
  )
)

// These sentences of nodes were copied from the source code of Kubo and boxo, and from answers of Kubo.
it("what nodes say becomes a reason, and says the same again", () => {
  const cid = "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"
  for (const [sentence, tag, message] of [
    [`block was not found locally (offline): ipld: could not find ${cid}`, "NotFound"],
    [
      `failed to fetch all nodes: ipld: could not find ${cid}`,
      "NotFound",
      `block was not found locally (offline): ipld: could not find ${cid}`
    ],
    [`no link named "a \\"b\\"" under ${cid}`, "NoLink"],
    [`path '/ipfs/${cid}/a' is not pinned`, "PinRefused"],
    ["not pinned or pinned indirectly", "PinRefused"],
    [`${cid} is pinned recursively`, "PinRefused"],
    [`pin: ${cid} already pinned recursively`, "PinRefused", `${cid} already pinned recursively`],
    ["'from' cid was not recursively pinned already", "PinRefused"],
    ["this dag node is a directory", "WrongKind"],
    ["this node does not support the chunker buzhash", "NotSupported"],
    ["invalid chunker: sizes are from 1 to 9", "InvalidRequest"],
    ['invalid path "x": invalid cid: cid too short', "InvalidRequest"],
    ["something else", "Failed", "asking: something else"]
  ] as const) {
    const reason = ofSentence("asking", sentence)
    assert.strictEqual(reason._tag, tag, sentence)
    assert.strictEqual(reason.message, message ?? sentence)
  }
})

it("a sentence that nobody knows loses its addresses and folders", () => {
  for (const [sentence, detail] of [
    ["open /data/ipfs/blocks/X.data: no space left on device", "open <folder>: no space left on device"],
    ["mkdir C:\\Users\\ipfs: denied", "mkdir <folder>: denied"],
    ["dial tcp 10.1.2.3:5001: connect: refused", "dial tcp <address>: connect: refused"],
    ["dial tcp [2001:db8::1]:5001: refused", "dial tcp <address>: refused"],
    ["Post https://key:secret@ipfs.example/api/v0/add?x=1 failed", "Post <address> failed"],
    ["peer /ip4/10.1.2.3/tcp/4001/p2p/12D3KooW is gone", "peer <address> is gone"],
    ["two\nlines\u0000", "two lines "],
    ["under /ipfs/QmX it broke", "under /ipfs/QmX it broke"],
    ["x".repeat(5000), "x".repeat(300)]
  ] as const) {
    const reason = ofSentence("asking", sentence)
    assert.strictEqual(reason._tag === "Failed" && reason.detail, detail)
  }
})

it("no sentence, however it is put together, gives away an address or a folder, or is without end", () => {
  const random = Random.make(8400)
  const words = [
    "open",
    "/srv/secret/blocks",
    "https://k:secret@h/x",
    "tcp",
    "10.9.8.7:5001",
    "'",
    '"',
    ":",
    "invalid",
    "\n"
  ]
  const sentences = [
    "path 'a' is not pinned",
    "ipld: could not find Qm",
    "this node does not support",
    "is pinned recursively"
  ]
  for (let run = 0; run < Random.runs(Random.sized(2000)); run++) {
    const parts = Array.from({ length: 1 + Random.int(random, 8) }, () => Random.pick(random, [...words, ...sentences]))
    const sentence = parts.join(" ")
    const { message } = ofSentence("asking", sentence)
    assert.notMatch(message, /secret|10\.9\.8\.7/u, sentence)
    assert.isBelow(message.length, 1000)
  }
})

it.live(
  "an upstream that does not let the service in is the upstream's failure, and tells nothing of how it was asked",
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const upstream = yield* Node.make("infura", { key: "project", secret: "very-secret" })
        const client = yield* Clients.make({
          url: upstream.url,
          apiKey: "project",
          apiKeySecret: "wrong-secret",
          retries: 0
        })
        const reason = yield* reasonOf(IpfsKubo.make(client).pinAdd(HELLO))
        assert.strictEqual(reason.message, "asking the upstream for pin/add: it does not let this service in")
        const gone = yield* over("http://127.0.0.1:1")
        const failed = yield* reasonOf(gone.version)
        assert.strictEqual(failed._tag, "Failed")
        assert.notInclude(failed.message, "127.0.0.1")
        const old = yield* over((yield* Node.make("js-ipfs")).url)
        assert.strictEqual(
          (yield* reasonOf(old.pinUpdate(HELLO, HELLO))).message,
          "this node does not support pin/update"
        )
        assert.strictEqual((yield* reasonOf(old.repoStat))._tag, "NotSupported")
        assert.strictEqual((yield* reasonOf(Stream.runDrain(old.gc)))._tag, "NotSupported")
      })
    )
)

it.live("data of dag-jose is written by the upstream, and its block is checked and read here", () =>
  Effect.scoped(
    Effect.gen(function* () {
      // {"payload": the CID of an empty block, "signatures": []}
      const block = Buffer.from("a2677061796c6f616444015500006a7369676e61747572657380", "hex")
      const digest = createHash("sha256").update(block).digest()
      const cid = CID.createV1(0x85, createDigest(0x12, digest)).toString()
      const answers = { "block/get": bytes(block), "dag/put": json({ Cid: { "/": cid } }) }
      const options = { inputCodec: "dag-jose", storeCodec: "dag-jose" }
      const honest = yield* liar(answers)
      assert.strictEqual(String(yield* honest.dagPut(block, options)), cid)
      assert.deepStrictEqual(Buffer.from(yield* honest.dagGet(cid, "dag-jose")), Buffer.from(block))
      const text = '{"link":{"/":"bafkqaaa"},"payload":"AVUAAA","signatures":[]}'
      assert.strictEqual(Buffer.from(yield* honest.dagGet(`/ipfs/${cid}`)).toString(), text)
      assert.strictEqual(Buffer.from(yield* honest.dagGet(`${cid}/payload`)).toString(), '"AVUAAA"')

      const damaged = yield* liar({ ...answers, "block/get": bytes("other bytes") })
      assert.strictEqual((yield* reasonOf(damaged.dagPut(block, options)))._tag, "Damaged")
      assert.strictEqual((yield* reasonOf(damaged.dagGet(cid, "dag-jose")))._tag, "Damaged")
      assert.strictEqual((yield* reasonOf(damaged.dagGet(cid)))._tag, "Damaged")
      const other = yield* liar({ ...answers, "dag/put": json({ Cid: { "/": HELLO } }) })
      assert.strictEqual((yield* reasonOf(other.dagPut(block, options)))._tag, "Failed")
    })
  )
)
