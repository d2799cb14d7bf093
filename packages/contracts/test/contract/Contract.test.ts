/** Contracts compiled by solc on anvil: what is read is what viem and ethers read. */
import { assert, it, layer } from "@effect/vitest"
import type { Hash32 } from "@plumbline/codec"
import { Contract, ContractCall, ContractError, Erc1155, Erc20, Erc721, VerdictContract } from "@plumbline/contracts"
import { EthEvidence, EthReason } from "@plumbline/eth-methods"
import { JsonRpcError } from "@plumbline/jsonrpc-core"
import { Cause, Effect, Exit, Result } from "effect"
import * as ethers from "ethers"
import * as viem from "viem"

import { Deployed, type Lie, type Packets, plainly, provenly, withVerdicts } from "../support/deployed.ts"

const OTHER = "0x00000000219ab540356cbb839cbe05303d7705fa"

/** Functions, arguments as viem takes them, and arguments as ethers takes them if they differ. */
const reads: ReadonlyArray<readonly [name: string, args: ReadonlyArray<unknown>, signature: string]> = [
  ["nothing", [], "nothing()"],
  ["one", [], "one()"],
  ["several", [], "several()"],
  ["texts", ["naïve 🌍", "0x0102"], "texts(string,bytes)"],
  ["texts", ["", "0x"], "texts(string,bytes)"],
  [
    "line",
    [{ from: { x: 1, y: -2n }, more: [{ x: 3, y: 4n }], name: "a line" }],
    "line(((uint8,int64),(uint8,int64)[],string))"
  ],
  ["unnamed", [], "unnamed()"],
  ["over", [7n], "over(uint256)"],
  ["over", [true], "over(bool)"],
  ["over", [OTHER, "b"], "over(address,string)"],
  ["counter", [], "counter()"],
  ["balanceOf", [OTHER], "balanceOf(address)"],
  ["long", [], "long()"]
]

const lower = (value: unknown): unknown => {
  if (typeof value === "string") return value.toLowerCase()
  if (typeof value !== "object" || value === null) return value
  return Array.isArray(value)
    ? value.map(lower)
    : Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, lower(inside)]))
}

/** Returns a value as ethers gives it: without names, and with all integers as bigints. */
const plain = (value: unknown): unknown => {
  if (typeof value === "number") return BigInt(value)
  if (typeof value === "string") return value.toLowerCase()
  if (typeof value !== "object" || value === null) return value
  return Object.values(value).map(plain)
}

const latest = Effect.flatMap(Deployed, ({ client }) =>
  Effect.promise(async () => (await client.getBlock()).hash as Hash32.Hash32)
)

/** The failure of an effect. */
const failureOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<E, never, R> =>
  Effect.map(Effect.exit(effect), (exit) => {
    if (Exit.isSuccess(exit)) throw new Error(`no failure: ${JSON.stringify(exit.value, (_, v) => String(v))}`)
    return Result.getOrThrow(Cause.findError(exit.cause))
  })

layer(Deployed.layer, { timeout: "60 seconds" })("contracts on a chain that rests", (it) => {
  it.effect("values are those of viem and ethers, and are proven", () =>
    Effect.gen(function* () {
      const { client, subject, url } = yield* Deployed
      const hash = yield* latest
      const provider = new ethers.JsonRpcProvider(url, undefined, { staticNetwork: true, batchMaxCount: 1 })
      const other = new ethers.Contract(subject.address, subject.abi as ethers.InterfaceAbi, provider)
      for (const [name, args, signature] of reads) {
        const expected = yield* Effect.promise(() =>
          client.readContract({ ...subject, functionName: name, args: args })
        )
        const value = yield* plainly((eth) => Contract.make(eth, subject).read(name, args))
        assert.deepStrictEqual(value, lower(expected), signature)
        const theirs = yield* Effect.promise(() => other.getFunction(signature).staticCallResult(...args))
        const several = Array.isArray(value) && theirs.length > 1 ? value : value === undefined ? [] : [value]
        assert.deepStrictEqual(several.map(plain), theirs.toArray(true).map(plain), signature)
        const proven = yield* provenly(hash, (eth) => Contract.make(eth, subject).read(name, args))
        assert.deepStrictEqual(proven, value, signature)
        const verdict = yield* withVerdicts(hash, (eth) => VerdictContract.make(eth, subject).read(name, args))
        assert.strictEqual(verdict._tag, "VERIFIED", signature)
        assert.deepStrictEqual(verdict.value, value, signature)
        assert.isTrue(verdict.proven.some(EthEvidence.CallRun.is), signature)
      }
      provider.destroy()
    })
  )

  const reverts: ReadonlyArray<readonly [name: string, args: ReadonlyArray<unknown>, decoded: unknown]> = [
    ["plain", [], { name: "Plain", args: [] }],
    ["insufficient", [OTHER], { name: "Insufficient", args: [OTHER, 1n, 2n] }],
    ["nested", [], { name: "Nested", args: [{ x: 1, y: -2n }, ["w"]] }],
    ["text", [], { name: "Error", args: ["a reason"] }],
    ["panic", [3n], { name: "Panic", args: [0x32n] }],
    ["silent", [], undefined],
    ["foreign", [], undefined]
  ]

  it.effect("reverts are decoded by the ABI, as viem decodes them, and are proven", () =>
    Effect.gen(function* () {
      const { client, subject } = yield* Deployed
      const hash = yield* latest
      for (const [name, args, decoded] of reverts) {
        const theirs = yield* Effect.promise(() =>
          client.readContract({ ...subject, functionName: name, args: args }).then(
            () => undefined,
            (error: viem.BaseError) =>
              error.walk(
                (inner) => inner instanceof viem.ContractFunctionRevertedError
              ) as viem.ContractFunctionRevertedError
          )
        )
        for (const client of ["plain", "proven", "verdict"] as const) {
          const read = (eth: any): Effect.Effect<unknown, any> =>
            client === "verdict"
              ? VerdictContract.make(eth, subject).read(name, args)
              : Contract.make(eth, subject).read(name, args)
          const error = yield* failureOf<unknown, any, Deployed>(
            client === "plain" ? plainly(read) : client === "proven" ? provenly(hash, read) : withVerdicts(hash, read)
          )
          assert.instanceOf(error, ContractError.RevertedError, `${name} ${client}`)
          const { decoded: ours, data, verdict } = error
          assert.deepStrictEqual(ours, decoded as never)
          if (name !== "silent") assert.strictEqual(data, theirs!.raw)
          if (decoded !== undefined) {
            assert.strictEqual(theirs!.data!.errorName, ours!.name)
            assert.deepStrictEqual(lower(theirs!.data!.args ?? []), ours!.args)
          }
          assert.strictEqual(verdict?._tag, client === "verdict" ? "VERIFIED" : undefined)
        }
      }
    })
  )

  it.effect("a call that ends in another way is a halt with its verdict, or the node's error", () =>
    Effect.gen(function* () {
      const { subject } = yield* Deployed
      const hash = yield* latest
      const options = { gas: 100_000n }
      const halted = yield* failureOf(
        withVerdicts(hash, (eth) => VerdictContract.make(eth, subject).read("endless", [], options))
      )
      assert.instanceOf(halted, ContractError.HaltedError)
      assert.deepStrictEqual([halted.halt, halted.verdict?._tag], ["out of gas", "VERIFIED"])
      const error = yield* failureOf(plainly((eth) => Contract.make(eth, subject).read("endless", [], options)))
      assert.strictEqual(error._tag, "JsonRpcError")
    })
  )

  it.effect("bytes that are no value of the type are an error that holds them", () =>
    Effect.gen(function* () {
      const { account, subject } = yield* Deployed
      const hash = yield* latest
      for (const [name, fault] of [
        ["dirty", "NotCanonical"],
        ["short", "OutOfData"],
        ["broken", "NotUtf8"]
      ] as const) {
        const error = yield* failureOf(withVerdicts(hash, (eth) => VerdictContract.make(eth, subject).read(name)))
        assert.instanceOf(error, ContractError.ReturnedDataError)
        assert.strictEqual(error.fault.fault, fault)
        assert.strictEqual(error.verdict?._tag, "VERIFIED")
        const outcome = error.verdict!.value
        assert.strictEqual(outcome._tag === "Returned" && outcome.data, error.fault.data)
      }
      // an account without code
      const none = yield* failureOf(plainly((eth) => Contract.make(eth, Erc20.at(account)).read("decimals")))
      assert.instanceOf(none, ContractError.ReturnedDataError)
      assert.include(none.message, "it returned no bytes. Check the address")
    })
  )

  it.effect("wrong names and arguments fail before anything is sent", () =>
    Effect.gen(function* () {
      const { subject } = yield* Deployed
      const packets: Packets = []
      const messages: Array<string> = []
      for (const [name, args] of [
        ["conter", []],
        ["nothingLikeIt", []],
        ["balanceOf", []],
        ["balanceOf", ["0x1234"]],
        ["over", [1, 2, 3]],
        ["near", [5]]
      ] as const) {
        const read = plainly((eth) => Contract.make(eth, subject).read(name, args), packets)
        messages.push((yield* failureOf(read)).message)
      }
      assert.deepStrictEqual(messages, [
        "the ABI has no function conter. Did you mean counter?",
        "the ABI has no function nothingLikeIt",
        "(address) takes 1 argument, and 0 are given",
        "argument 1 of (address) must be address",
        "the arguments fit none or several of over(address,string), over(uint256), over(bool). Make the call with an ABI that has one of them.",
        "the arguments fit none or several of near(uint16), near(uint8). Make the call with an ABI that has one of them."
      ])
      const logs = plainly((eth) => Contract.make(eth, subject).logs("Movd"), packets)
      assert.strictEqual((yield* failureOf(logs)).message, "the ABI has no event Movd. Did you mean Moved?")
      assert.deepStrictEqual(packets, [])
    })
  )

  it.effect("many calls run in the state of one block, in one packet, and a revert is an outcome", () =>
    Effect.gen(function* () {
      const { subject, token } = yield* Deployed
      const hash = yield* latest
      const calls = [
        ContractCall.make(subject, "one"),
        ContractCall.make(subject, "text"),
        ContractCall.make(subject, "dirty"),
        ContractCall.make(subject, "blockNumber"),
        Erc20.symbol(token.address),
        ContractCall.make(Erc20.at(token.address), "decimals")
      ] as const
      const packets: Packets = []
      const outcomes = yield* plainly((eth) => Contract.all(eth, calls), packets)
      assert.deepStrictEqual(packets, [["eth_getBlockByNumber"], Array.from(calls, () => "eth_call")])
      const proven = yield* provenly(hash, (eth) => Contract.all(eth, calls))
      const verdicts = yield* withVerdicts(hash, (eth) => VerdictContract.all(eth, calls, { block: hash }))
      for (const [at, outcome] of outcomes.entries()) {
        for (const other of [proven[at]!, verdicts[at]!]) {
          if (Result.isSuccess(outcome)) {
            const value = Result.getOrThrow(other)
            assert.deepStrictEqual(at in proven && other === proven[at] ? value : (value as any).value, outcome.success)
          } else {
            const failure = Result.getOrThrow(Result.flip(other as Result.Result<unknown, Error>))
            assert.strictEqual(failure.message, outcome.failure.message)
          }
        }
      }
      assert.deepStrictEqual(outcomes[4], Result.succeed("MKR"))
      assert.deepStrictEqual(outcomes[5], Result.succeed(18))
      assert.strictEqual(Result.isFailure(outcomes[1]) && outcomes[1].failure._tag, "RevertedError")
      assert.strictEqual(Result.isFailure(outcomes[2]) && outcomes[2].failure._tag, "ReturnedDataError")
      assert.isTrue(verdicts.filter(Result.isSuccess).every(({ success }) => success._tag === "VERIFIED"))
    })
  )

  it.effect("many proven calls share the block and what is proven about it", () =>
    Effect.gen(function* () {
      const { subject, token } = yield* Deployed
      const hash = yield* latest
      const calls = [
        ContractCall.make(subject, "counter"),
        ContractCall.make(subject, "balanceOf", [OTHER]),
        ContractCall.make(Erc20.at(token.address), "balanceOf", [OTHER])
      ]
      for (const block of [undefined, "latest", hash, { blockHash: hash }] as const) {
        const packets: Packets = []
        const outcomes = yield* withVerdicts(hash, (eth) => VerdictContract.all(eth, calls, { block }), packets)
        const verdicts = outcomes.map((outcome) => Result.getOrThrow(outcome as Result.Result<any>))
        assert.isTrue(verdicts.every(({ _tag }) => _tag === "VERIFIED"))
        // a tag stays the node's word
        const claims = verdicts.map(({ claimed }) => claimed.map(({ about }: { about: string }) => about))
        const isTag = block === undefined || block === "latest"
        assert.deepStrictEqual(
          claims,
          calls.map(() => (isTag ? ["Question"] : []))
        )
        const methods = packets.flat()
        assert.lengthOf(
          methods.filter((method) => method.startsWith("eth_getBlock")),
          1,
          JSON.stringify(packets)
        )
        // two calls are of one contract: whether their proofs meet in one packet depends on the turns of the event loop
        assert.lengthOf(
          methods.filter((method) => method === "eth_getCode"),
          2,
          JSON.stringify(packets)
        )
      }
      const claimed = yield* withVerdicts(undefined, (eth) => VerdictContract.all(eth, calls))
      const verdicts = claimed.map((outcome) => Result.getOrThrow(outcome as Result.Result<any>))
      assert.isTrue(verdicts.every(({ _tag }) => _tag === "CLAIMED"))
      assert.deepStrictEqual(
        verdicts.map(({ value }) => value),
        [1n, 0n, 0n]
      )
    })
  )

  it.effect("a lie about the state is refuted, and the node's own answer to a call is not asked for", () =>
    Effect.gen(function* () {
      const { subject } = yield* Deployed
      const hash = yield* latest
      const changed =
        (change: (proof: any) => unknown): Lie =>
        (method, answer) =>
          method === "eth_getProof" ? change(answer) : answer
      const lies: Readonly<Record<string, Lie>> = {
        "storageProof[0].value": changed((proof) => ({
          ...proof,
          storageProof: proof.storageProof.map((slot: {}) => ({ ...slot, value: "0x7" }))
        })),
        storageProof: changed((proof) => ({ ...proof, storageProof: [] })),
        "account.balance": changed((proof) => ({ ...proof, balance: "0x7" })),
        code: (method, answer) => (method === "eth_getCode" ? `${answer}00` : answer)
      }
      const packets: Packets = []
      for (const [check, lie] of Object.entries(lies)) {
        const calls = [ContractCall.make(subject, "counter"), ContractCall.make(subject, "one")]
        for (const read of [
          withVerdicts(hash, (eth) => VerdictContract.make(eth, subject).read("counter"), packets, lie),
          withVerdicts(hash, (eth) => VerdictContract.all(eth, calls), packets, lie)
        ]) {
          const error = yield* failureOf(read as Effect.Effect<unknown, any, Deployed>)
          assert.strictEqual(error._tag, "RefutedError", check)
          assert.include(error.check, check)
        }
      }
      assert.notInclude(packets.flat(), "eth_call")
    })
  )

  it.effect("an old block that passes for the latest is named in the claims of all calls", () =>
    Effect.gen(function* () {
      const { subject } = yield* Deployed
      const hash = yield* latest
      const old = yield* Effect.flatMap(Deployed, ({ client }) =>
        Effect.promise(() => client.request({ method: "eth_getBlockByNumber", params: [viem.numberToHex(2n), false] }))
      )
      const lie: Lie = (method, answer, [block]) =>
        method === "eth_getBlockByNumber" && block === "latest" ? old : answer
      const calls = [ContractCall.make(subject, "blockNumber")]
      const [outcome] = yield* withVerdicts(hash, (eth) => VerdictContract.all(eth, calls), [], lie)
      const verdict = Result.getOrThrow(outcome as Result.Result<any>)
      assert.strictEqual(verdict.value, 2n)
      assert.isTrue(verdict.claimed.some(({ reason }: any) => EthReason.Tag.is(reason) && reason.staleBefore === 3n))
    })
  )

  it.effect("calls that saw another block are repeated once", () =>
    Effect.gen(function* () {
      const { subject } = yield* Deployed
      const hash = yield* latest
      const calls = [ContractCall.make(subject, "blockNumber"), ContractCall.make(subject, "one")]
      const reading = (wrong: number) =>
        withVerdicts(hash, (eth) => {
          let made = 0
          const moved: VerdictContract.ContractClient = {
            ...eth,
            call: (request, block) => eth.call(request, made++ < wrong ? 2n : block)
          }
          return VerdictContract.all(moved, calls)
        })
      const outcomes = yield* reading(1)
      assert.deepStrictEqual(
        outcomes.map((outcome) => Result.getOrThrow(outcome as Result.Result<any>).value),
        [3n, 2n ** 255n + 1n]
      )
      const error = yield* failureOf(reading(100))
      assert.strictEqual(error._tag === "JsonRpcError" && error.reason._tag, "MovedError")
    })
  )

  it.effect("no calls are made at a block that does not exist, or is pending", () =>
    Effect.gen(function* () {
      const { subject } = yield* Deployed
      for (const block of [10n ** 9n, "pending"] as const) {
        const calls = [ContractCall.make(subject, "one")]
        const plain = yield* failureOf(plainly((eth) => Contract.all(eth, calls, { block })))
        const verdict = yield* failureOf(withVerdicts(undefined, (eth) => VerdictContract.all(eth, calls, { block })))
        for (const error of [plain, verdict]) {
          assert.strictEqual(error._tag, "NoBlockError")
        }
      }
    })
  )

  it.effect("the standards' functions are read, with the texts of old tokens", () =>
    Effect.gen(function* () {
      const { client, token } = yield* Deployed
      const { address } = token
      const values = yield* plainly((eth) =>
        Effect.all([
          Contract.run(eth, Erc20.symbol(address)),
          Contract.run(eth, Erc20.name(address)),
          Contract.make(eth, Erc721.at(address)).read("ownerOf", [BigInt(OTHER)]),
          Contract.make(eth, Erc721.at(address)).read("tokenURI", [1n]),
          Contract.make(eth, Erc1155.at(address)).read("uri", [1n]),
          Contract.make(eth, Erc1155.at(address)).read("balanceOfBatch", [
            [OTHER, address],
            [1n, 2n]
          ])
        ])
      )
      assert.deepStrictEqual(values.slice(0, 4), ["MKR", "Maker", OTHER, "ipfs://one"])
      assert.strictEqual(Erc1155.uriOf(values[4], 255n), `ipfs://${"ff".padStart(64, "0")}.json`)
      const balances = yield* Effect.promise(() =>
        client.readContract({
          ...token,
          functionName: "balanceOfBatch",
          args: [
            [OTHER, address],
            [1n, 2n]
          ]
        })
      )
      assert.deepStrictEqual(values[5], balances as ReadonlyArray<bigint>)
    })
  )
})

layer(Deployed.layer, { timeout: "60 seconds" })("contracts on a chain that goes on", (it) => {
  it.effect("a call has the sender, the value and the block that it was given", () =>
    Effect.gen(function* () {
      const { account, client, send, subject } = yield* Deployed
      const hash = yield* Effect.promise(() => send(subject, "emitAll", [OTHER]))
      const { number } = yield* Effect.promise(() => client.getBlock({ blockHash: hash }))
      const sent = yield* plainly((eth) =>
        Contract.make(eth, subject).read("sender", [], { from: account, value: 5n, gas: 100_000n })
      )
      assert.deepStrictEqual(sent, [account, 5n])
      const at = (block: bigint | Hash32.Hash32) =>
        provenly(hash, (eth) => Contract.make(eth, subject).read("blockNumber", [], { block }))
      assert.deepStrictEqual(
        [yield* at(number - 1n), yield* at(number), yield* at(hash)],
        [number - 1n, number, number]
      )
    })
  )

  it.effect("events are those that viem decodes, and are proven", () =>
    Effect.gen(function* () {
      const { client, send, subject } = yield* Deployed
      const blockHash = yield* Effect.promise(() => send(subject, "emitAll", [OTHER]))
      const theirs = yield* Effect.promise(() => client.getContractEvents({ ...subject, blockHash, strict: true }))
      for (const name of ["Moved", "Named", "Mixed", "Bare"]) {
        const expected = theirs.find((log) => log.eventName === name)!
        const [log, ...more] = yield* plainly((eth) => Contract.make(eth, subject).logs(name, undefined, { blockHash }))
        assert.deepStrictEqual(more, [])
        assert.deepStrictEqual(log!.event, { name, args: lower(expected.args ?? []) } as never)
        assert.strictEqual(Number(log!.logIndex), expected.logIndex)
        const proven = yield* withVerdicts(blockHash, (eth) =>
          VerdictContract.make(eth, subject).logs(name, undefined, { blockHash })
        )
        assert.strictEqual(proven._tag, "VERIFIED")
        assert.deepStrictEqual(proven.value[0]!.event, log!.event)
      }
    })
  )

  it.effect("logs are selected by indexed arguments, as viem selects them", () =>
    Effect.gen(function* () {
      const { account, client, send, subject } = yield* Deployed
      const blockHash = yield* Effect.promise(() => send(subject, "emitAll", [OTHER]))
      for (const [eventName, args, count] of [
        ["Moved", { by: account }, 1],
        ["Moved", { by: [OTHER, account] }, 1],
        ["Moved", { by: OTHER }, 0],
        ["Named", { name: "name" }, 1],
        ["Named", { name: ["other", "name"], raw: "0x0102" }, 1],
        ["Named", { raw: "0x01" }, 0],
        ["Mixed", [OTHER], 1],
        ["Mixed", [account], 0],
        ["Mixed", [undefined], 1]
      ] as const) {
        const topics = viem.encodeEventTopics({ abi: subject.abi, eventName, args: args })
        const filter = { address: subject.address, blockHash, topics }
        const theirs = yield* Effect.promise(() => client.request({ method: "eth_getLogs", params: [filter] }))
        const ours = yield* plainly((eth) => Contract.make(eth, subject).logs(eventName, args as never, { blockHash }))
        assert.strictEqual(ours.length, count, `${eventName} ${JSON.stringify(args)}`)
        assert.deepStrictEqual(
          ours.map(({ logIndex }) => Number(logIndex)),
          theirs.map(({ logIndex }) => Number(logIndex))
        )
      }
      const wrong = plainly((eth) => Contract.make(eth, subject).logs("Named", { numbers: [1] }, { blockHash }))
      assert.strictEqual((yield* failureOf(wrong))._tag, "AbiArgumentError")
    })
  )

  it.effect("a lie about logs is repaired, whether it changes, hides or adds one", () =>
    Effect.gen(function* () {
      const { send, token } = yield* Deployed
      const blockHash = yield* Effect.promise(() => send(token, "mint", [OTHER, 6n]))
      const changed =
        (change: (logs: Array<any>) => unknown): Lie =>
        (method, answer) =>
          method === "eth_getLogs" ? change(answer) : answer
      const honest = yield* withVerdicts(blockHash, (eth) =>
        VerdictContract.make(eth, Erc20.at(token.address)).logs("Transfer", {}, { blockHash })
      )
      assert.isNotEmpty(honest.value)
      const lies: ReadonlyArray<Lie> = [
        changed(([first, ...rest]) => [{ ...first, data: first.data.replace(/6$/u, "7") }, ...rest]),
        changed((logs) => logs.slice(1)),
        changed(() => []),
        changed((logs) => [...logs, logs[0]]),
        changed(([first, ...rest]) => [{ ...first, topics: first.topics.slice(0, 2) }, ...rest])
      ]
      for (const lie of lies) {
        const read = withVerdicts(
          blockHash,
          (eth) => VerdictContract.make(eth, Erc20.at(token.address)).logs("Transfer", {}, { blockHash }),
          [],
          lie
        )
        const repaired = yield* read
        assert.strictEqual(repaired._tag, "VERIFIED")
        assert.isTrue(repaired.proven.some(EthEvidence.LogsRepaired.is))
        assert.deepStrictEqual(
          repaired.value.map(({ event }) => event?.args),
          honest.value.map(({ event }) => event?.args)
        )
      }
      // a member that the decoded event takes the place of
      const verdict = yield* withVerdicts(
        blockHash,
        (eth) => VerdictContract.make(eth, Erc20.at(token.address)).logs("Transfer", {}, { blockHash }),
        [],
        changed((logs) => logs.map((log) => ({ ...log, event: "mine", fault: "mine", other: "mine" })))
      )
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(verdict.value[0]!.event?.args.value, 6n)
      const fields = verdict.claimed.map(({ field }) => field)
      assert.include(fields, "logs[].other")
      assert.notInclude(fields, "logs[].event")
    })
  )

  it.effect("a log of another form with the same topic is kept, with the reason", () =>
    Effect.gen(function* () {
      const { send, token } = yield* Deployed
      const blockHash = yield* Effect.promise(() => send(token, "mint", [OTHER, 5n]))
      const verdict = yield* withVerdicts(blockHash, (eth) =>
        VerdictContract.make(eth, Erc20.at(token.address)).logs("Transfer", { to: OTHER }, { blockHash })
      )
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(
        verdict.value.map(({ event, fault }) => event?.args ?? fault?.message),
        [
          { from: viem.zeroAddress, to: OTHER, value: 5n },
          "Transfer(address,address,uint256) has 3 topics, and the log has 4",
          "the log is no Transfer(address,address,uint256): the bytes are no values of (uint256): they end within a value"
        ]
      )
      const other = yield* plainly((eth) =>
        Contract.make(eth, Erc721.at(token.address)).logs("Transfer", { to: OTHER }, { blockHash })
      )
      assert.deepStrictEqual(
        other.map(({ event }) => event?.args),
        [undefined, { from: viem.zeroAddress, to: OTHER, tokenId: 5n }, undefined]
      )
    })
  )
})

it.effect("a revert is found in the errors of each node, and other errors are left as they are", () =>
  Effect.gen(function* () {
    const plainly = (reason: ConstructorParameters<typeof JsonRpcError.RemoteError>[0]) => {
      const error = new JsonRpcError.JsonRpcError({
        method: "eth_call",
        reason: new JsonRpcError.RemoteError(reason)
      })
      const call = ContractCall.make(Erc20.at(OTHER), "decimals")
      return Effect.map(failureOf(Contract.run({ call: () => Effect.fail(error) }, call)), (failure) =>
        failure._tag === "RevertedError" ? failure.data : failure === error ? "as it was" : failure
      )
    }
    const data = "0x08c379a0"
    for (const [reason, found] of [
      [{ code: 3, message: "execution reverted: no", data }, data],
      [{ code: 3, message: "execution reverted", data: "0x" }, "0x"],
      [{ code: 3, message: "execution reverted" }, "0x"],
      // Hardhat
      [{ code: -32_603, message: "VM Exception while processing transaction: reverted", data: { data } }, data],
      [{ code: -32_000, message: "out of gas" }, "as it was"],
      [{ code: -32_000, message: "header not found", data }, "as it was"],
      [{ code: -32_005, message: "limit exceeded", data }, "as it was"]
    ] as const) {
      assert.strictEqual(yield* plainly(reason), found, reason.message)
    }
  })
)

it("the ABIs of the standards have the reads and events of the EIPs", () => {
  const forms = (abi: viem.Abi): ReadonlyArray<string> =>
    (abi as ReadonlyArray<viem.AbiFunction | viem.AbiEvent>)
      .filter((item) => item.type === "event" || (item.type === "function" && item.stateMutability === "view"))
      .map((item) => {
        const types = (list: ReadonlyArray<{ readonly type: string; readonly indexed?: boolean | undefined }>) =>
          list.map(({ indexed = false, type }) => `${type}${indexed ? " indexed" : ""}`).join()
        const { inputs, name, type } = item
        return `${type} ${name}(${types(inputs)})${type === "function" ? `(${types(item.outputs)})` : ""}`
      })
  assert.sameMembers([...forms(Erc20.abi)], [...forms(viem.erc20Abi)])
  assert.sameMembers([...forms(Erc721.abi)], [...forms(viem.parseAbi(EIP_721)), ...forms(viem.parseAbi(EIP_165))])
  assert.sameMembers([...forms(Erc1155.abi)], [...forms(viem.parseAbi(EIP_1155)), ...forms(viem.parseAbi(EIP_165))])
})

const EIP_165 = ["function supportsInterface(bytes4 interfaceID) external view returns (bool)"]

const EIP_721 = [
  "event Transfer(address indexed _from, address indexed _to, uint256 indexed _tokenId)",
  "event Approval(address indexed _owner, address indexed _approved, uint256 indexed _tokenId)",
  "event ApprovalForAll(address indexed _owner, address indexed _operator, bool _approved)",
  "function balanceOf(address _owner) external view returns (uint256)",
  "function ownerOf(uint256 _tokenId) external view returns (address)",
  "function getApproved(uint256 _tokenId) external view returns (address)",
  "function isApprovedForAll(address _owner, address _operator) external view returns (bool)",
  "function name() external view returns (string _name)",
  "function symbol() external view returns (string _symbol)",
  "function tokenURI(uint256 _tokenId) external view returns (string)",
  "function totalSupply() external view returns (uint256)",
  "function tokenByIndex(uint256 _index) external view returns (uint256)",
  "function tokenOfOwnerByIndex(address _owner, uint256 _index) external view returns (uint256)"
]

const EIP_1155 = [
  "event TransferSingle(address indexed _operator, address indexed _from, address indexed _to, uint256 _id, uint256 _value)",
  "event TransferBatch(address indexed _operator, address indexed _from, address indexed _to, uint256[] _ids, uint256[] _values)",
  "event ApprovalForAll(address indexed _owner, address indexed _operator, bool _approved)",
  "event URI(string _value, uint256 indexed _id)",
  "function balanceOf(address _owner, uint256 _id) external view returns (uint256)",
  "function balanceOfBatch(address[] _owners, uint256[] _ids) external view returns (uint256[] memory)",
  "function isApprovedForAll(address _owner, address _operator) external view returns (bool)",
  "function uri(uint256 _id) external view returns (string memory)"
]
