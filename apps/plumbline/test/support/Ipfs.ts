/**
 * The IPFS part of the service in this process, for the tests of one file. The record in a folder lets the command find
 * it.
 */
import { createHash } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { afterAll, beforeAll } from "@effect/vitest"
import { IpfsEmbedded } from "@plumbline/devnet"
import { EthMethods } from "@plumbline/eth-methods"
import { Gateway } from "@plumbline/gateway"
import { IpfsProduct } from "@plumbline/gateway-ipfs"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"

import * as State from "./State.ts"

/** A running service. */
export interface Service {
  readonly url: string
  readonly key: string
  readonly secret: string
  /** A data folder with the service's record, for `--data`. */
  readonly folder: string
}

/** Starts the service before the tests of this file. A test calls the returned function to get the service. */
export const service = (): (() => Service) => {
  const scope = Scope.makeUnsafe()
  let started: Service | undefined
  beforeAll(async () => {
    started = await Effect.runPromise(Scope.provide(start, scope))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return () => {
    if (started === undefined) throw new Error("the service did not start")
    return started
  }
}

const start = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "plumbline-test-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
  const ipfs = yield* IpfsEmbedded.make({ folder: path.join(folder, "ipfs") })
  const network = {
    name: "live",
    hosts: ["live.localhost"],
    chainId: 1,
    methods: EthMethods.group,
    upstream: { call: () => Effect.succeed(new TextEncoder().encode("null")) }
  }
  const gateway = Gateway.layer({ networks: [network], ipfs: IpfsProduct.make({ node: () => ipfs }) }).pipe(
    Layer.provideMerge(State.memory)
  )
  const context = yield* Layer.build(gateway)
  const { url } = Context.get(context, Gateway.Gateway)
  const issued = yield* Effect.provideContext(State.project({ card: true }), context)
  const key = Redacted.value(issued.apiKey)
  const secret = Redacted.value(issued.apiKeySecret)
  const started: Service = { url, key, secret, folder }
  yield* Effect.promise(() => record(folder, started))
  return started
})

/** Writes the record of a service into a folder. */
export const record = (folder: string, { key, secret, url }: Omit<Service, "folder">): Promise<void> => {
  const running = { url, wsUrl: "ws://127.0.0.1:1", ipfsUrl: url, pid: process.pid, networks: [] }
  return writeFile(
    path.join(folder, "service.json"),
    JSON.stringify({ version: 1, apiKey: key, apiKeySecret: secret, ...running })
  )
}

/** Returns bytes that are different for each seed and cannot be compressed. */
export const bytesOf = (seed: string, length: number): Uint8Array => {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, i) =>
    createHash("sha256").update(`${seed} ${i}`).digest()
  )
  return Buffer.concat(blocks).subarray(0, length)
}
