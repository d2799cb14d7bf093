/**
 * Publishes a bundle on a running node of IPFS: `PLUMBLINE_TEST_IPFS_URL=http://127.0.0.1:5001`, with the API of Kubo
 * or js-ipfs. Without the variable these tests are skipped.
 */
import { assert, describe, it } from "@effect/vitest"
import { IpfsClient } from "@plumbline/ipfs-client"
import { BundleIpfs, ProofBundle } from "@plumbline/proof-bundle"
import { Effect, Stream } from "effect"

import * as Vault from "../support/vault.ts"
import * as World from "../support/world.ts"

const url = process.env["PLUMBLINE_TEST_IPFS_URL"]

describe("a bundle on a real node", () => {
  it.live.skipIf(url === undefined)(
    "is published, pinned, and fetched by both of its CIDs (SKIPPED without PLUMBLINE_TEST_IPFS_URL)",
    () =>
      Effect.gen(function* () {
        const world = yield* Effect.promise(() => World.make(Vault.accounts))
        const contracts = [{ address: Vault.vault, layout: Vault.layout, paths: ["name", "owner"] }]
        const { value: bundle } = yield* Effect.provide(ProofBundle.make({ block: world.hash, contracts }), world.eth)
        const file = Buffer.from(ProofBundle.encode(bundle))
        const { list, root } = yield* BundleIpfs.publish(bundle)
        const pins = yield* IpfsClient.IpfsClient.use((ipfs) => Stream.runCollect(ipfs.pinLs({ paths: [list] })))
        assert.deepStrictEqual(
          pins.map(({ type }) => type),
          ["recursive"]
        )
        for (const cid of [list, root]) {
          const fetched = yield* BundleIpfs.fetch(cid, world.hash)
          assert.isTrue(file.equals(ProofBundle.encode(fetched)))
        }
      }).pipe(Effect.provide(IpfsClient.layerFetch({ url: url! })))
  )
})
