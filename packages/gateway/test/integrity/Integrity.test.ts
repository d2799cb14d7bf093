import { assert, describe, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { EthMethods, TrustedBlock } from "@plumbline/eth-methods"
import { EthFeeds, Integrity, type Network, UpstreamError, UpstreamPool } from "@plumbline/gateway"
import { Transport } from "@plumbline/jsonrpc-core"
import { Deferred, Effect, Fiber, Layer, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import { keccak256 } from "viem"

import { block, HASH, lie, type Node, node } from "../support/genesis.ts"
import * as Service from "../support/service.ts"

const decoder = new TextDecoder()

const honest = { eth_getBlockByHash: block, eth_getBlockByNumber: block, eth_gasPrice: "0x7", eth_chainId: "0x1" }
const lying = { ...honest, eth_getBlockByHash: lie, eth_getBlockByNumber: lie }

/**
 * Returns the pool of checked nodes, which are named `a`, `b` and so on. The trusted block is mainnet's first block.
 */
const over = (
  nodes: ReadonlyArray<Node>,
  options: Partial<Integrity.IntegrityOptions> = {},
  poolOptions: Pick<UpstreamPool.PoolOptions, "watch"> = {}
) =>
  Effect.gen(function* () {
    const named = nodes.map((upstream, index) => ({ name: "abc"[index]!, upstream }))
    const trust = yield* TrustedBlock.TrustedBlock
    const settings = { network: "mainnet", mode: "prove", chainId: 1n, trust, ...options } as const
    const { around, lies, members } = yield* Integrity.make(named, settings)
    const pool = yield* UpstreamPool.make(
      named.map(({ name }, index) => ({ name, upstream: members[index]! })),
      { methods: EthMethods.group, ...poolOptions }
    )
    const upstream = around(pool)
    const ask = (method: string, params: ReadonlyArray<unknown> = []) =>
      Effect.map(upstream.call(method, params), (answer) => JSON.parse(decoder.decode(answer)))
    return { upstream, ask, lies }
  }).pipe(Effect.provide(TrustedBlock.layerPinned(Hash32.fromHexUnsafe(HASH))))

/** The transport to a node that never has an answer. */
const silent: Transport.Transport["Service"] = { call: () => Effect.succeed(null), callAll: () => Effect.succeed([]) }

const byHash = ["eth_getBlockByHash", [HASH, true]] as const

/** Returns a value that a check found in a lie, if it is a hash that nobody asked for. */
const otherHash = (got: string | undefined): string | undefined =>
  got !== HASH && /^0x[0-9a-f]{64}$/u.test(got ?? "") ? got : "another hash"

/** Makes a logger that collects the log entries. */
const keeping = () => {
  const lines: Array<string> = []
  return { lines, logger: Logger.map(Logger.formatJson, (line) => void lines.push(line)) }
}

describe("a node of a chain whose blocks hash by another rule", () => {
  const mixHash = "0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365"
  const qbft = { ...(block as object), mixHash, extraData: `0x${"00".repeat(97)}` }
  const told = { ...honest, eth_getBlockByHash: qbft, eth_getBlockByNumber: qbft }

  it.effect("is not blamed: its blocks are claimed, or refused as unproven", () =>
    Effect.gen(function* () {
      for (const [answers, engine] of [
        [told, undefined],
        [lying, "Tendermint"]
      ] as const) {
        const options = { chainId: 1337n, engine }
        const checked = yield* over([node(answers)], { ...options, mode: "check" })
        assert.deepStrictEqual(yield* checked.ask(...byHash), answers.eth_getBlockByHash)
        const proving = yield* over([node(answers)], options)
        const refused = yield* Effect.flip(proving.ask(...byHash))
        assert.include(JSON.stringify(refused), `another consensus (${engine ?? "IBFT or QBFT"})`)
        const marked = yield* over([node(answers)], { ...options, unprovable: "mark" })
        assert.deepStrictEqual(yield* marked.ask(...byHash), answers.eth_getBlockByHash)
        for (const { lies, upstream } of [checked, proving, marked]) {
          assert.deepStrictEqual(lies(), [])
          assert.strictEqual(upstream.health!()[0]!.state, "up")
        }
      }
    })
  )

  it.effect("is a liar on a chain of Ethereum, whatever the dress, and in Ethereum's form on any chain", () =>
    Effect.gen(function* () {
      for (const mode of ["check", "prove"] as const) {
        const cases: ReadonlyArray<readonly [Parameters<typeof node>[0], Partial<Integrity.IntegrityOptions>]> = [
          [told, { chainId: 1n }],
          [told, { chainId: 1n, engine: "QBFT" }],
          [lying, { chainId: 1337n }]
        ]
        for (const [answers, options] of cases) {
          const { ask, lies } = yield* over([node(answers)], { ...options, mode })
          yield* Effect.flip(ask(...byHash))
          assert.deepStrictEqual(lies(), [
            {
              node: "a",
              method: "eth_getBlockByHash",
              check: "header hash",
              count: 1,
              firstAt: 0,
              lastAt: 0,
              params: JSON.stringify(byHash[1]),
              block: { number: Number(block.number), hash: HASH },
              expected: HASH,
              got: otherHash(lies()[0]?.got),
              isLying: true
            }
          ])
        }
      }
    })
  )
})

describe("a node that lies", () => {
  it.effect("is not believed: the next node's proven answer is the answer, and the operator sees the lie", () =>
    Effect.gen(function* () {
      const [liar, other] = [node(lying), node(honest)]
      const { lines, logger } = keeping()
      const { ask, lies, upstream } = yield* over([liar, other])
      const answer = yield* Effect.provideService(ask(...byHash), Logger.CurrentLoggers, new Set([logger]))
      assert.deepStrictEqual(answer, block)
      assert.deepStrictEqual(lies(), [
        {
          node: "a",
          method: "eth_getBlockByHash",
          check: "header hash",
          count: 1,
          firstAt: 0,
          lastAt: 0,
          params: JSON.stringify(byHash[1]),
          block: { number: Number(block.number), hash: HASH },
          expected: HASH,
          got: otherHash(lies()[0]?.got),
          isLying: true,
          asideUntil: 10_000
        }
      ])
      const [a, b] = upstream.health!()
      assert.deepStrictEqual(
        [a!.lies?.count, a!.lies?.last.check, a!.lies?.last.method, b!.lies],
        [1, "header hash", "eth_getBlockByHash", undefined]
      )
      // the refuted answer is in neither count, and the proven one is the other node's
      assert.deepStrictEqual(
        [a!.verdicts, b!.verdicts],
        [
          { verified: 0, claimed: 0 },
          { verified: 1, claimed: 0 }
        ]
      )
      assert.strictEqual(lines.length, 1)
      assert.include(lines[0], '"node":"a"')
      assert.include(lines[0], '"check":"header hash"')
    })
  )

  it.effect("about logs is repaired from its own headers and receipts, and the lie is counted", () =>
    Effect.gen(function* () {
      const forged = {
        address: `0x${"22".repeat(20)}`,
        topics: [],
        data: "0x",
        blockHash: HASH,
        blockNumber: "0x0",
        transactionHash: `0x${"33".repeat(32)}`,
        transactionIndex: "0x0",
        logIndex: "0x0",
        removed: false
      }
      const question = ["eth_getLogs", [{ blockHash: HASH, address: forged.address }]] as const
      const liar = node({ ...honest, eth_getLogs: [forged] })
      const { ask, lies, upstream } = yield* over([liar, node({ ...honest, eth_getLogs: [] })])
      const answer = yield* upstream.call(...question)
      assert.deepStrictEqual(JSON.parse(decoder.decode(answer)), [])
      assert.strictEqual(answer.verdict?.word, "VERIFIED")
      assert.deepStrictEqual(lies(), [
        {
          node: "a",
          method: "eth_getLogs",
          check: "logs",
          count: 1,
          firstAt: 0,
          lastAt: 0,
          params: JSON.stringify(question[1]),
          expected: "none: the block's logsBloom excludes the filter",
          got: "1 logs",
          isLying: true,
          asideUntil: 10_000
        }
      ])
      assert.deepStrictEqual(
        upstream.health!().map(({ lies }) => lies?.count),
        [1, undefined]
      )
      // the liar rests, and the other node answers
      const { length } = liar.asked
      assert.deepStrictEqual(yield* ask(...question), [])
      assert.lengthOf(liar.asked, length)
    })
  )

  it.effect("rests, while another node is left, and is asked again afterwards", () =>
    Effect.gen(function* () {
      const [liar, other] = [node(lying), node(honest)]
      const { ask, upstream } = yield* over([liar, other])
      yield* ask(...byHash)
      const before = liar.asked.length
      for (let calls = 0; calls < 5; calls++) yield* ask(...byHash)
      assert.strictEqual(liar.asked.length, before, "it rests")
      const [rested] = upstream.health!()
      assert.deepStrictEqual([rested!.state, rested!.problem], ["lies", "its answer was refuted: header hash"])
      yield* TestClock.adjust("11 seconds")
      yield* ask(...byHash)
      assert.isAbove(liar.asked.length, before, "it is asked again")
      yield* TestClock.adjust("11 seconds")
      const again = liar.asked.length
      yield* ask(...byHash)
      assert.strictEqual(liar.asked.length, again, "the second rest is longer")
    })
  )

  it.effect("lies in the words of the state while it is not trusted, also as the only node, and is up again then", () =>
    Effect.gen(function* () {
      let isHonest = false
      const liar = node({ ...lying, eth_gasPrice: "0x1" })
      const other = node(honest)
      const only: Node = { ...liar, call: (method, params) => (isHonest ? other : liar).call(method, params) }
      const { ask, upstream } = yield* over([only], { mode: "check" })
      const state = () => upstream.health!()[0]!.state
      assert.strictEqual(state(), "untried")
      yield* Effect.flip(ask(...byHash))
      assert.strictEqual(state(), "lies")
      // an answer that no check refutes does not hide the lie
      yield* ask("eth_gasPrice")
      assert.strictEqual(state(), "lies")
      yield* TestClock.adjust("11 seconds")
      yield* ask("eth_gasPrice")
      assert.strictEqual(state(), "lies", "nothing has shown that it is honest again")
      yield* Effect.flip(ask(...byHash))
      isHonest = true
      yield* TestClock.adjust("21 seconds")
      yield* ask(...byHash)
      assert.strictEqual(state(), "up")
    })
  )

  it.effect("is trusted again after ten minutes in which it was not asked", () =>
    Effect.gen(function* () {
      const { ask, upstream } = yield* over([node(lying), node(honest)], { mode: "check" })
      yield* ask(...byHash)
      const { nextAttemptAt, state } = upstream.health!()[0]!
      assert.deepStrictEqual([state, nextAttemptAt], ["lies", 10_000], "set aside")
      yield* TestClock.adjust("599 seconds")
      assert.deepInclude(upstream.health!()[0], { state: "lies" })
      assert.isUndefined(upstream.health!()[0]!.nextAttemptAt, "it gets calls again")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(upstream.health!()[0]!.state, "untried", "it has given no other answer")
    })
  )

  it.effect(
    "lies until such an answer passes: not another call, not an unproven null, not what it was asked before",
    () =>
      Effect.gen(function* () {
        let answers: typeof honest = lying
        const late = yield* Deferred.make<void>()
        let calls = 0
        const liar: Node = {
          ...node(honest),
          // the first call is answered with the truth, long after the lie that follows it
          call: (method, params) =>
            method === byHash[0] && ++calls === 1
              ? Effect.andThen(Deferred.await(late), node(honest).call(method, params))
              : node(answers).call(method, params)
        }
        const { ask, upstream } = yield* over([liar, node(honest)], {}, {})
        const state = () => upstream.health!()[0]!.state
        const first = yield* Effect.forkChild(ask(...byHash), { startImmediately: true })
        assert.deepStrictEqual(yield* ask(...byHash), block)
        assert.strictEqual(state(), "lies")
        yield* TestClock.adjust("11 seconds")
        yield* Deferred.succeed(late, undefined)
        assert.deepStrictEqual(yield* Fiber.join(first), block)
        assert.strictEqual(state(), "lies", "that answer was asked for before the lie")
        answers = honest
        yield* ask("eth_chainId")
        yield* ask("eth_getBlockByNumber", [block.number, true])
        assert.strictEqual(state(), "lies", "proven, but another method")
        answers = { ...honest, eth_getBlockByHash: null } as never
        assert.deepStrictEqual(yield* ask(...byHash), block)
        assert.strictEqual(state(), "lies", "another node proves what it withholds")
        assert.strictEqual(upstream.health!()[0]!.problem, "its answer was refuted: header hash")
        answers = honest
        yield* ask(...byHash)
        assert.strictEqual(state(), "up")
      })
  )

  it.effect(
    "is trusted after an answer of another method that the same check had refuted, or that no proof can better",
    () =>
      Effect.gen(function* () {
        const wrong = { ...lying, net_version: "2" }
        let answers: typeof wrong = wrong
        const liar: Node = { ...node(honest), call: (method, params) => node(answers).call(method, params) }
        const { ask, upstream } = yield* over([liar], { unprovable: "mark" })
        const state = () => upstream.health!()[0]!.state
        const byNumber = ["eth_getBlockByNumber", [block.number, true]] as const
        yield* Effect.flip(ask(...byHash))
        yield* Effect.flip(ask(...byNumber))
        answers = { ...honest, net_version: "1" }
        yield* TestClock.adjust("21 seconds")
        assert.strictEqual(state(), "lies")
        yield* ask(...byNumber)
        assert.strictEqual(state(), "up", "the check that refuted both passed")
        answers = wrong
        yield* Effect.flip(ask("net_version"))
        assert.strictEqual(state(), "lies")
        answers = { ...honest, net_version: "1" }
        yield* TestClock.adjust("41 seconds")
        yield* ask("net_version")
        assert.strictEqual(state(), "up", "CLAIMED for ever, because the chain is configured")
        const sent = ["eth_sendRawTransaction", ["0x01"]] as const
        answers = { ...wrong, eth_sendRawTransaction: HASH } as never
        yield* Effect.flip(ask(...sent))
        assert.strictEqual(state(), "lies")
        answers = { ...honest, eth_sendRawTransaction: keccak256("0x01") } as never
        yield* TestClock.adjust("81 seconds")
        yield* ask(...sent)
        assert.strictEqual(state(), "up", "CLAIMED for ever, because no block has it yet")
      })
  )

  it.effect("that answers no more is down, whatever it said before", () =>
    Effect.gen(function* () {
      let isDead = false
      const dead = new UpstreamError.UpstreamError({ reason: { _tag: "Unreachable", code: "ECONNREFUSED" } })
      const liar: Node = {
        ...node(lying),
        call: (method, params) => (isDead ? Effect.fail(dead) : node(lying).call(method, params))
      }
      const { ask, upstream } = yield* over([liar])
      const state = () => upstream.health!()[0]!.state
      for (let i = 0; i < 5; i++) yield* Effect.flip(ask(...byHash))
      assert.strictEqual(state(), "lies", "refuted answers take it down in the pool, but it answers")
      isDead = true
      for (let i = 0; i < 5; i++) yield* Effect.flip(ask(...byHash))
      assert.strictEqual(state(), "down")
    })
  )

  it.effect("is asked all the same if it is the only one, or if all lie: each answer is checked", () =>
    Effect.gen(function* () {
      const nodes = [node(lying), node(lying)]
      const { ask } = yield* over(nodes)
      const faults = yield* Effect.forEach([1, 2, 3], () => Effect.flip(ask(...byHash)))
      for (const fault of faults) {
        assert.instanceOf(fault, UpstreamError.UpstreamError)
        assert.deepInclude(fault.reason, { _tag: "Refuted", check: "header hash" })
      }
      assert.isAtLeast(nodes[0]!.asked.length, 3)
    })
  )

  it.effect("that withholds what another node proves is answered for", () =>
    Effect.gen(function* () {
      const { ask, lies } = yield* over([node({ ...honest, eth_getBlockByHash: null }), node(honest)])
      assert.deepStrictEqual(yield* ask(...byHash), block)
      assert.deepStrictEqual(lies(), [
        {
          node: "a",
          method: "eth_getBlockByHash",
          check: "absent",
          count: 1,
          firstAt: 0,
          lastAt: 0,
          params: JSON.stringify(byHash[1]),
          expected: "an answer that another node proves",
          got: "null",
          isLying: false
        }
      ])
    })
  )

  it.effect("cannot end a read with an error that nothing proves, and an error of all nodes is the answer", () =>
    Effect.gen(function* () {
      for (const error of [
        { code: 3, message: "execution reverted", data: "0x" },
        { code: -32602, message: "invalid argument 0" },
        { code: -32000, message: "no" },
        { code: -32005, message: "rate limit exceeded" },
        { code: -32600, message: "batch too large" },
        { code: -32000, message: "header not found" }
      ]) {
        const refusing = { ...honest, eth_getBlockByHash: error, eth_getBlockByNumber: error }
        const { ask } = yield* over([node(refusing), node(refusing), node(honest)])
        assert.deepStrictEqual(yield* ask(...byHash), block)
        const all = yield* over([node(refusing), node(refusing)])
        const failure = yield* Effect.flip(all.ask(...byHash))
        const { code, message } = failure instanceof UpstreamError.UpstreamError ? (failure.reason as any) : failure
        assert.deepStrictEqual([code, message], [error.code, error.message])
      }
    })
  )

  it.effect("cannot end a read by saying that there is no such block, although no head is newer", () =>
    Effect.gen(function* () {
      const error = { code: -32000, message: "header not found" }
      const other = node(honest)
      const { ask } = yield* over([node({ ...honest, eth_getBlockByHash: error }), other], {}, { watch: "1 second" })
      yield* TestClock.adjust("2 seconds")
      assert.include(other.asked, "eth_getBlockByNumber")
      assert.deepStrictEqual(yield* ask(...byHash), block)
    })
  )

  it.effect("that proves an absence ends the question: no other node is asked", () =>
    Effect.gen(function* () {
      const answers = { ...honest, eth_getTransactionByBlockHashAndIndex: null }
      const [first, other] = [node(answers), node(answers)]
      const { upstream } = yield* over([first, other])
      const answer = yield* upstream.call("eth_getTransactionByBlockHashAndIndex", [HASH, "0x0"])
      assert.deepStrictEqual([decoder.decode(answer), answer.verdict?.word], ["null", "VERIFIED"])
      assert.deepStrictEqual(other.asked, [])
    })
  )

  it.effect("that only claims an absence does not hide the proof of another node", () =>
    Effect.gen(function* () {
      const whole = { ...honest, eth_getTransactionByBlockHashAndIndex: null }
      // nothing of a block without its nonce is proven, and the node is not blamed for leaving it out
      const bare = { ...whole, eth_getBlockByHash: { ...block, nonce: undefined } }
      const { lies, upstream } = yield* over([node(bare), node(whole)])
      const answer = yield* upstream.call("eth_getTransactionByBlockHashAndIndex", [HASH, "0x0"])
      assert.deepStrictEqual([decoder.decode(answer), answer.verdict?.word], ["null", "VERIFIED"])
      assert.deepStrictEqual(lies(), [])
    })
  )

  it.effect("cannot hide a second value of a field from a reader that takes the first", () =>
    Effect.gen(function* () {
      const twice = () => JSON.stringify(block).replace("{", '{"gasLimit":"0xffff",')
      for (const mode of ["check", "prove"] as const) {
        const { upstream } = yield* over([node({ eth_getBlockByHash: twice })], { mode })
        const answer = decoder.decode(yield* upstream.call(...byHash))
        assert.notInclude(answer, "0xffff", mode)
        assert.deepStrictEqual(JSON.parse(answer), block, mode)
      }
    })
  )
})

describe("a node that cannot prove", () => {
  const balance = ["eth_getBalance", [`0x${"11".repeat(20)}`, "0x0"]] as const
  const bare = { ...honest, eth_getBalance: "0x5" }

  it.effect("is not a liar: other nodes are asked, and then the caller is told why there is no answer", () =>
    Effect.gen(function* () {
      const nodes = [node(bare), node(bare)]
      const { ask, lies, upstream } = yield* over(nodes)
      for (let calls = 0; calls < 4; calls++) {
        const fault = (yield* Effect.flip(ask(...balance))) as UpstreamError.UpstreamError
        assert.deepInclude(fault.reason, { _tag: "Unproven", code: -32097 })
      }
      assert.isAbove(nodes[1]!.asked.length, 0)
      assert.deepStrictEqual(lies(), [])
      assert.notInclude(
        upstream.health!().map(({ state }) => state),
        "down"
      )
    })
  )

  it.effect("is up, though its latest block is older than the trusted one: a probe of it ends", () =>
    Effect.gen(function* () {
      const broken = new UpstreamError.UpstreamError({ reason: { _tag: "Unreachable", code: "ECONNREFUSED" } })
      let isBroken = true
      const bad = node(bare)
      const first: Node = {
        ...bad,
        call: (method, params) =>
          isBroken
            ? Effect.fail(broken)
            : method === "eth_getBlockByNumber"
              ? Effect.succeed(new TextEncoder().encode("null"))
              : bad.call(method, params)
      }
      const { ask, upstream } = yield* over([first, node(bare)])
      for (let calls = 0; calls < 3; calls++) yield* ask(...byHash)
      assert.strictEqual(upstream.health!()[0]!.state, "down")
      isBroken = false
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual(upstream.health!()[0]!.state, "up")
    })
  )

  it.effect("is not even asked where no node has a proof", () =>
    Effect.gen(function* () {
      const only = node({ ...bare, eth_call: "0x01" })
      const { ask } = yield* over([only])
      const error = yield* Effect.flip(ask("eth_call", [{ to: `0x${"11".repeat(20)}` }, "latest"]))
      assert.deepInclude(error, { code: -32098 })
      assert.deepStrictEqual(only.asked, [])
    })
  )

  it.effect("is believed, marked, where the operator says so", () =>
    Effect.gen(function* () {
      const { ask } = yield* over([node(bare)], { unprovable: "mark" })
      assert.strictEqual(yield* ask(...balance), "0x5")
    })
  )

  it.effect("answers advice in any case", () =>
    Effect.gen(function* () {
      const { ask } = yield* over([node(bare)])
      assert.strictEqual(yield* ask("eth_gasPrice"), "0x7")
    })
  )
})

it.effect("a fault of a node is the pool's to judge, whatever call of a proof it ended", () =>
  Effect.gen(function* () {
    const broken = new UpstreamError.UpstreamError({ reason: { _tag: "Unreachable", code: "ECONNREFUSED" } })
    const { ask } = yield* over([node({ eth_getBlockByHash: broken, eth_getBlockByNumber: broken }), node(honest)])
    assert.deepStrictEqual(yield* ask(...byHash), block)
    const alone = yield* over([node({ eth_getBlockByHash: broken })])
    assert.strictEqual(yield* Effect.flip(alone.ask(...byHash)), broken)
  })
)

it.effect("the chain's id is that of the settings, whatever a node says", () =>
  Effect.gen(function* () {
    const { ask } = yield* over([node({ ...honest, eth_chainId: "0x5" })])
    assert.strictEqual(yield* ask("eth_chainId"), "0x1")
  })
)

it.effect("a trust that fails is not the node's lie", () =>
  Effect.gen(function* () {
    const conflict = yield* Effect.flip(
      Effect.provide(
        TrustedBlock.TrustedBlock.use((trust) => trust.resolve("latest")),
        TrustedBlock.layerQuorum(
          [{ name: "v", transport: { call: () => Effect.succeed(null), callAll: () => Effect.succeed([]) } }],
          { needed: 1 }
        )
      )
    )
    const { ask, lies } = yield* over([node(honest)], { trust: { resolve: () => Effect.fail(conflict) } })
    assert.deepInclude(yield* Effect.flip(ask("eth_getBlockByNumber", ["0x0", true])), { code: -32002 })
    assert.deepStrictEqual(lies(), [])
  })
)

it.live("a push of a new head is a hint: the head is read and proven", () =>
  Effect.gen(function* () {
    const pushing: Node = {
      ...node(honest),
      subscribe: () =>
        Effect.gen(function* () {
          const queue = yield* Queue.unbounded<Uint8Array, UpstreamError.UpstreamError>()
          yield* Queue.offer(queue, new TextEncoder().encode(JSON.stringify({ ...lie, hash: `0x${"77".repeat(32)}` })))
          return queue
        })
    }
    const { upstream } = yield* over([pushing], { unprovable: "mark" })
    const feeds = yield* EthFeeds.make(upstream, { interval: "10 millis" })
    const heard: Array<unknown> = []
    yield* feeds.open(
      { kind: "newHeads", params: ["newHeads"] },
      { begun: () => undefined, event: (event) => heard.push(event), end: () => undefined }
    )
    yield* Effect.sleep("100 millis")
    assert.deepStrictEqual(heard, [])
  })
)

describe("over HTTP", () => {
  const network = (nodes: ReadonlyArray<Node>, options?: Partial<Integrity.IntegrityOptions>) =>
    Effect.map(over(nodes, options), ({ upstream }): Network.Network => ({
      name: "mainnet",
      hosts: ["mainnet.localhost"],
      chainId: 1,
      methods: EthMethods.group,
      upstream,
      isChecked: true
    }))
  const post = (service: { readonly port: number }, body: string) => Service.ask(service, { body })
  const asked = Service.call(...byHash)

  it.live("a single answer carries its verdict", () =>
    Effect.gen(function* () {
      const service = yield* Service.start([yield* network([node(honest)])])
      const proven = yield* post(service, asked)
      assert.strictEqual(proven.headers["plumbline-verdict"], "VERIFIED")
      assert.strictEqual(proven.headers["plumbline-anchor"], `block ${HASH}`)
      assert.isUndefined(proven.headers["plumbline-claimed"])
      assert.strictEqual(
        proven.headers["access-control-expose-headers"],
        "plumbline-verdict, plumbline-anchor, plumbline-claimed"
      )
      const advice = yield* post(service, Service.call("eth_gasPrice"))
      assert.strictEqual(advice.headers["plumbline-verdict"], "CLAIMED")
      assert.strictEqual(advice.headers["plumbline-claimed"], "value")
    })
  )

  /** Provides a quorum of two operators that forge the chain together, or the only node of the operator. */
  const wordOf = (layer: Layer.Layer<TrustedBlock.TrustedBlock>) => Effect.provide(TrustedBlock.TrustedBlock, layer)
  const forger = (name: string) => ({ name, transport: Integrity.transportOf(node(honest)) })
  const latest = Service.call("eth_getBlockByNumber", ["latest", true])

  it.live(
    "an answer that rests on a quorum is CLAIMED with the quorum as its anchor, if that is accepted by name",
    () =>
      Effect.gen(function* () {
        const trust = yield* wordOf(
          TrustedBlock.layerQuorum([forger("one"), forger("two"), { ...forger("three"), transport: silent }], {
            needed: 2,
            accept: true
          })
        )
        const service = yield* Service.start([yield* network([node(honest)], { trust })])
        const resting = yield* post(service, latest)
        assert.deepStrictEqual(
          [resting.headers["plumbline-verdict"], resting.headers["plumbline-anchor"]],
          ["CLAIMED", "quorum 2/3"]
        )
        assert.deepStrictEqual(JSON.parse(resting.body).result, block)
        const annotated = yield* Service.ask(service, { path: `/v3/${Service.KEY}?annotate`, body: latest })
        const { plumbline } = JSON.parse(annotated.body)
        assert.deepInclude(plumbline, { verdict: "CLAIMED", anchor: "quorum 2/3" })
        assert.match(plumbline.claimed[0].reason, /2 of 3 operators \(one, two\)/u)
        // a hash that the caller names needs no other trust
        const named = yield* post(service, asked)
        assert.deepStrictEqual(
          [named.headers["plumbline-verdict"], named.headers["plumbline-anchor"]],
          ["VERIFIED", `block ${HASH}`]
        )
        const batch = yield* post(service, `[${asked},${latest},${latest}]`)
        assert.deepStrictEqual(
          [batch.headers["plumbline-verdict"], batch.headers["plumbline-anchor"], batch.headers["plumbline-verdicts"]],
          ["CLAIMED", `block ${HASH}, quorum 2/3`, "VCC"]
        )
      })
  )

  it.live("an answer that rests on nodes is refused, with the anchor's name, unless that is accepted by name", () =>
    Effect.gen(function* () {
      const layers = [
        [/2 of 2 operators \(one, two\)/u, TrustedBlock.layerQuorum([forger("one"), forger("two")], { needed: 2 })],
        [
          /the operator's node/u,
          TrustedBlock.layerOperator(Layer.succeed(Transport.Transport, forger("own").transport))
        ]
      ] as const
      for (const [anchor, layer] of layers) {
        const trust = yield* wordOf(layer)
        const service = yield* Service.start([yield* network([node(honest)], { trust })])
        const refused = yield* post(service, latest)
        assert.strictEqual(refused.headers["plumbline-verdict"], "CLAIMED")
        assert.match(String(refused.headers["plumbline-anchor"]), /^(?:quorum 2\/2|operator)$/u)
        const { error } = JSON.parse(refused.body)
        assert.strictEqual(error.data.anchor, refused.headers["plumbline-anchor"])
        const annotated = yield* Service.ask(service, { path: `/v3/${Service.KEY}?annotate`, body: latest })
        assert.strictEqual(JSON.parse(annotated.body).plumbline.anchor, error.data.anchor)
        assert.strictEqual(error.code, -32098)
        assert.match(error.message, anchor)
        assert.match(error.message, /accept that by name/u)
        const marking = yield* Service.start([yield* network([node(honest)], { trust, unprovable: "mark" })])
        const marked = yield* post(marking, latest)
        assert.strictEqual(marked.headers["plumbline-verdict"], "CLAIMED")
        assert.match(String(marked.headers["plumbline-anchor"]), /^(?:quorum 2\/2|operator)$/u)
      }
    })
  )

  it.live("a lie is refused with the anchor that it contradicts, in each mode", () =>
    Effect.gen(function* () {
      const byNumber = Service.call("eth_getBlockByNumber", ["0x0", true])
      const pinned = yield* wordOf(TrustedBlock.layerPinned(Hash32.fromHexUnsafe(HASH)))
      const quorum = yield* wordOf(
        TrustedBlock.layerQuorum([forger("one"), forger("two")], { needed: 2, accept: true })
      )
      // the node lies about its block, and a block by its hash needs no other trust
      const cases = [
        [{ trust: pinned }, byNumber, `block ${HASH}`],
        [{ trust: quorum }, byNumber, "quorum 2/2"],
        [{ trust: quorum }, asked, `block ${HASH}`],
        [{ mode: "check" }, asked, `block ${HASH}`]
      ] as const
      for (const [options, question, anchor] of cases) {
        const service = yield* Service.start([yield* network([node(lying)], options)])
        const refused = yield* post(service, question)
        const { error } = JSON.parse(refused.body)
        assert.deepStrictEqual(
          [error.code, refused.headers["plumbline-verdict"], refused.headers["plumbline-anchor"], error.data.anchor],
          [-32099, "REFUTED", anchor, anchor]
        )
      }
      const { trust } = cases[1][0]
      const service = yield* Service.start([yield* network([node(lying)], { trust })])
      const batch = yield* post(service, `[${byNumber},${asked}]`)
      assert.strictEqual(batch.headers["plumbline-anchor"], `quorum 2/2, block ${HASH}`)
    })
  )

  it.live("an anchor in a node's own error is not believed", () =>
    Effect.gen(function* () {
      const error = { code: -32098, message: "unproven: x", data: { claimed: [], anchor: "light-client 0x12" } }
      const failing = node(honest)
      const refusing = { ...failing, call: () => Effect.fail(error) }
      const service = yield* Service.start([yield* network([refusing])])
      const refused = yield* post(service, Service.call("eth_gasPrice"))
      assert.isUndefined(refused.headers["plumbline-anchor"])
      assert.deepStrictEqual(JSON.parse(refused.body).error, {
        code: -32098,
        message: "unproven: x",
        data: { claimed: [] }
      })
    })
  )

  const verdictsOf = ({ headers }: Service.Answer) => [headers["plumbline-verdict"], headers["plumbline-verdicts"]]
  const advice = Service.call("eth_gasPrice")
  const unproven = Service.call("eth_getBalance", [`0x${"11".repeat(20)}`, "0x0"])
  const notification = JSON.stringify({ jsonrpc: "2.0", method: "eth_gasPrice", params: [] })

  it.live("a batch carries the worst of its verdicts, and a letter for each answer", () =>
    Effect.gen(function* () {
      const service = yield* Service.start([yield* network([node({ ...honest, eth_getBalance: "0x5" })])])
      const proven = yield* post(service, `[${asked},${asked}]`)
      assert.deepStrictEqual(verdictsOf(proven), ["VERIFIED", "VV"])
      assert.isUndefined(proven.headers["plumbline-claimed"])
      assert.strictEqual(
        proven.headers["access-control-expose-headers"],
        "plumbline-verdict, plumbline-anchor, plumbline-verdicts"
      )
      assert.deepStrictEqual(JSON.parse(proven.body)[0].result, block)
      // the batch has an invalid call, whose error has no verdict, and a notification, which has no answer
      const mixed = yield* post(service, `[${asked},${notification},${advice},{},${unproven}]`)
      assert.deepStrictEqual(verdictsOf(mixed), ["CLAIMED", "VC-C"])
      assert.lengthOf(JSON.parse(mixed.body), 4)
      assert.deepStrictEqual(verdictsOf(yield* post(service, "[{}]")), [undefined, undefined])
      const liars = yield* Service.start([yield* network([node(lying)])])
      assert.deepStrictEqual(verdictsOf(yield* post(liars, `[${advice},${asked}]`)), ["REFUTED", "CR"])
    })
  )

  /** Splits each answer in a body into its member `plumbline` and the rest. */
  const annotations = (body: string) => {
    const answers: unknown = JSON.parse(body)
    return (Array.isArray(answers) ? answers : [answers]).map(({ plumbline, ...rest }) => ({ plumbline, rest }))
  }
  const plumblines = (body: string) => annotations(body).map(({ plumbline }) => plumbline)

  it.live("a caller that asks for it gets each verdict in a member of the answer, over both transports", () =>
    Effect.gen(function* () {
      const service = yield* Service.start([yield* network([node({ ...honest, eth_getBalance: "0x5" })])])
      const calls = `[${asked},${notification},${advice},{},${unproven}]`
      const path = `/v3/${Service.KEY}`
      const plain = yield* post(service, calls)
      const annotated = yield* Service.ask(service, { path: `${path}?annotate`, body: calls })
      const [proven, word, wrong, refused] = plumblines(annotated.body)
      assert.deepStrictEqual(proven, { verdict: "VERIFIED", anchor: `block ${HASH}`, claimed: [] })
      assert.deepStrictEqual([word.verdict, word.claimed[0].field], ["CLAIMED", "value"])
      assert.match(word.claimed[0].reason, /node's word/u)
      assert.isUndefined(wrong)
      assert.strictEqual(refused.verdict, "CLAIMED")
      assert.deepStrictEqual(
        annotations(annotated.body).map(({ rest }) => rest),
        JSON.parse(plain.body)
      )
      assert.deepStrictEqual(plumblines(plain.body), [undefined, undefined, undefined, undefined])
      const one = yield* Service.ask(service, { path: `${path}?x=1&annotate=1`, body: asked })
      assert.deepStrictEqual(plumblines(one.body), [proven])
      assert.strictEqual(one.headers["content-length"], String(Buffer.byteLength(one.body)))
      const none = yield* Service.ask(service, { path: `${path}?annotate=0`, body: asked })
      assert.deepStrictEqual(plumblines(none.body), [undefined])

      const over = (query: string, message: string) =>
        Effect.gen(function* () {
          const client = yield* Service.connected(service, { path: `/ws${path}${query}` })
          client.socket.send(message)
          return yield* Effect.promise(() => client.next())
        })
      assert.deepStrictEqual(plumblines(yield* over("?annotate", calls)), [proven, word, undefined, refused])
      assert.deepStrictEqual(plumblines(yield* over("?annotate", asked)), [proven])
      assert.deepStrictEqual(plumblines(yield* over("", asked)), [undefined])
      const liars = yield* Service.start([yield* network([node(lying)])])
      const lied = yield* Service.ask(liars, { path: `${path}?annotate`, body: asked })
      assert.deepStrictEqual(plumblines(lied.body), [{ verdict: "REFUTED", anchor: `block ${HASH}`, claimed: [] }])
    }).pipe(Effect.scoped)
  )

  it.live("a lie of all nodes is an error with the check's name, and status 200", () =>
    Effect.gen(function* () {
      const service = yield* Service.start([yield* network([node(lying), node(lying)])])
      const { body, headers, status } = yield* post(service, asked)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["plumbline-verdict"], "REFUTED")
      const { error } = JSON.parse(body)
      assert.strictEqual(error.code, -32099)
      assert.strictEqual(error.message, "refuted: header hash")
      assert.deepInclude(error.data, {
        verdict: "REFUTED",
        method: "eth_getBlockByHash",
        check: "header hash",
        expected: HASH
      })
      const health = JSON.parse((yield* Service.ask(service, { method: "GET", path: "/health" })).body)
      assert.strictEqual(health.networks[0].upstreams[0].lies.last.check, "header hash")
    })
  )

  it.live("an answer that nothing proves is an error with the reason, and status 200", () =>
    Effect.gen(function* () {
      const service = yield* Service.start([yield* network([node({ ...honest, eth_getBalance: "0x5" })])])
      const { body, headers, status } = yield* post(
        service,
        Service.call("eth_getBalance", [`0x${"11".repeat(20)}`, "0x0"])
      )
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["plumbline-verdict"], "CLAIMED")
      assert.strictEqual(JSON.parse(body).error.code, -32097)
    })
  )

  it.live("without integrity there is no verdict, and the node's bytes are the answer", () =>
    Effect.gen(function* () {
      const spaced = () => JSON.stringify(lie, undefined, 1)
      const plain: Network.Network = {
        name: "mainnet",
        hosts: [],
        chainId: 1,
        methods: EthMethods.group,
        upstream: node({ eth_getBlockByHash: spaced })
      }
      const service = yield* Service.start([plain])
      const { body, headers } = yield* Service.ask(service, { path: `/v3/${Service.KEY}?annotate`, body: asked })
      assert.isUndefined(headers["plumbline-verdict"])
      assert.include(body, spaced())
    })
  )
})
