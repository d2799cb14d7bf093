/**
 * A beacon chain for a page: its answers are made here, with keys of a test, and stand in the place of the service's.
 *
 * Its newest block vouches for the head of the embedded history. The signers are the test's choice.
 */
import * as Codec from "@plumbline/beacon-light-client/container/Codec"
import * as MadeChain from "@plumbline/beacon-light-client/make/MadeChain"
import * as MadeNetwork from "@plumbline/beacon-light-client/make/MadeNetwork"
import * as BeaconNetwork from "@plumbline/beacon-light-client/network/Network"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as Schema from "effect/Schema"
import type { Page } from "playwright-core"

/** The number of seats: that of public networks. */
export const SEATS = 512

/** The path of the API on the page's origin. */
const PATH = "/beacon_of_a_test"

/** The slot of the checkpoint, and that of the signed block, in one period: the committee is that of the checkpoint. */
const START = 130n
const ATTESTED = 160n

/** The first slot that names the head. With `none`, no signed slot names it. */
const FIRST = { checkpoint: START, finalized: 150n, optimistic: ATTESTED, none: ATTESTED + 1n } as const

/** The number of the block that the slots before it name. */
export const OLDER = 60

/** The choices of a test. */
export interface Story {
  /** The seats that sign. */
  readonly signers: ReadonlyArray<number>
  /** The support of the first beacon block that names the history's head. Those before it name an older block. */
  readonly support: keyof typeof FIRST
  /** True if the node answers every question with 404. */
  readonly isSilent?: boolean
}

/** Puts the chain under the network `history` of a page. Returns the link's `trust`. */
export const under = async (page: Page, { isSilent = false, signers, support }: Story) => {
  const network = MadeNetwork.make({
    name: "test",
    syncCommitteeSize: SEATS,
    forks: MadeNetwork.make({ apart: 0n }).forks.filter(({ name }) => name !== "gloas"),
    // the present is within a slot after the signature
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
