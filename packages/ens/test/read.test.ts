/** Reads names on anvil. viem and ethers read the same contracts, and are the oracle. */
import { assert, describe, it } from "@effect/vitest"
import { ContentHash, type Ens, EnsEvidence } from "@plumbline/ens"
import type { Verdict } from "@plumbline/verdict"
import { Effect } from "effect"
import { EnsPlugin, JsonRpcProvider, Network } from "ethers"

import { ALICE, BOB, CAROL, DAVE, ensWorld, ERIN, LONG } from "./support/ensWorld.ts"

const world = ensWorld()

/** Reads, and returns the value of a VERIFIED answer. */
const read = <A>(program: (ens: Ens.Client) => Ens.EnsRead<A>) =>
  Effect.map(world().using(program), (verdict) => {
    assert.strictEqual(verdict._tag, "VERIFIED")
    return verdict.value
  })

const causeOf = ({ proven }: Verdict.Verdict<unknown>) =>
  proven.find((shown) => EnsEvidence.Resolution.is(shown))?.absence

/** Reads, and returns the cause of a proven null. */
const cause = <A>(program: (ens: Ens.Client) => Ens.EnsRead<A>) =>
  Effect.map(world().using(program), (verdict) => {
    assert.strictEqual(verdict._tag, "VERIFIED")
    assert.isNull(verdict.value)
    return causeOf(verdict)
  })

const failure = <A>(program: (ens: Ens.Client) => Ens.EnsRead<A>) =>
  Effect.map(Effect.flip(world().using(program)), (error) =>
    error._tag === "EnsError" ? error.reason._tag : error._tag
  )

const viem = <A>(ask: (entry: { readonly universalResolverAddress: `0x${string}` }) => Promise<A>) =>
  Effect.promise(() => ask({ universalResolverAddress: world().entry }))

const ethers = () => {
  const network = new Network("anvil", 31_337)
  network.attachPlugin(new EnsPlugin(world().registry))
  return new JsonRpcProvider(world().url, network, { staticNetwork: network })
}

const lower = (text: string | null) => text?.toLowerCase() ?? null

describe("the address of a name", () => {
  const names = ["alice.eth", "bob.eth", "old.eth", "sub.wild.eth", "a.b.wild.eth", "wild.eth", "ALICE.eth"]
  it.effect("is that which viem and ethers read", () =>
    Effect.gen(function* () {
      const provider = ethers()
      for (const name of names) {
        const address = yield* read((ens) => ens.address(name))
        const plain = name.toLowerCase()
        const other = yield* viem((entry) => world().viem.getEnsAddress({ name: plain, ...entry }))
        assert.strictEqual(address, lower(other) as typeof address, name)
        assert.strictEqual(address, lower(yield* Effect.promise(() => provider.resolveName(plain))) as typeof address)
        assert.isNotNull(address)
      }
      provider.destroy()
    })
  )

  it.effect("is the one that was set", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read((ens) => ens.address("alice.eth")), ALICE)
      assert.strictEqual(yield* read((ens) => ens.address("old.eth")), CAROL)
    })
  )

  it.effect("is that of the block", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read((ens) => ens.address("alice.eth", { block: world().earlier })), BOB)
    })
  )

  it.effect("is absent, with the cause", () =>
    Effect.gen(function* () {
      for (const [name, expected] of [
        ["nobody.eth", "NoResolver"],
        ["sub.alice.eth", "NoResolver"],
        ["zero.eth", "NoResolver"],
        ["nocode.eth", "NoContract"],
        ["empty.eth", "NoRecord"],
        ["cleared.eth", "NoRecord"]
      ] as const) {
        assert.strictEqual(yield* cause((ens) => ens.address(name)), expected, name)
        assert.isNull(yield* viem((entry) => world().viem.getEnsAddress({ name, ...entry })))
      }
    })
  )

  it.effect("is CLAIMED if nothing ties the block to the chain", () =>
    Effect.gen(function* () {
      const verdict = yield* world().using((ens) => ens.address("alice.eth"), { trust: null })
      assert.strictEqual(verdict._tag, "CLAIMED")
      assert.strictEqual(verdict.value, ALICE)
    })
  )

  it.effect("has the call and the resolver as its evidence", () =>
    Effect.gen(function* () {
      const { proven } = yield* world().using((ens) => ens.address("alice.eth"))
      assert.includeMembers(
        proven.map(({ _tag }) => _tag),
        ["CallRun", "Resolution"]
      )
      assert.strictEqual(
        proven.at(-1)!.sentence,
        `addr of alice.eth is ${ALICE}, by the resolver ${world().contracts["records"]}`
      )
    })
  )
})

describe("other records", () => {
  it.effect("are addresses on other chains, as bytes", () =>
    Effect.gen(function* () {
      for (const coinType of [0n, 60n, 0x8000000an]) {
        const found = yield* read((ens) => ens.coinAddress("alice.eth", coinType))
        const other = yield* viem((entry) => world().viem.getEnsAddress({ name: "alice.eth", coinType, ...entry }))
        assert.strictEqual(found, other, String(coinType))
      }
      assert.strictEqual(yield* cause((ens) => ens.coinAddress("alice.eth", 2n)), "NoRecord")
    })
  )

  it.effect("are texts", () =>
    Effect.gen(function* () {
      for (const [name, key] of [
        ["alice.eth", "description"],
        ["alice.eth", "url"],
        ["deep.wild.eth", "com.github"]
      ] as const) {
        const found = (yield* world().using((ens) => ens.text(name, key))).value
        assert.strictEqual(found, yield* viem((entry) => world().viem.getEnsText({ name, key, ...entry })))
      }
      assert.strictEqual(yield* read((ens) => ens.text("alice.eth", "description")), LONG)
      assert.strictEqual(yield* cause((ens) => ens.text("alice.eth", "url")), "NoRecord")
      // the resolver gives no bytes for this kind of record
      assert.strictEqual(yield* cause((ens) => ens.contentHash("deep.wild.eth")), "NoProfile")
    })
  )

  it.effect("are content hashes", () =>
    Effect.gen(function* () {
      const content = yield* read((ens) => ens.contentHash("alice.eth"))
      const provider = ethers()
      const resolver = yield* Effect.promise(() => provider.getResolver("alice.eth"))
      const other = yield* Effect.promise(() => resolver!.getContentHash())
      provider.destroy()
      assert.strictEqual(other, "ipfs://QmRAQB6YaCyidP37UdDnjFY5vQuiBrcqdyoW1CuDgwxkD4")
      // ethers writes the same CID in version 0
      assert.strictEqual(
        ContentHash.toText(content!),
        "ipfs://bafybeibj6lixxzqtsb45ysdjnupvqkufgdvzqbnvmhw2kf7cfkesy7r7d4"
      )
      assert.deepStrictEqual(yield* read((ens) => ens.contentHash("ipns.eth")), { _tag: "Ipns", name: "example.org" })
      assert.strictEqual(yield* cause((ens) => ens.contentHash("bob.eth")), "NoRecord")
      assert.strictEqual(yield* failure((ens) => ens.contentHash("bad.eth")), "ContentHash")
    })
  )

  it.effect("are resolvers, with the name at which they are set", () =>
    Effect.gen(function* () {
      const { records, wildcard } = world().contracts
      for (const [name, address, setAt] of [
        ["alice.eth", records, "alice.eth"],
        ["sub.alice.eth", records, "alice.eth"],
        ["a.b.wild.eth", wildcard, "wild.eth"]
      ] as const) {
        const found = yield* read((ens) => ens.resolver(name))
        assert.deepStrictEqual<unknown>(found, { address, setAt })
        assert.strictEqual(lower(yield* viem((entry) => world().viem.getEnsResolver({ name, ...entry }))), address!)
      }
      assert.strictEqual(yield* cause((ens) => ens.resolver("nobody.eth")), "NoResolver")
    })
  )
})

describe("the name of an address", () => {
  it.effect("leads back to the address", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read((ens) => ens.name(ALICE)), "alice.eth")
      assert.strictEqual(yield* viem((entry) => world().viem.getEnsName({ address: ALICE, ...entry })), "alice.eth")
      assert.strictEqual(yield* read((ens) => ens.name(BOB, { coinType: 0x8000000an })), "alice.eth")
      const provider = ethers()
      assert.strictEqual(yield* Effect.promise(() => provider.lookupAddress(ALICE)), "alice.eth")
      provider.destroy()
    })
  )

  it.effect("is absent, with the cause", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* cause((ens) => ens.name(CAROL)), "OtherAddress")
      assert.strictEqual(yield* cause((ens) => ens.name(DAVE)), "NoRecord")
      assert.strictEqual(yield* cause((ens) => ens.name(BOB)), "NoResolver")
      for (const address of [CAROL, DAVE, BOB] as const) {
        assert.isNull(yield* viem((entry) => world().viem.getEnsName({ address, ...entry })))
      }
    })
  )

  it.effect("is refused if it is not in its normal form", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* failure((ens) => ens.name(ERIN)), "PrimaryName")
      // viem shows it as it is
      assert.strictEqual(yield* viem((entry) => world().viem.getEnsName({ address: ERIN, ...entry })), "Alice.eth")
    })
  )
})

describe("a failure is never an absence:", () => {
  it.effect("a resolver that answers nonsense, or reverts", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* failure((ens) => ens.address("faulty.eth")), "Malformed")
      assert.strictEqual(yield* failure((ens) => ens.coinAddress("faulty.eth", 0n)), "Malformed")
      assert.strictEqual(yield* failure((ens) => ens.text("faulty.eth", "url")), "ResolverReverted")
      // no bytes say why
      assert.strictEqual(yield* failure((ens) => ens.text("faulty.eth", "")), "ResolverReverted")
      assert.strictEqual(yield* cause((ens) => ens.contentHash("faulty.eth")), "NoProfile")
    })
  )

  it.effect("no contract at the address of the Universal Resolver", () =>
    Effect.gen(function* () {
      const chain = { chainId: 31_337n, universalResolver: ERIN as never }
      const error = yield* Effect.flip(world().using((ens) => ens.address("alice.eth"), { chain }))
      assert.strictEqual(error._tag === "EnsError" && error.reason._tag, "NoUniversalResolver")
      // the default is mainnet, which this chain is not
      const other = yield* Effect.flip(world().using((ens) => ens.address("alice.eth"), { chain: undefined }))
      assert.strictEqual(other._tag === "EnsError" && other.reason._tag, "NoUniversalResolver")
    })
  )

  it.effect("another contract there", () =>
    Effect.gen(function* () {
      const chain = { chainId: 31_337n, universalResolver: world().contracts["records"] as never }
      const error = yield* Effect.flip(world().using((ens) => ens.address("alice.eth"), { chain }))
      assert.strictEqual(error._tag === "EnsError" && error.reason._tag, "CallFailed")
    })
  )

  it.effect("arguments that are out of bounds", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* failure((ens) => ens.address("a..eth")), "EnsNameError")
      assert.strictEqual(yield* failure((ens) => ens.coinAddress("alice.eth", -1n)), "Argument")
      assert.strictEqual(yield* failure((ens) => ens.coinAddress("alice.eth", 1n << 256n)), "Argument")
      assert.strictEqual(yield* failure((ens) => ens.text("alice.eth", "k".repeat(1025))), "Argument")
      assert.strictEqual(yield* failure((ens) => ens.text("alice.eth", "\ud800")), "Argument")
      assert.strictEqual(yield* failure((ens) => ens.name("0x12")), "Argument")
    })
  )
})
