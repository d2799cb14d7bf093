/**
 * A beacon chain for a page. Its answers are made here with test keys, and replace those of the service.
 *
 * Its newest block proves the head of the embedded history. The test chooses the signers.
 */
import * as Codec from "@plumbline/beacon-light-client/container/Codec"
import * as MadeChain from "@plumbline/beacon-light-client/make/MadeChain"
import * as MadeNetwork from "@plumbline/beacon-light-client/make/MadeNetwork"
import * as BeaconNetwork from "@plumbline/beacon-light-client/network/Network"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as Schema from "effect/Schema"
import type { Page } from "playwright-core"

/** The number of seats, the same as on public networks. */
export const SEATS = 512

/** The path of the beacon API, on the page's own origin. */
const PATH = "/beacon_of_a_test"

/**
 * The slot of the checkpoint, and the slot of the signed block. Both are in one period, so they have the same
 * committee.
 */
const START = 130n
const ATTESTED = 160n

/**
 * For each choice of `support`: the first slot whose beacon block names the head of the history. For `none`, this slot
 * comes after the signed block.
 */
const FIRST = { checkpoint: START, finalized: 150n, optimistic: ATTESTED, none: ATTESTED + 1n } as const

/** The number of the older block of the history. The beacon blocks of earlier slots name this block. */
export const OLDER = 60

/** The choices of a test. */
export interface Story {
  /** The seats that sign. */
  readonly signers: ReadonlyArray<number>
  /**
   * The support of the beacon block that first names the history's head: it is the checkpoint, finalized, optimistic,
   * or not signed (`none`). Earlier beacon blocks name an older block.
   */
  readonly support: keyof typeof FIRST
  /** True if the node answers every question with 404. */
  readonly isSilent?: boolean
}

/**
 * Makes a beacon chain, and gives it to a page as the beacon chain of the network `history`. Returns the value of
 * `trust` for a link to the page.
 */
export const under = async (page: Page, { isSilent = false, signers, support }: Story) => {
  const network = MadeNetwork.make({
    name: "test",
    syncCommitteeSize: SEATS,
    forks: MadeNetwork.make({ apart: 0n }).forks.filter(({ name }) => name !== "gloas"),
    // with this genesis, the current slot is the one after the slot of the signature
    genesisTime: BigInt(Math.floor(Date.now() / 1000)) - 6n * (ATTESTED + 2n)
  })
  const plain = MadeChain.make(network)
  const { header } = plain.bootstrap(START)
  if (header._tag !== "WithPayload") throw new Error(header._tag)
  const { execution } = header
  const named = (slot: bigint) => (slot < FIRST[support] ? HistoryChain.blocks[OLDER]! : HistoryChain.head)
  const chain = MadeChain.make(network, {
    execution: (slot) => ({
      ...execution,
      blockHash: Hash32.fromHexUnsafe(named(slot).hash),
      blockNumber: BigInt(named(slot).number)
    })
  })
  const checkpoint = chain.root(START)
  const choice = { attested: ATTESTED, signers, ...(support === "finalized" ? { finalized: FIRST.finalized } : {}) }
  const form = { fork: "fulu", syncCommitteeSize: SEATS } as const
  const answers: Readonly<Record<string, () => unknown>> = {
    bootstrap: () => ({ version: form.fork, data: Codec.bootstrap.toJson(chain.bootstrap(START), form) }),
    updates: () => [{ version: form.fork, data: Codec.update.toJson(chain.update(choice), form) }],
    finality_update: () => ({
      version: form.fork,
      data: Codec.finalityUpdate.toJson(chain.finalityUpdate(choice), form)
    }),
    optimistic_update: () => ({
      version: form.fork,
      data: Codec.optimisticUpdate.toJson(chain.optimisticUpdate(choice), form)
    })
  }
  await page.route("**/console/api/start", async (route) => {
    const answer = await route.fetch()
    const start = await answer.json()
    const beacon = { path: PATH, checkpoint, network: Schema.encodeSync(BeaconNetwork.Network)(network) }
    const networks = start.networks.map((one: { readonly name: string }) =>
      one.name === "history" ? { ...one, beacon } : one
    )
    await route.fulfill({ response: answer, json: { ...start, networks } })
  })
  await page.route(`**${PATH}/**`, (route) => {
    const [, name = ""] = /light_client\/([a-z_]+)/u.exec(route.request().url()) ?? []
    const answer = answers[name]
    return isSilent || answer === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ json: answer() })
  })
  return `checkpoint:${checkpoint}`
}
