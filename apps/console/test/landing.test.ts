import * as History from "@plumbline/devnet/history/History"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import * as Effect from "effect/Effect"
import { keccak256 } from "js-sha3"
import { describe, expect, test } from "vitest"

import * as AcceptedTrust from "../src/chain/AcceptedTrust.ts"
import { recorded } from "../src/landing/recordedProof.ts"
import { registry } from "../src/look/useAtom.ts"
import { isRecorded } from "../src/parts/RecordedChain.tsx"
import { checkPath } from "../src/proof/ProofPath.ts"
import { valueOf } from "../src/proof/ProofWording.ts"
import * as ConsoleRoute from "../src/route/ConsoleRoute.ts"

const { gathered, subject } = recorded

describe("the newest blocks", () => {
  test("of an embedded chain are those of the recording, until it has a new block", () => {
    const noon = 1_780_000_000n
    const now = Number(noon) * 1000
    expect(isRecorded(true, noon - 86_401n, now)).toBe(true)
    expect(isRecorded(true, noon - 86_400n, now)).toBe(false)
    expect(isRecorded(false, noon - 86_401n, now)).toBe(false)
    expect(isRecorded(true, undefined, now)).toBe(false)
  })
})

describe("the recorded line", () => {
  test("is that of the history chain: the hash of its last block, and the balance that its node names", async () => {
    expect(gathered.block).toEqual({ hash: HistoryChain.head.hash, number: BigInt(HistoryChain.head.number) })
    const [header] = gathered.evidence.parts
    expect(`0x${keccak256((header as { readonly bytes: Uint8Array }).bytes)}`).toBe(HistoryChain.head.hash)
    const address = (subject as { readonly address: string }).address
    const balance = await Effect.runPromise(
      Effect.flatMap(EthClient.make, (eth) => eth.getBalance(address as never, "latest")).pipe(
        Effect.provide(History.layerTransport())
      )
    )
    const path = checkPath(gathered.evidence, subject)
    expect(path.broken).toBeUndefined()
    expect(valueOf(path.value!, subject).whole).toBe(String(balance))
  })

  test("breaks at the row with the flipped bit, and has no value then", () => {
    for (const [at, { id }] of checkPath(gathered.evidence, subject).stations.entries()) {
      const path = checkPath(gathered.evidence, subject, [{ station: id, byte: 20, bit: 0 }])
      // the account lies inside of the node above it
      expect(path.broken?.station).toBe(at)
      expect(path.value).toBeUndefined()
    }
  })
})

const HASH = `0x${"ab".repeat(32)}`
const network = { name: "live", chainId: 1, beacon: null, anchor: null }
const beacon = { path: "/b", checkpoint: HASH as never, network: {} }

describe("an announced anchor", () => {
  test("is the checkpoint of a beacon chain, else a block, else none", () => {
    expect(AcceptedTrust.announced(network)).toBeUndefined()
    expect(AcceptedTrust.announced({ ...network, anchor: HASH as never })).toEqual({
      kind: "block",
      hash: HASH,
      trust: HASH
    })
    expect(AcceptedTrust.announced({ ...network, beacon, anchor: `0x${"01".repeat(32)}` as never })).toEqual({
      kind: "checkpoint",
      hash: HASH,
      trust: `checkpoint:${HASH}`
    })
  })

  test("is the anchor of the places of its network once it is accepted; an anchor of a link waits for its own consent", () => {
    const anchors = new Map([["live", AcceptedTrust.announced({ ...network, beacon })!]])
    const at = (path: string, acceptance: Partial<AcceptedTrust.Acceptance> = { anchors }): string => {
      const [pathname = "", search = ""] = path.split("?")
      const place = ConsoleRoute.parse(`/console${pathname}`, search)
      return ConsoleRoute.link(AcceptedTrust.applied(place, { anchors: new Map(), ids: [], ...acceptance })).href
    }
    expect(at("/live/block/5")).toBe(`/console/live/block/5?trust=checkpoint:${HASH}`)
    expect(at("/live/proof/latest/header/stateRoot")).toContain(`?trust=checkpoint:${HASH}`)
    expect(at("/history/block/5")).toBe("/console/history/block/5")
    expect(at("/overview")).toBe("/console/overview")
    const other = `0x${"02".repeat(32)}`
    for (const trust of [other, `checkpoint:${other}`, `checkpoint:${HASH}`]) {
      const linked = `/live/block/5?trust=${trust}`
      expect(at(linked, {})).toBe("/console/live/block/5")
      expect(at(linked)).toBe(`/console/live/block/5?trust=checkpoint:${HASH}`)
      expect(at(linked, { anchors, ids: [AcceptedTrust.idOf("live", trust)] })).toBe(`/console${linked}`)
      // the consent is for one network and one anchor
      expect(at(linked, { ids: [AcceptedTrust.idOf("history", trust)] })).toBe("/console/live/block/5")
    }
    expect(at(`/live/block/5?trust=checkpoint:${other}`, { ids: [AcceptedTrust.idOf("live", other)] })).toBe(
      "/console/live/block/5"
    )
  })

  test("is accepted for one chain: another genesis under the same name and id needs another consent", () => {
    const of = (root: string, checkpoint: string) =>
      AcceptedTrust.idOfAnnounced({
        ...network,
        beacon: { ...beacon, checkpoint: checkpoint as never, network: { genesisValidatorsRoot: root } }
      })
    const other = `0x${"02".repeat(32)}`
    expect(of(HASH, other)).toBe(of(HASH, HASH))
    expect(of(other, HASH)).not.toBe(of(HASH, HASH))
  })

  test("is trusted no more once its anchor is revoked, and stays trusted if another anchor is revoked", () => {
    const announcing = { ...network, name: "revoking", beacon }
    const own = AcceptedTrust.idOfAnnounced(announcing)
    const other = `0x${"02".repeat(32)}`
    const left = () => registry.get(AcceptedTrust.consents).filter((id) => id.startsWith("revoking "))
    AcceptedTrust.accept(announcing)
    AcceptedTrust.choose("revoking", `checkpoint:${HASH}`)
    AcceptedTrust.choose("revoking", other)
    AcceptedTrust.revoke(announcing, other)
    expect(left()).toEqual([AcceptedTrust.idOf("revoking", `checkpoint:${HASH}`), own])
    AcceptedTrust.revoke(announcing, `checkpoint:${HASH}`)
    expect(left()).toEqual([])
  })
})
