/** Reads a file by its ENS name: the name is proven by a call from a block's hash, the file by the CID of the name. */
import { Anvil } from "@plumbline/devnet"
import { ContentHash, Ens, EnsChain } from "@plumbline/ens"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Cid, IpfsClient, IpfsPath, ProvenIpfsClient } from "@plumbline/ipfs-client"
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import { Effect, Layer, Redacted, Stream } from "effect"
import { createTestClient, encodeAbiParameters, type Hex, http, size, toHex } from "viem"

const ipfs = ProvenIpfsClient.layer().pipe(
  Layer.provide(
    IpfsClient.layerFetch({
      url: process.env["PLUMBLINE_IPFS_URL"]!,
      apiKey: process.env["PLUMBLINE_API_KEY"]!,
      apiKeySecret: Redacted.make(process.env["PLUMBLINE_API_KEY_SECRET"]!)
    })
  )
)

// on mainnet: a light client as the trust, `chainId: 1n` for the client, and VerifiedCalls.layer() without options
const ensOf = (url: string, hash: Hex) =>
  Ens.layer().pipe(
    Layer.provide(VerdictEthClient.layerUrl(url, TrustedBlock.layerPinned(hash))),
    Layer.provide(VerifiedCalls.layer({ chain: Hardforks.always(31337n, "osaka") }))
  )

const read = Effect.gen(function* () {
  const { _tag, proven, value } = yield* Ens.Ens.use((ens) => ens.contentHash("alice.eth"))
  console.log(_tag) // => VERIFIED
  console.log(proven.at(-1)!.sentence)
  // => contenthash of alice.eth is ipfs://bafybeic6svhkwl3y2wvkj33weshyjjs5cbvgijh7yo3kjasyglrdwe2l74, by the resolver 0x00000000000000000000000000000000000a11ce
  if (value?._tag !== "Ipfs") return ContentHash.toText(value!)
  const ipfs = yield* IpfsClient.IpfsClient
  return yield* ipfs.cat(IpfsPath.make(value.cid, "hello.txt")).pipe(Stream.decodeText(), Stream.mkString)
})

const program = Effect.gen(function* () {
  const ipfs = yield* IpfsClient.IpfsClient
  const added = yield* Stream.runCollect(
    ipfs.addAll([{ path: "site/hello.txt", content: "hello world" }], { cidVersion: 1 })
  )
  const { cid } = added.filter((answer) => answer.cid !== undefined).find(({ name }) => name === "site")!
  const { url } = yield* Anvil.Anvil
  const hash = yield* Effect.promise(() => nameContent(url, `0xe301${toHex(Cid.fromTextUnsafe(cid).bytes).slice(2)}`))
  return yield* Effect.provide(read, ensOf(url, hash))
})

/** Stands for ENS on a chain of our own: puts a contract at its address that answers each call with this record. */
const nameContent = async (url: string, contenthash: Hex): Promise<Hex> => {
  const record = encodeAbiParameters([{ type: "bytes" }], [contenthash])
  const answer = encodeAbiParameters(
    [{ type: "bytes" }, { type: "address" }],
    [record, "0x00000000000000000000000000000000000a11ce"]
  )
  const length = toHex(size(answer), { size: 2 }).slice(2)
  const node = createTestClient({ mode: "anvil", transport: http(url) })
  await node.setCode({
    address: EnsChain.mainnet.universalResolver,
    bytecode: `0x61${length}600c5f3961${length}5ff3${answer.slice(2)}`
  })
  await node.mine({ blocks: 1 })
  const { hash } = await node.request({ method: "eth_getBlockByNumber", params: ["latest", false] } as never)
  return hash
}

console.log(await Effect.runPromise(Effect.provide(program, [ipfs, Anvil.layer()]))) // => hello world
