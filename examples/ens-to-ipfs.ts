/** Reads a file by its ENS name: the name is proven by a call from a block's hash, the file by the CID of the name. */
import { Anvil } from "@plumbline/devnet"
import { Ens, EnsChain } from "@plumbline/ens"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Cid, IpfsClient, ProvenIpfsClient } from "@plumbline/ipfs-client"
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import { Effect, Layer, Redacted, Stream } from "effect"
import { createTestClient, encodeAbiParameters, type Hex, http, publicActions, toHex } from "viem"
import { foundry } from "viem/chains"

const node = IpfsClient.layerFetch({
  url: process.env["PLUMBLINE_IPFS_URL"]!,
  apiKey: process.env["PLUMBLINE_API_KEY"]!,
  apiKeySecret: Redacted.make(process.env["PLUMBLINE_API_KEY_SECRET"]!)
})
const ipfs = ProvenIpfsClient.layer().pipe(Layer.provide(node))
const calls = VerifiedCalls.layer({ chain: Hardforks.always(31337n, "osaka") })
const ens = (url: string, hash: Hex) =>
  Ens.layer().pipe(Layer.provide(VerdictEthClient.layerUrl(url, TrustedBlock.layerPinned(hash))), Layer.provide(calls))

const program = Effect.gen(function* () {
  const ipfs = yield* IpfsClient.IpfsClient
  const { cid } = yield* ipfs.add({ path: "hello.txt", content: "hello world" }, { cidVersion: 1 })
  const { url } = yield* Anvil.Anvil
  const hash = yield* Effect.promise(() => name(url, toHex(Cid.fromTextUnsafe(cid).bytes)))
  const { _tag, value } = yield* Ens.Ens.use((ens) => ens.contentHash("alice.eth")).pipe(Effect.provide(ens(url, hash)))
  console.log(_tag) // => VERIFIED
  return value?._tag === "Ipfs" ? yield* ipfs.cat(value.cid).pipe(Stream.decodeText(), Stream.mkString) : undefined
})
// stands for ENS on a chain of our own: at the address of ENS, a contract that gives each name this content
const name = async (url: string, cid: Hex, address: Hex = EnsChain.mainnet.universalResolver): Promise<Hex> => {
  const record = encodeAbiParameters([{ type: "bytes" }], [`0xe301${cid.slice(2)}`])
  const answer = encodeAbiParameters([{ type: "bytes" }, { type: "address" }], [record, address])
  const chain = createTestClient({ chain: foundry, mode: "anvil", transport: http(url) }).extend(publicActions)
  await chain.setCode({ address, bytecode: `0x600b380380600b5f395ff3${answer.slice(2)}` })
  await chain.mine({ blocks: 1 })
  return (await chain.getBlock()).hash
}
console.log(await Effect.runPromise(Effect.provide(program, [ipfs, Anvil.layer()]))) // => hello world
