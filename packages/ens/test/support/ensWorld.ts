/** Names on anvil, with contracts that have the published interfaces of ENS, and clients that read them. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

import { afterAll, beforeAll } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { Anvil } from "@plumbline/devnet"
import { Ens, EnsChain } from "@plumbline/ens"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { HttpTransport, Transport } from "@plumbline/jsonrpc-core"
import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import { Effect, Exit, Layer, Result, Scope } from "effect"
import {
  type Address,
  createPublicClient,
  createWalletClient,
  decodeAbiParameters,
  encodeAbiParameters,
  getAddress,
  type Hex,
  http,
  keccak256,
  namehash,
  type PublicClient,
  toHex
} from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { vi } from "vitest"

import { compile } from "./compiled.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"

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
}) => { readonly status?: number; readonly body: string }

export interface EnsWorld {
  readonly url: string
  readonly viem: PublicClient
  readonly registry: Address
  readonly entry: Address
  readonly contracts: Readonly<Record<string, Address>>
  /** The newest block, after all names are set. */
  readonly block: Hash32.Hash32
  /** A block before the last change of `alice.eth`. */
  readonly earlier: Hash32.Hash32
  /** The questions that the gateway was asked. */
  readonly asked: Array<string>
  /** Reads with a client that trusts the newest block. */
  readonly using: <A, E>(
    program: (ens: Ens.Client) => Effect.Effect<A, E>,
    options?: Partial<Ens.EnsOptions> & { readonly lie?: Lie; readonly trust?: Hash32.Hash32 | null }
  ) => Effect.Effect<A, E>
}

const signer = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")

/** Answers as the gateway of `OffchainResolver`: the texts and addresses of all names below `off.eth`. */
const honest: GatewayAnswer = ({ data, sender }) => {
  const [, inner] = decodeAbiParameters([{ type: "bytes" }, { type: "bytes" }], `0x${data.slice(10)}`)
  const result = inner.startsWith("0x3b3b57de")
    ? encodeAbiParameters([{ type: "address" }], [DAVE])
    : encodeAbiParameters([{ type: "string" }], ["from the gateway"])
  return { body: JSON.stringify({ data: sign(sender as Hex, data, result) }) }
}

/** Returns the answer that `OffchainResolver.signed` takes. The signature is over the question and the result. */
const sign = (resolver: Hex, question: Hex, result: Hex): Hex => {
  const digest = keccak256(
    `0x1900${resolver.slice(2)}${keccak256(question).slice(2)}${keccak256(result).slice(2)}`
  )
  const { r, s, v } = signatureOf(digest)
  return encodeAbiParameters(
    [{ type: "bytes" }, { type: "uint8" }, { type: "bytes32" }, { type: "bytes32" }],
    [encodeAbiParameters([{ type: "bytes" }], [result]), v, r, s]
  )
}

let signatureOf: (digest: Hex) => { readonly r: Hex; readonly s: Hex; readonly v: number } = () => {
  throw new Error("the world is not made")
}

/** Starts the world before the tests of a file. Returns a function that the tests call to get it. */
export const ensWorld = (): (() => EnsWorld) => {
  const scope = Scope.makeUnsafe()
  let world: EnsWorld | undefined
  let server: Server | undefined
  beforeAll(async () => {
    const { secp256k1 } = await import("@noble/curves/secp256k1.js")
    void secp256k1
    const anvil = await Effect.runPromise(Scope.provide(Anvil.make({ state: "empty" }), scope))
    ;({ server, world } = await make(anvil.url))
  })
  afterAll(async () => {
    server?.closeAllConnections()
    server?.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
  return () => world!
}
