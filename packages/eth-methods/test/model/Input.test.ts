/**
 * Addresses, hashes and keys as plain text: each client accepts them, and refuses a wrong text before it sends
 * anything.
 */
import { assert, describe, it } from "@effect/vitest"
import { Address, Hash32 } from "@plumbline/codec"
import {
  EthClient,
  EthMethods,
  EthSubscriptions,
  Input,
  ProvenEthClient,
  TrustedBlock,
  VerdictEthClient
} from "@plumbline/eth-methods"
import { JsonRpcClient, type JsonRpcError, PromiseClient, Subscriptions, Transport } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Layer, Result, Stream } from "effect"
import { getAddress, isAddress } from "viem"

type Failed = { readonly _tag: string; readonly reason?: JsonRpcError.Reason }

/** The reads of every kind of client, without their types, because untyped programs can pass any value. */
type Client = Readonly<Record<string, (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, any>>>

/** Makes every client over a node that answers nothing and records the calls that it gets. */
const clients = () => {
  const asked: Array<Transport.WireCall> = []
  const transport = Transport.Transport.of({
    call: (call) => Effect.sync(() => (asked.push(call), null)),
    callAll: (calls) => Effect.sync(() => (asked.push(...calls), calls.map(() => Result.succeed(null))))
  })
  const eth = Effect.runSync(Effect.provideService(EthClient.make, Transport.Transport, transport))
  const trust = TrustedBlock.TrustedBlock.of({
    resolve: () => Effect.succeed({ _tag: "OnChain", hash: Hash32.ZERO, by: "a test" })
  })
  const promises = PromiseClient.create({
    transport: Layer.succeed(Transport.Transport, transport),
    group: EthMethods.group,
    stack: false
  })
  const bare = { getBalance: () => Effect.die("asked"), getProof: () => Effect.die("asked") }
  return {
    asked,
    promises,
    all: {
      plain: eth,
      proven: ProvenEthClient.make(eth, trust),
      verdict: VerdictEthClient.make(eth, trust),
      "made by hand": { ...VerdictEthClient.make(eth, trust), ...EthClient.checked(bare) }
    } as unknown as Readonly<Record<string, Client>>
  }
}

const detailOf = (error: Failed): string =>
  error.reason?._tag === "EncodeError" ? error.reason.message : `${error._tag} ${error.reason?._tag}`

/** The example of EIP-55. */
const GOOD = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const WRONG = "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const HASH = `0x${"ab".repeat(32)}` as const

const CHECKSUM =
  "the checksum of the address is wrong (EIP-55). Compare the address with its source, or write it in lower case to skip the checksum"
const SHAPE = "Expected 0x hex data of 20 bytes"

describe("an address as plain text", () => {
  const faults: ReadonlyArray<readonly [text: string, detail: string]> = [
    [WRONG, CHECKSUM],
    [GOOD.slice(0, -1), SHAPE],
    [`${GOOD}0`, SHAPE],
    [GOOD.slice(2), SHAPE],
    [`0X${GOOD.slice(2)}`, SHAPE],
    [GOOD.replace("5", "g"), SHAPE],
    [` ${GOOD.slice(1)}`, SHAPE],
    ["0x", SHAPE],
    ["", SHAPE]
  ]

  it.effect.each(["plain", "proven", "verdict", "made by hand"])("is checked before anything is sent: %s", (name) =>
    Effect.gen(function* () {
      const { all, asked } = clients()
      for (const [text, detail] of faults) {
        for (const read of [all[name]!["getBalance"]!(text), all[name]!["getProof"]!(text, [])]) {
          const error: Failed = yield* Effect.flip(read)
          assert.strictEqual(detailOf(error), `params.address: ${detail}`, text)
          if (text.length > 2) assert.notInclude(JSON.stringify(error), text.slice(2))
        }
      }
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect("is taken with its checksum, in lower case and in upper case", () =>
    Effect.gen(function* () {
      for (const name of ["plain", "proven", "verdict"]) {
        for (const text of [GOOD, GOOD.toLowerCase(), `0x${GOOD.slice(2).toUpperCase()}`]) {
          const { all, asked } = clients()
          const error: Failed = yield* Effect.flip(Effect.asVoid(all[name]!["getBalance"]!(text)))
          assert.notStrictEqual(error.reason?._tag, "EncodeError", `${name} ${text}`)
          assert.isAbove(asked.length, 0)
        }
      }
    })
  )

  it("is refused exactly where viem refuses it", async () => {
    const random = Random.make(55)
    const { promises } = clients()
    let wrong = 0
    for (let run = 0; run < Random.runs(60) * 5; run++) {
      const lower = `0x${Array.from({ length: 40 }, () => "0123456789abcdef"[Random.int(random, 16)]).join("")}`
      const mistyped = Array.from(getAddress(lower), (char) =>
        Random.int(random, 40) === 0 && /[a-f]/iu.test(char)
          ? char === char.toLowerCase()
            ? char.toUpperCase()
            : char.toLowerCase()
          : char
      ).join("")
      for (const text of [lower, getAddress(lower), getAddress(lower, 30), getAddress(lower, 31), mistyped]) {
        const failed = await promises.methods.eth_getCode(text as `0x${string}`).catch((error: Failed) => error)
        const isRefused = typeof failed === "object" && detailOf(failed) === `params.address: ${CHECKSUM}`
        // viem refuses addresses all in upper case, which have no checksum
        const isUpper = text.slice(2) === text.slice(2).toUpperCase()
        // viem takes the checksums of EIP-1191 only for a chain that the caller names
        const isRootstock = [30, 31].some((chainId) => getAddress(lower, chainId) === text)
        assert.strictEqual(isRefused, !isUpper && !isAddress(text) && !isRootstock, text)
        if (isRefused) wrong++
      }
    }
    assert.isAbove(wrong, 0)
    await promises.close()
  })

  it.effect("is found wherever a method has one, and nowhere else", () =>
    Effect.gen(function* () {
      const eth = clients().all["plain"] as unknown as EthClient.Client
      const item = { address: WRONG, storageKeys: [] } as const
      const cases: ReadonlyArray<readonly [Effect.Effect<unknown, JsonRpcError.JsonRpcError>, string | undefined]> = [
        [eth.getLogs({ address: WRONG }), "filter.address"],
        [eth.getLogs({ address: [GOOD, WRONG] }), "filter.address[1]"],
        [eth.getStorageValues({ [WRONG]: ["0x0"] }), `slots.${WRONG}`],
        [eth.call({ to: WRONG }), "transaction.to"],
        [eth.call({ from: WRONG, to: GOOD }), "transaction.from"],
        [eth.estimateGas({ accessList: [item] }), "transaction.accessList[0].address"],
        [eth.call({ to: GOOD }, "latest", { [WRONG]: { nonce: 1n } }), `stateOverride.${WRONG}`],
        [
          eth.call({}, "latest", { [GOOD]: { movePrecompileToAddress: WRONG } }),
          `stateOverride.${GOOD}.movePrecompileToAddress`
        ],
        [eth.call({}, "latest", {}, { feeRecipient: WRONG }), "blockOverride.feeRecipient"],
        // data of twenty bytes is not an address, so it is not checked
        [eth.call({ to: GOOD, data: WRONG }), undefined],
        [eth.call({ input: WRONG }, "latest", { [GOOD]: { code: WRONG } }), undefined]
      ]
      for (const [read, path] of cases) {
        const error = yield* Effect.flip(read)
        if (path === undefined) assert.strictEqual(error.reason._tag, "DecodeError")
        else assert.strictEqual(detailOf(error), `params.${path}: ${CHECKSUM}`)
      }
      const subscriptions = Subscriptions.Subscriptions.of({ subscribe: () => Stream.die("asked") })
      const subscribe = yield* Effect.provideService(
        JsonRpcClient.subscribe(EthSubscriptions.logs),
        Subscriptions.Subscriptions,
        subscriptions
      )
      const error = yield* Effect.flip(Stream.runDrain(subscribe({ address: WRONG })))
      assert.strictEqual(detailOf(error), `params.filter.address: ${CHECKSUM}`)
    })
  )
})

describe("hashes, blocks and keys as plain text", () => {
  it.effect.each(["plain", "proven", "verdict"])("are checked before anything is sent: %s", (name) =>
    Effect.gen(function* () {
      const { all, asked } = clients()
      const client = all[name]!
      for (const text of [HASH.slice(0, -1), `${HASH}0`, HASH.slice(2), `0X${HASH.slice(2)}`, HASH.replace("a", "g")]) {
        const reads = [
          client["getBlockByHash"]!(text),
          client["getTransactionByHash"]!(text),
          client["getBlockReceipts"]!(text),
          client["getBlockReceipts"]!({ blockHash: text }),
          client["getBalance"]!(GOOD, text),
          client["getLogs"]!({ blockHash: text }),
          client["getLogs"]!({ topics: [text] })
        ]
        for (const read of reads) assert.match(detailOf(yield* Effect.flip(read)), /^params\./u, text)
      }
      for (const key of ["0", "0x+1", `0x${"1".repeat(65)}`, "0X1"]) {
        const reads = [
          client["getStorageAt"]!(GOOD, key),
          client["getProof"]!(GOOD, [key]),
          client["getStorageValues"]!({ [GOOD]: [key] })
        ]
        for (const read of reads) assert.match(detailOf(yield* Effect.flip(read)), /^params\./u, key)
      }
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect("are taken as they are, and short keys of storage are sent with 32 bytes", () =>
    Effect.gen(function* () {
      const slot = `0x${"7".padStart(64, "0")}`
      for (const name of ["plain", "verdict"]) {
        for (const key of ["0x7", "0x07", slot]) {
          const { all, asked } = clients()
          const client = all[name]!
          for (const read of [
            client["getStorageAt"]!(GOOD, key, HASH),
            client["getProof"]!(GOOD, [key], HASH),
            client["getStorageValues"]!({ [GOOD]: [key] }, HASH)
          ]) {
            yield* Effect.exit(read)
          }
          const sent = asked.filter(({ method }) => !method.startsWith("eth_getBlock")).map(({ params }) => params)
          assert.isAtLeast(sent.length, 3)
          for (const params of sent) assert.include(JSON.stringify(params), slot)
          for (const params of sent) assert.notInclude(JSON.stringify(params), '"0x7"')
        }
      }
    })
  )

  it.effect("are refused where trust is made of them", () =>
    Effect.gen(function* () {
      for (const text of [HASH.slice(0, -1), `${HASH}0`, `0X${HASH.slice(2)}`]) {
        const trust = TrustedBlock.layerPinned(text as `0x${string}`)
        const resolved = TrustedBlock.TrustedBlock.use(({ resolve }) => resolve("latest"))
        const error = yield* Effect.flip(Effect.provide(resolved, trust))
        assert(error._tag === "JsonRpcError" && error.reason._tag === "EncodeError")
        assert.deepStrictEqual(error.reason.path, ["hash"])
      }
    })
  )
})

it("are one type for the compiler: a literal, a text that begins with 0x, and a value with a brand", () => {
  const check = (eth: EthClient.Client, verdicts: VerdictEthClient.Client, text: `0x${string}`, any: string) => [
    eth.getBalance("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
    eth.getBalance(text, "latest"),
    eth.getBalance(Address.fromHexUnsafe(text), Hash32.ZERO),
    eth.getStorageAt(text, "0x0", { blockHash: text, requireCanonical: true }),
    eth.getLogs({ address: [text, Address.fromHexUnsafe(text)], topics: [[text], null, Hash32.ZERO] }),
    eth.getStorageValues({ [text]: ["0x1", Hash32.ZERO] }),
    eth.call({ to: text, accessList: [{ address: text, storageKeys: [text] }] }, 5n),
    verdicts.getTransactionReceipt(text),
    verdicts.getProof(text, ["0x0", Hash32.ZERO], "finalized"),
    // @ts-expect-error the text may lack the prefix 0x
    eth.getBalance(any),
    // @ts-expect-error this is not a tag
    eth.getBalance(text, "newest"),
    // @ts-expect-error the prefix of hex must be in lower case
    eth.getCode("0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
    // @ts-expect-error a number is not a key; StorageKey.fromSlot makes a key from a number
    verdicts.getStorageAt(text, 0n)
  ]
  assert.isFunction(check)
  const branded: Address.Address = Address.fromHexUnsafe(GOOD)
  const input: Input.Address = branded
  assert.strictEqual(input, GOOD)
})

describe("arguments of others", () => {
  it("lose the checksums of their addresses, and nothing else", () => {
    const args = [
      { to: WRONG, data: HASH.toUpperCase().replace("0X", "0x"), [WRONG]: [WRONG] },
      "latest",
      5n,
      null,
      undefined
    ]
    const lower = WRONG.toLowerCase()
    assert.deepStrictEqual(Input.withoutChecksums(args) as Array<unknown>, [
      { to: lower, data: HASH.toUpperCase().replace("0X", "0x"), [lower]: [lower] },
      "latest",
      5n,
      null,
      undefined
    ])
  })
})
