/** Tests the server's side of the beacon API: its calls, the forms of its containers, and what a reader makes of both. */
import { assert, describe, it } from "@effect/vitest"
import { BeaconApi, Clock, Codec, Fork, Form, MadeChain, MadeNetwork } from "@plumbline/beacon-light-client"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"

const network = MadeNetwork.make()
const chain = MadeChain.make(network)

/** The first slot of a fork's second epoch, so that its finalized block is of the fork too. */
const slotOf = (fork: Fork.Fork): bigint => (network.forks.find(({ name }) => name === fork)!.epoch + 1n) * 8n + 3n

describe("a container", () => {
  // each block in the form of its own fork, and in every later form that a server may send
  const forms = Fork.all.flatMap((of) =>
    Fork.all.filter((form) => Fork.isFrom(form, of)).map((form) => [of, form] as const)
  )

  it.each(forms)("of a block of %s is kept in the form of %s, and read again as it was", (of, form) => {
    const slot = slotOf(of)
    const named = Form.familyOf(of) === Form.familyOf(form) ? of : Form.familyOf(form)
    const update = chain.update({ attested: slot, finalized: slot - 3n, fork: form })
    const { attestedHeader, finalityBranch, finalizedHeader, signatureSlot, syncAggregate } = update
    const optimistic = { attestedHeader, signatureSlot, syncAggregate }
    const bootstrap = chain.bootstrap(slot, form)
    const read = <A>(codec: Codec.ContainerCodec<A>, written: BeaconApi.SszContainer): A =>
      Result.getOrThrow(BeaconApi.decode(codec, written, network))

    const written = BeaconApi.update(update, network)
    assert.strictEqual(written.fork, named)
    assert.deepStrictEqual(read(Codec.update, written), update)
    const kept = BeaconApi.bootstrap(bootstrap, network)
    assert.strictEqual(kept.fork, named)
    assert.deepStrictEqual(read(Codec.bootstrap, kept), bootstrap)
    const final = { ...optimistic, finalityBranch, finalizedHeader }
    assert.deepStrictEqual(read(Codec.finalityUpdate, BeaconApi.finalityUpdate(update, network)), final)
    assert.deepStrictEqual(read(Codec.optimisticUpdate, BeaconApi.optimisticUpdate(update, network)), optimistic)

    const json: any = JSON.parse(JSON.stringify(Result.getOrThrow(BeaconApi.toJson(Codec.update, written, network))))
    assert.strictEqual(json.version, named)
    const size = { fork: named, syncCommitteeSize: network.syncCommitteeSize }
    assert.deepStrictEqual(Result.getOrThrow(Codec.update.fromJson(json.data, size)), update)
  })

  it("is refused if its bytes are damaged", () => {
    const { bytes, fork } = BeaconApi.update(chain.update({ attested: 200n, finalized: 195n }), network)
    for (const damaged of [bytes.subarray(1), new Uint8Array(0), bytes.subarray(0, 1000)]) {
      const read = BeaconApi.toJson(Codec.update, { fork, bytes: damaged }, network)
      assert.strictEqual(Result.isFailure(read) && read.failure._tag, "RefutedError")
    }
  })
})

describe("a call", () => {
  it("is one of the API, and of nothing else", () => {
    const root = `0x${"Ab".repeat(32)}`
    for (const [path, query, tag] of [
      [`beacon/light_client/bootstrap/${root}`, "", "Bootstrap"],
      ["beacon/light_client/bootstrap/", "", "Invalid"],
      ["beacon/light_client/bootstrap/0x12", "", "Invalid"],
      ["beacon/light_client/updates", "start_period=0&count=1", "Updates"],
      ["beacon/light_client/updates", "count=1&start_period=0&apikey=x", "Updates"],
      ["beacon/light_client/updates", "start_period=0x1&count=1", "Invalid"],
      ["beacon/light_client/updates", "start_period=1&count=1.5", "Invalid"],
      ["beacon/light_client/updates", "start_period=1000000000000000&count=1", "Invalid"],
      ["beacon/light_client/finality_update", "", "FinalityUpdate"],
      ["beacon/light_client/optimistic_update", "x=1", "OptimisticUpdate"],
      ["beacon/genesis", "", "Genesis"],
      ["config/spec", "", "Spec"],
      ["node/health", "", "Health"],
      ["node/version", "", undefined],
      ["beacon/light_client/updates/", "start_period=0&count=1", undefined],
      ["toString", "", undefined],
      ["__proto__", "", undefined],
      ["", "", undefined]
    ] as const) {
      assert.strictEqual(BeaconApi.parse(path, query)?._tag, tag, `${path}?${query}`)
    }
    const found = BeaconApi.parse(`beacon/light_client/bootstrap/${root}`, "")
    assert.deepStrictEqual(found, { _tag: "Bootstrap", root: root.toLowerCase() as never })
  })

  it("has at most 128 updates and a period that a number holds, whatever the text is (fuzz)", () => {
    const words = [
      "start_period",
      "count",
      "=",
      "&",
      "?",
      "0",
      "9",
      "128",
      "-",
      "%",
      "%30",
      "+",
      "e",
      ".",
      "0x",
      "ä",
      "\u0000"
    ]
    const random = Random.make(32)
    for (let run = 0; run < Random.runs(2_000); run++) {
      const text = Array.from({ length: Random.int(random, 12) }, () => Random.pick(random, words)).join("")
      const call = BeaconApi.parse("beacon/light_client/updates", text)
      assert.isTrue(call?._tag === "Updates" || call?._tag === "Invalid")
      if (call?._tag !== "Updates") continue
      assert.isTrue(Number.isSafeInteger(call.count) && call.count >= 0 && call.count <= 128)
      assert.isTrue(call.startPeriod >= 0n && call.startPeriod < 10n ** 15n)
    }
  })

  it("prefers SSZ only if the header says so", () => {
    for (const [accept, isSsz] of [
      ["", false],
      ["*/*", false],
      ["application/json", false],
      ["application/octet-stream", true],
      ["application/octet-stream;q=1, application/json;q=0.9", true],
      ["application/json;q=1,application/octet-stream;q=0.5", false],
      ["application/json, application/octet-stream", false],
      ["Application/Octet-Stream", true],
      // a weight that is no number does not count
      ["application/octet-stream;q=nonsense", true]
    ] as const) {
      assert.strictEqual(BeaconApi.prefersSsz(accept), isSsz, accept)
    }
  })
})

it("names the digest of the fork in whose form a chunk is", () => {
  const slot = slotOf("deneb")
  assert.strictEqual(Clock.forkAt(network, slot), "deneb")
  const digest = (fork: Fork.Fork, at: bigint) =>
    BeaconApi.chunk({ fork, bytes: new Uint8Array(0) }, at, network)
      .subarray(8)
      .join()
  assert.strictEqual(digest("electra", slot), digest("electra", slotOf("electra")))
  assert.notStrictEqual(digest("electra", slot), digest("deneb", slot))
})
