/** Hostile answers to every command: any bytes, in any pieces, must become an answer or an `IpfsError`. */
import { assert, describe, it } from "@effect/vitest"
import { Cid, IpfsClient } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Cause, Effect, Exit, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

const HELLO = "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"
const CID = Cid.fromTextUnsafe(HELLO)

/** Answers of real nodes, which the test changes. */
const ANSWERS = [
  `{"Name":"a","Bytes":262144}\n{"Name":"a","Hash":"${HELLO}","Size":"19","Mode":"0644"}\n`,
  `{"Key":"${HELLO}","Size":19}\n`,
  `{"Cid":{"/":"${HELLO}"},"RemPath":"a"}\n`,
  `{"Root":{"Cid":{"/":"${HELLO}"},"PinErrorMsg":""}}\n{"Stats":{"BlockCount":1,"BlockBytesCount":2}}\n`,
  `{"Objects":[{"Hash":"${HELLO}","Links":[{"Name":"a","Hash":"${HELLO}","Size":1,"Type":2,"Mode":420}]}]}\n`,
  `{"Hash":"${HELLO}","Size":1,"CumulativeSize":2,"Blocks":0,"Type":"file"}\n`,
  `{"Links":[{"Name":"a","Hash":"${HELLO}","Size":1}],"Data":"CAE="}\n`,
  `{"Hash":"${HELLO}","NumLinks":0,"BlockSize":1,"LinksSize":1,"DataSize":0,"CumulativeSize":1}\n`,
  `{"Progress":1,"Bytes":2}\n{"Pins":["${HELLO}"]}\n`,
  `{"Keys":{"${HELLO}":{"Type":"recursive","Name":""}}}\n`,
  `{"Cid":"${HELLO}","Type":"recursive"}\n`,
  `{"Version":"0.43.1","Repo":"18"}\n`,
  `{"ID":"12D3","PublicKey":"C","Addresses":null,"AgentVersion":"k","Protocols":[]}\n`,
  '{"Message":"removed, use \'ipfs dag\' or \'ipfs files\' instead","Code":0,"Type":"error"}\n'
]

const SCRAPS = ["null", "[]", "{}", '"', "\n", "\u0000", "-1", "1e999", '{"/":', "__proto__", "\ud83d", "}", ",", '""']

const changed = (random: Random.Random): Uint8Array => {
  let text = Random.pick(random, ANSWERS)
  for (let times = Random.int(random, 4); times > 0; times--) {
    const at = Random.int(random, text.length)
    text = text.slice(0, at) + Random.pick(random, SCRAPS) + text.slice(at + Random.int(random, 8))
  }
  const bytes = new TextEncoder().encode(text)
  return random() < 0.2 ? bytes.map((byte) => (random() < 0.05 ? Random.int(random, 256) : byte)) : bytes
}

const answer = (random: Random.Random): Response => {
  const bytes = changed(random)
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (let at = 0; at < bytes.length;) {
        const size = 1 + Random.int(random, 30)
        controller.enqueue(bytes.slice(at, at + size))
        at += size
      }
      if (random() < 0.1) {
        controller.error(new Error("gone"))
      } else {
        controller.close()
      }
    }
  })
  const status = Random.pick(random, [200, 200, 200, 200, 200, 400, 404, 500, 503, 299, 600 - 1])
  const headers = random() < 0.3 ? { "x-content-length": String(Random.int(random, 200)) } : {}
  return new Response(body, { status, headers })
}

const calls = (ipfs: IpfsClient.Client) => ({
  add: ipfs.add({ content: "a" }),
  addAll: Stream.runCollect(ipfs.addAll([{ path: "a", content: Stream.make(Uint8Array.of(1)) }])),
  cat: Stream.runCollect(ipfs.cat(CID)),
  get: Stream.runCollect(ipfs.get(CID)),
  ls: Stream.runCollect(ipfs.ls(CID)),
  filesStat: ipfs.filesStat("/"),
  blockGet: ipfs.blockGet(CID),
  blockPut: ipfs.blockPut(Uint8Array.of(1)),
  blockStat: ipfs.blockStat(CID),
  dagGet: ipfs.dagGet(CID),
  dagPut: ipfs.dagPut(Uint8Array.of(1)),
  dagResolve: ipfs.dagResolve(CID),
  dagExport: Stream.runCollect(ipfs.dagExport(CID)),
  dagImport: Stream.runCollect(ipfs.dagImport("car")),
  objectGet: ipfs.objectGet(CID),
  objectData: ipfs.objectData(CID),
  objectStat: ipfs.objectStat(CID),
  objectPut: ipfs.objectPut(Uint8Array.of(1)),
  pinAdd: ipfs.pinAdd(CID),
  pinRm: ipfs.pinRm(CID),
  pinLs: Stream.runCollect(ipfs.pinLs()),
  pinUpdate: ipfs.pinUpdate(CID, CID),
  blockRm: Stream.runCollect(ipfs.blockRm(CID)),
  refs: Stream.runCollect(ipfs.refs(CID)),
  refsLocal: Stream.runCollect(ipfs.refsLocal()),
  resolve: ipfs.resolve(CID),
  dagStat: Stream.runCollect(ipfs.dagStat(CID)),
  pinVerify: Stream.runCollect(ipfs.pinVerify()),
  repoStat: ipfs.repoStat(),
  version: ipfs.version(),
  id: ipfs.id()
})

describe("a hostile answer", () => {
  it.effect("to any command is an answer or an error", () =>
    Effect.gen(function* () {
      const random = Random.make(5)
      const seen = new Set<string>()
      for (let run = 0; run < Random.runs(60); run++) {
        const client = HttpClient.make((request) =>
          Effect.sync(() => HttpClientResponse.fromWeb(request, answer(random)))
        )
        const made = IpfsClient.make({ url: "http://node.example", maxBytes: 300, retries: 0 })
        const ipfs = yield* Effect.provideService(made, HttpClient.HttpClient, client)
        const all = calls(ipfs)
        assert.deepStrictEqual(Object.keys(all).sort(), Object.keys(ipfs).sort())
        for (const [name, call] of Object.entries<Effect.Effect<unknown, unknown>>(all)) {
          const exit = yield* Effect.exit(call)
          if (Exit.isSuccess(exit)) {
            seen.add("Success")
          } else {
            const error = Cause.squash(exit.cause) as { readonly _tag?: unknown; readonly reason?: { _tag: string } }
            assert.isTrue(Cause.hasFails(exit.cause), `${name}: ${Cause.pretty(exit.cause)}`)
            assert.strictEqual(error._tag, "IpfsError", name)
            seen.add(error.reason?._tag ?? "")
          }
        }
      }
      assert.includeMembers(Array.from(seen), [
        "Success",
        "DecodeError",
        "ProtocolError",
        "StreamError",
        "LengthError",
        "TransportError",
        "FailedError",
        "MalformedError",
        "UnknownCommandError"
      ])
    })
  )
})
