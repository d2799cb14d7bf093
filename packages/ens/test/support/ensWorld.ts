/** Names on anvil, with contracts that have the published interfaces of ENS, and clients that read them. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"

import { afterAll, beforeAll } from "@effect/vitest"
import { Address as Address_, Hash32 } from "@plumbline/codec"
import { Anvil } from "@plumbline/devnet"
import { Ens, type EnsChain } from "@plumbline/ens"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Batching, HttpTransport, Transport } from "@plumbline/jsonrpc-core"
import * as Polling from "@plumbline/seeded/Polling"
import * as Solidity from "@plumbline/seeded/Solidity"
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import { Effect, Exit, Layer, Result, Scope } from "effect"
import {
  type Address,
  concatHex,
  createPublicClient,
  createWalletClient,
  decodeAbiParameters,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  namehash,
  type PublicClient
} from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { vi } from "vitest"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

/** The account that deploys and writes: the first of anvil, which signs for it. */
const WRITER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"

/** The account whose signature `OffchainResolver` wants. Its key is public, as all keys of anvil. */
const signer = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")

/** Accounts that names lead to. */
export const ALICE = "0x00000000000000000000000000000000000a11ce"
export const BOB = "0x0000000000000000000000000000000000000b0b"
export const CAROL = "0x00000000000000000000000000000000000ca201"
export const DAVE = "0x000000000000000000000000000000000000da7e"
export const ERIN = "0x000000000000000000000000000000000000e214"

export const CONTENT: Hex = "0xe3010170122029f2d17be6139079dc48696d1f582a8530eb9805b561eda517e22a892c7e3f1f"

/** A long text, of several words of storage. */
export const LONG = "a description that is longer than one word of storage, with ünïcode in it"

/** Changes the true answer to a call of the node. */
export type Lie = (method: string, answer: any, params: ReadonlyArray<any>) => unknown

/** The way in which the gateway answers. */
export type GatewayAnswer = (question: {
  readonly path: string
  readonly method: string
  readonly sender: string
  readonly data: Hex
}) => Promise<{ readonly status?: number; readonly body: string | Uint8Array }>

export interface EnsWorld {
  readonly url: string
  readonly viem: PublicClient
  readonly registry: Address
  /** The proxy in front of the Universal Resolver. */
  readonly entry: Address
  readonly contracts: Readonly<Record<string, Address>>
  /** The newest block, after all names are set. */
  readonly block: Hash32.Hash32
  /** A block before the last change of `alice.eth`. */
  readonly earlier: Hash32.Hash32
  /** The port of the gateway. */
  readonly gateway: number
  /** Reads with a client that trusts the newest block. */
  readonly using: <A, E>(
    program: (ens: Ens.Client) => Effect.Effect<A, E>,
    options?: Partial<Ens.EnsOptions> & { readonly lie?: Lie; readonly trust?: Hash32.Hash32 | null }
  ) => Effect.Effect<A, E>
}

/** Answers as the gateway of `OffchainResolver`: texts and addresses of all names below `off.eth`. */
const honest: GatewayAnswer = async ({ data, sender }) => {
  const [, inner] = decodeAbiParameters([{ type: "bytes" }, { type: "bytes" }], `0x${data.slice(10)}`)
  return { body: JSON.stringify({ data: await signed(sender as Hex, data, recordOf(inner)) }) }
}

/** Returns the record that a resolver's function returns. */
const recordOf = (call: Hex): Hex =>
  call.startsWith("0x3b3b57de")
    ? encodeAbiParameters([{ type: "address" }], [DAVE])
    : encodeAbiParameters([{ type: "string" }], ["from the gateway"])

/** Returns the answer that `OffchainResolver.signed` takes. The signature is over the question and the record. */
export const signed = async (resolver: Hex, question: Hex, record: Hex): Promise<Hex> => {
  const digest = keccak256(concatHex(["0x1900", resolver, keccak256(question), keccak256(record)]))
  const signature = await signer.sign({ hash: digest })
  return encodeAbiParameters(
    [{ type: "bytes" }, { type: "uint8" }, { type: "bytes32" }, { type: "bytes32" }],
    [record, Number(`0x${signature.slice(130)}`), `0x${signature.slice(2, 66)}`, `0x${signature.slice(66, 130)}`]
  )
}

/** The ways in which the gateway answers, by the first part of the path. */
const ways: Readonly<Record<string, GatewayAnswer>> = {
  honest,
  // signed, but about another question
  swapped: async ({ data, sender }) => ({
    body: JSON.stringify({ data: await signed(sender as Hex, `${data}00`, recordOf("0x3b3b57de")) })
  }),
  wrong: async () => ({ body: JSON.stringify({ data: "0x1234" }) }),
  s404: async () => ({ status: 404, body: "{}" }),
  s500: async () => ({ status: 500, body: "{}" }),
  html: async () => ({ body: "<html>" }),
  nothing: async () => ({ body: "{}" }),
  large: async () => ({ body: new Uint8Array(2 ** 22).fill(0x30) }),
  silent: () => new Promise(() => {}),
  moved: async () => ({ status: 302, body: "" })
}

/** Starts a gateway. Returns it, and the paths of the requests so far. */
const serve = async () => {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1")
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const [, way = "", sender, data] = url.pathname.split("/")
    const posted = request.method === "POST" ? JSON.parse(Buffer.concat(chunks).toString()) : { sender, data }
    const answer = await ways[way]!({ path: url.pathname, method: request.method!, ...posted })
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", location: "/honest" })
    response.end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, port: (server.address() as AddressInfo).port }
}

/** Starts the world before the tests of a file. Returns a function that the tests call to get it. */
export const ensWorld = (): (() => EnsWorld) => {
  const scope = Scope.makeUnsafe()
  let made: { readonly server: Server; readonly world: EnsWorld } | undefined
  beforeAll(async () => {
    const anvil = await Effect.runPromise(Scope.provide(Anvil.make({ state: "empty" }), scope))
    made = await make(anvil.url)
  })
  afterAll(async () => {
    made?.server.close()
    made?.server.closeAllConnections()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
  return () => made!.world
}

const make = async (url: string) => {
  const { port, server } = await serve()
  const viem = createPublicClient({ transport: http(url) })
  const wallet = createWalletClient({ account: WRITER, transport: http(url) })
  const artifacts = Solidity.contractsIn(fileURLToPath(new URL("../contracts/Names.sol", import.meta.url)), {
    evmVersion: "prague",
    optimizer: { enabled: true, runs: 1 }
  })
  const send = async (to: Address | null, data: Hex) => {
    const hash = await wallet.sendTransaction({ to, data, chain: null })
    return Polling.until(() => viem.request({ method: "eth_getTransactionReceipt", params: [hash] }))
  }
  const deploy = async (name: string, ...args: ReadonlyArray<unknown>): Promise<Address> => {
    const { abi, creationCode } = artifacts[name]!
    const { contractAddress } = await send(null, encodeDeployData({ abi, bytecode: creationCode, args }))
    return contractAddress!.toLowerCase() as Address
  }
  const write = (contract: string, to: Address, functionName: string, ...args: ReadonlyArray<unknown>) =>
    send(to, encodeFunctionData({ abi: artifacts[contract]!.abi, functionName, args }))

  const NOWHERE = "0x0000000000000000000000000000000000000000"
  const local = `http://127.0.0.1:${port}`
  const older = await deploy("Registry", NOWHERE)
  const registry = await deploy("Registry", older)
  const implementation = await deploy("Entry", registry)
  const entry = await deploy("Proxy", implementation)
  const records = await deploy("RecordResolver")
  const wildcard = await deploy("WildcardResolver")
  const faulty = await deploy("FaultyResolver")
  const contracts = { records, wildcard, faulty, implementation, forbidden: await deploy("Forbidden") }
  const own = (name: string, resolver: string, at: Address = registry) =>
    write("Registry", at, "set", namehash(name), WRITER, resolver)
  const set = (name: string, kind: string, ...args: ReadonlyArray<unknown>) =>
    write("RecordResolver", records, `set${kind}`, namehash(name), ...args)

  for (const name of ["alice.eth", "bob.eth", "empty.eth", "cleared.eth", "ipns.eth", "bad.eth"])
    await own(name, records)
  await own("old.eth", records, older)
  await set("old.eth", "Addr", 60n, CAROL)
  await own("zero.eth", NOWHERE)
  await own("nocode.eth", ERIN)
  await own("wild.eth", wildcard)
  await own("faulty.eth", faulty)
  await set("alice.eth", "Addr", 60n, BOB)
  const earlier = (await viem.getBlock()).hash
  await set("alice.eth", "Addr", 60n, ALICE)
  await set("alice.eth", "Addr", 0n, "0x76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac")
  await set("alice.eth", "Addr", 0x8000000an, BOB)
  await set("alice.eth", "Text", "description", LONG)
  await set("alice.eth", "Contenthash", CONTENT)
  await set("bob.eth", "Addr", 60n, BOB)
  await set("cleared.eth", "Addr", 60n, BOB)
  await write("RecordResolver", records, "clear", namehash("cleared.eth"))
  await set("ipns.eth", "Contenthash", `0xe5010170000b${Buffer.from("example.org").toString("hex")}`)
  await set("bad.eth", "Contenthash", "0xe3011220")
  // names of addresses: right, of another address, none, not in normal form
  for (const [address, name] of [
    [ALICE, "alice.eth"],
    [CAROL, "alice.eth"],
    [DAVE, ""],
    [ERIN, "Alice.eth"]
  ] as const) {
    const reverse = `${address.slice(2)}.addr.reverse`
    await own(reverse, records)
    await set(reverse, "Name", name)
  }
  await set("Alice.eth", "Addr", 60n, ERIN)
  await own("Alice.eth", records)
  await own(`${BOB.slice(2)}.8000000a.reverse`, records)
  await set(`${BOB.slice(2)}.8000000a.reverse`, "Name", "alice.eth")

  const offchain = async (name: string, ...urls: ReadonlyArray<string>) =>
    own(name, await deploy("OffchainResolver", urls, signer.address))
  const get = (way: string) => `${local}/${way}/{sender}/{data}`
  await offchain("off.eth", get("honest"))
  await offchain("post.eth", `${local}/honest`)
  await offchain("swapped.eth", get("swapped"))
  await offchain("wrong.eth", get("wrong"))
  await offchain("second.eth", get("s500"), get("html"), get("nothing"), get("honest"))
  await offchain("fifth.eth", get("s500"), get("s500"), get("s500"), get("s500"), get("honest"))
  await offchain("stops.eth", get("s404"), get("honest"))
  await offchain("large.eth", get("large"))
  await offchain("silent.eth", get("silent"))
  await offchain("moved.eth", get("moved"))
  await offchain("plain.eth", "http://gateway.example/{data}")
  await offchain("secret.eth", "https://user:sesame@gateway.example/key/{data}")
  await own("repeat.eth", await deploy("RepeatingResolver", [get("wrong")]))

  const block = await viem.getBlock()
  const world: EnsWorld = {
    url,
    viem,
    registry,
    entry,
    contracts,
    gateway: port,
    block: Hash32.fromHexUnsafe(block.hash),
    earlier: Hash32.fromHexUnsafe(earlier),
    using: (program, { lie, trust, ...options } = {}) => {
      const chain: EnsChain.EnsChain = { chainId: 31_337n, universalResolver: Address_.fromHexUnsafe(entry) }
      const anchor = trust === undefined ? Hash32.fromHexUnsafe(block.hash) : trust
      const eth = VerdictEthClient.layer().pipe(
        Layer.provide([
          Transport.through(lying(url, lie), Batching.make()),
          anchor === null ? TrustedBlock.layerNone() : TrustedBlock.layerPinned(anchor),
          VerifiedCalls.layer({ chain: Hardforks.always(31_337n, "osaka") })
        ])
      )
      const layer = Ens.layer({ chain, ...options }).pipe(Layer.provide(eth))
      return Effect.provide(Ens.Ens.use(program), layer)
    }
  }
  return { server, world }
}

/** A transport to the node, which changes answers as the lie says. */
const lying = (url: string, lie: Lie = (_, answer) => answer): Layer.Layer<Transport.Transport> =>
  Layer.effect(
    Transport.Transport,
    Effect.map(HttpTransport.make({ url }), (truth) => {
      const changed = (call: Transport.WireCall) => (answer: unknown) =>
        lie(call.method, structuredClone(answer), call.params)
      return {
        call: (call) => Effect.map(truth.call(call), changed(call)),
        callAll: (calls) =>
          Effect.map(truth.callAll(calls), (outcomes) =>
            outcomes.map((outcome, i) => Result.map(outcome, changed(calls[i]!)))
          )
      }
    })
  )
