/**
 * Several nodes combined into one keep each promise of the embedded node, in any order of the nodes. The tests are the
 * embedded node's own tests.
 */
import { IpfsEmbedded } from "@plumbline/devnet"
import { ipfsContent } from "@plumbline/devnet/suites/IpfsContent"
import { ipfsDags } from "@plumbline/devnet/suites/IpfsDags"
import { ipfsPins } from "@plumbline/devnet/suites/IpfsPins"
import { IpfsNodes } from "@plumbline/gateway-ipfs"
import { Effect } from "effect"
import { describe } from "vitest"

import * as Upstream from "../../support/IpfsUpstream.ts"

const embeddedFirst = Effect.gen(function* () {
  const dir = yield* Upstream.folder
  const behind = yield* IpfsEmbedded.make({ folder: dir })
  const other = yield* IpfsEmbedded.make({ folder: yield* Upstream.folder })
  const { node } = yield* Effect.orDie(
    IpfsNodes.make({ name: "here", node: behind, isRemote: false }, [
      { name: "there", node: yield* Upstream.kubo(other) }
    ])
  )
  return { node, behind, dir }
})

const upstreamFirst = Effect.gen(function* () {
  const dir = yield* Upstream.folder
  const behind = yield* IpfsEmbedded.make({ folder: dir })
  const other = yield* IpfsEmbedded.make({ folder: yield* Upstream.folder })
  const { node } = yield* Effect.orDie(
    IpfsNodes.make({ name: "there", node: yield* Upstream.kubo(behind) }, [
      { name: "here", node: other, isRemote: false }
    ])
  )
  return { node, behind, dir }
})

describe("the embedded node, and another behind a URL", () => {
  ipfsContent(embeddedFirst)
  ipfsDags(embeddedFirst)
  ipfsPins(embeddedFirst)
})

describe("a node behind a URL, and the embedded one", () => {
  ipfsContent(upstreamFirst)
  ipfsDags(upstreamFirst)
  ipfsPins(upstreamFirst)
})
