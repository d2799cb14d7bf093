/** Adds a file with kubo-rpc-client, and reads it with `ProvenIpfsClient`, which checks what the node sends. */
import { Cid, IpfsClient, ProvenIpfsClient } from "@plumbline/ipfs-client"
import { Effect, Layer, Redacted, Stream } from "effect"
import { create } from "kubo-rpc-client"

// `plumbline up` prints these three values; Kubo on this machine needs only a URL: "http://127.0.0.1:5001"
const url = process.env["PLUMBLINE_IPFS_URL"]!
const apiKey = process.env["PLUMBLINE_API_KEY"]!
const apiKeySecret = process.env["PLUMBLINE_API_KEY_SECRET"]!

const kubo = create({ url, headers: { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` } })
const added = await kubo.add("hello world")

const node = IpfsClient.layerFetch({ url, apiKey, apiKeySecret: Redacted.make(apiKeySecret) })
const ipfs = ProvenIpfsClient.layer().pipe(Layer.provide(node))
const cat = IpfsClient.IpfsClient.use((ipfs) =>
  ipfs.cat(Cid.fromTextUnsafe(added.cid.toString())).pipe(Stream.decodeText(), Stream.mkString)
)
console.log(await Effect.runPromise(Effect.provide(cat, ipfs))) // => hello world
