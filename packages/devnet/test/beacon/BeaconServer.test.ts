import { assert, it } from "@effect/vitest"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { Effect, Layer } from "effect"

import { Anvil, BeaconChain, BeaconServer } from "../../src/index.ts"
import { eventually, rpc } from "../support/shared.ts"

const servers = BeaconServer.layer().pipe(
  Layer.provideMerge(BeaconChain.layer()),
  Layer.provide(Layer.unwrap(Effect.map(Anvil.Anvil, ({ url }) => HttpTransport.layer({ url })))),
  Layer.provideMerge(Anvil.layer())
)

it.live("a server answers over HTTP for the chain of an anvil, and follows it", () =>
  Effect.gen(function* () {
    const { url } = yield* BeaconServer.BeaconServer
    const anvil = yield* Anvil.Anvil
    const { network } = yield* BeaconChain.BeaconChain
    assert.strictEqual(network.chainId, 31337n)
    const { hash } = yield* rpc<{ hash: string }>(anvil.url, "eth_getBlockByNumber", "latest", false)
    const ask = (path: string, init: RequestInit = {}) => Effect.promise(() => fetch(`${url}${path}`, init))
    const answer = yield* ask("/eth/v1/beacon/light_client/optimistic_update")
    assert.strictEqual(answer.headers.get("eth-consensus-version"), "electra")
    const { data } = yield* Effect.promise(() => answer.json())
    assert.strictEqual(data.attested_header.execution.block_hash, hash)
    assert.strictEqual((yield* ask("//")).status, 404)
    yield* rpc(anvil.url, "anvil_mine", "0x1")
    const mined = yield* rpc<{ hash: string }>(anvil.url, "eth_getBlockByNumber", "latest", false)
    assert.notStrictEqual(mined.hash, hash)
    const newest = Effect.map(
      Effect.flatMap(ask("/eth/v1/beacon/light_client/optimistic_update"), (answer) =>
        Effect.promise(() => answer.json())
      ),
      (update) => update.data.attested_header.execution.block_hash
    )
    yield* eventually(
      "the mined block is signed",
      Effect.map(newest, (hash) => hash === mined.hash)
    )
    // a gateway mounts the API under a path prefix
    assert.strictEqual((yield* ask("/somewhere/eth/v1/config/spec")).status, 200)
    assert.strictEqual((yield* ask("/eth/v1/config/spec", { method: "POST", body: "x" })).status, 405)
  }).pipe(Effect.provide(servers))
)
