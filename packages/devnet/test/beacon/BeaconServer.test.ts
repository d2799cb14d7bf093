import { assert, it } from "@effect/vitest"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { Effect, Layer } from "effect"

import { Anvil, BeaconChain, BeaconServer } from "../../src/index.ts"
import { rpc } from "../support/shared.ts"

const servers = BeaconServer.layer().pipe(
  Layer.provideMerge(BeaconChain.layer()),
  Layer.provide(Layer.unwrap(Effect.map(Anvil.Anvil, ({ url }) => HttpTransport.layer({ url })))),
  Layer.provideMerge(Anvil.layer())
)

it.live("a server answers over HTTP for the chain of an anvil, whose transactions it counts", () =>
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
    // a gateway mounts it at a path of its own
    assert.strictEqual((yield* ask("/somewhere/eth/v1/config/spec")).status, 200)
    assert.strictEqual((yield* ask("/eth/v1/config/spec", { method: "POST", body: "x" })).status, 405)
  }).pipe(Effect.provide(servers))
)
