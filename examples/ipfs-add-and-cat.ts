/** Adds a file to IPFS and reads it back, each block checked against its CID. */
import { IpfsClient, ProvenIpfsClient } from "@plumbline/ipfs-client"
import { Effect, Layer, Redacted, Stream } from "effect"

// the values that `plumbline up` prints; Kubo on this machine needs no key: { url: "http://127.0.0.1:5001" }
const node = IpfsClient.layerFetch({
  url: process.env["PLUMBLINE_IPFS_URL"]!,
  apiKey: process.env["PLUMBLINE_API_KEY"]!,
  apiKeySecret: Redacted.make(process.env["PLUMBLINE_API_KEY_SECRET"]!)
})
const ipfs = ProvenIpfsClient.layer().pipe(Layer.provide(node))

const program = Effect.gen(function* () {
  const ipfs = yield* IpfsClient.IpfsClient
  const { cid } = yield* ipfs.add({ path: "hello.txt", content: "hello world" })
  const text = yield* ipfs.cat(cid).pipe(Stream.decodeText(), Stream.mkString)
  return { cid, text }
})

const { cid, text } = await Effect.runPromise(Effect.provide(program, ipfs))
console.log(cid) // => Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD
console.log(text) // => hello world
