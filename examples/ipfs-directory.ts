/** Adds a folder of this machine to IPFS, and streams files inside it back, each block checked against its CID. */
import { openAsBlob } from "node:fs"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { IpfsClient, IpfsPath, ProvenIpfsClient } from "@plumbline/ipfs-client"
import { Effect, Layer, Redacted, Stream } from "effect"

const node = IpfsClient.layerFetch({
  url: process.env["PLUMBLINE_IPFS_URL"]!,
  apiKey: process.env["PLUMBLINE_API_KEY"]!,
  apiKeySecret: Redacted.make(process.env["PLUMBLINE_API_KEY_SECRET"]!)
})
const ipfs = ProvenIpfsClient.layer().pipe(Layer.provide(node))

const folder = await mkdtemp(join(tmpdir(), "album-"))
await writeFile(join(folder, "note.txt"), "rain")
await writeFile(join(folder, "large.bin"), new Uint8Array(1_000_000))
// the directory "album" follows from the paths; a blob of `openAsBlob` is read while it is sent
const open = async (name: string) => ({ path: `album/${name}`, content: await openAsBlob(join(folder, name)) })
const entries = await Promise.all((await readdir(folder)).map(open))

const program = Effect.gen(function* () {
  const ipfs = yield* IpfsClient.IpfsClient
  const answers = yield* Stream.runCollect(ipfs.addAll(entries, { progress: true }))
  console.log(Math.max(...answers.map((answer) => ("bytes" in answer ? answer.bytes : 0)))) // => 1000000

  const album = answers.filter((answer) => answer.cid !== undefined).find(({ name }) => name === "album")!.cid
  const note = ipfs.cat(IpfsPath.make(album, "note.txt")).pipe(Stream.decodeText(), Stream.mkString)
  console.log(yield* note) // => rain
  let size = 0
  yield* Stream.runForEach(ipfs.cat(IpfsPath.make(album, "large.bin")), (bytes) =>
    Effect.sync(() => (size += bytes.length))
  )
  console.log(size) // => 1000000
})
await Effect.runPromise(Effect.provide(program, ipfs))
await rm(folder, { recursive: true })
